"""Shift and leak on models whose right answer is known by construction."""

from typing import Any

import numpy as np
import pytest
from toy_adapters import Rows, Toy

from rig.audit.checks import audit
from rig.audit.finding import Finding
from rig.core.documents import Document
from rig.models.base import Explanation
from rig.models.ngram import NgramModel
from rig.models.tokenizer import AbstractTokenizer

Documents = tuple[Document, ...]


def by_check(model: Any, documents: Documents) -> dict[str, Finding]:
    return {finding.check: finding for finding in audit(model, documents, thorough=False)}


class Shifted(Toy):
    """Reads the distribution of token t + `by` for token t; past the end, that after the whole text."""

    def __init__(self, inner: NgramModel, by: int) -> None:
        super().__init__(inner)
        self._by = by

    def explain(self, document: Document) -> Explanation:
        # One more word, so that there is a distribution after the last token.
        longer = Document(doc_id=document.doc_id, text=f"{document.text} e")
        rows, right = self._explain(longer).logprob, self._explain(document)
        n_tokens = len(right.logprob)
        chosen = np.clip(np.arange(n_tokens) + self._by, 0, len(rows) - 1)
        return Explanation(input_id=right.input_id, bos_id=right.bos_id, eos_id=None, logprob=rows[chosen])


@pytest.mark.parametrize(
    ("by", "sentence"),
    [
        (1, "not shifted: each token was scored after it had been read (on "),
        (-1, "shifted twice: each token was scored without the token before it (on "),
    ],
)
def test_a_distribution_read_one_place_off_is_named(
    ngram: NgramModel, documents: Documents, by: int, sentence: str
) -> None:
    found = by_check(Shifted(ngram, by), documents)
    assert found["shift"].status == "failed"
    assert found["shift"].sentence.startswith(sentence)
    assert "times too high" in found["shift"].effect
    assert [check for check, finding in found.items() if finding.status == "failed"] == ["shift"]


def bigram(tokenizer: AbstractTokenizer, documents: Documents, *, ahead: int) -> Any:
    """From each token to how often each other one stands `ahead` places after it, smoothed, as logarithms."""
    counts = np.full((tokenizer.vocab_size, tokenizer.vocab_size), 0.01)
    for document in documents:
        ids = np.concatenate([[tokenizer.bos_id], tokenizer.encode(document.text).token_id])
        np.add.at(counts, (ids[: len(ids) - ahead], ids[ahead:]), 1.0)
    return np.log(counts / counts.sum(axis=1, keepdims=True))


class Bigram(Toy):
    """Predicts from the token just read what was learnt to follow it."""

    def __init__(self, inner: NgramModel, table: Any) -> None:
        super().__init__(inner)
        self._table = table

    def explain(self, document: Document) -> Explanation:
        right = self._explain(document)
        return Explanation(
            input_id=right.input_id, bos_id=right.bos_id, eos_id=None, logprob=self._table[right.input_id]
        )


def test_a_bigram_model_is_right(
    ngram: NgramModel, tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    found = by_check(Bigram(ngram, bigram(tokenizer, documents, ahead=1)), documents)
    assert {finding.status for finding in found.values()} == {"passed"}


def test_labels_shifted_twice_in_training_are_told_from_scores_read_too_late(
    ngram: NgramModel, tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    """The model predicts the token after next; no distribution has read its own token."""
    found = by_check(Bigram(ngram, bigram(tokenizer, documents, ahead=2)), documents)
    assert found["shift"].status == "failed"
    assert found["shift"].sentence.startswith("one token too far: ")
    assert "were labels shifted twice in training?" in found["shift"].sentence


def test_labels_not_shifted_in_training_make_a_model_that_repeats(
    ngram: NgramModel, tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    found = by_check(Bigram(ngram, bigram(tokenizer, documents, ahead=0)), documents)
    assert found["shift"].status == "not checked"
    assert "trained on labels that were not shifted" in found["shift"].sentence


def test_a_unigram_model_depends_on_nothing_and_is_not_called_shifted(
    ngram: NgramModel, tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    counts = np.exp(bigram(tokenizer, documents, ahead=1)).mean(axis=0)
    table = np.broadcast_to(np.log(counts), (tokenizer.vocab_size, tokenizer.vocab_size))
    found = by_check(Bigram(ngram, table), documents)
    assert [check for check, finding in found.items() if finding.status == "failed"] == []
    assert found["shift"].status == "not checked"


class Leaks(Toy):
    """Adds to every distribution a preference that the whole text decides."""

    def __init__(self, inner: NgramModel, strength: float) -> None:
        super().__init__(inner)
        self._strength = strength

    def explain(self, document: Document) -> Explanation:
        right = self._explain(document)
        rows: Rows = right.logprob.copy()
        rows[:, 1] += self._strength * (hash_of(document.text) - 0.5)
        total = np.log(np.exp(rows).sum(axis=1, keepdims=True))
        return Explanation(input_id=right.input_id, bos_id=right.bos_id, eos_id=None, logprob=rows - total)


def hash_of(text: str) -> float:
    """A number in [0, 1) that depends on all of a text, the same in every process."""
    return sum((index + 1) * ord(character) for index, character in enumerate(text)) * 0.6180339887 % 1.0


def test_a_small_leak_of_the_whole_text_is_seen_in_the_scores(
    ngram: NgramModel, documents: Documents
) -> None:
    found = by_check(Leaks(ngram, 20.0), documents)
    assert [check for check, finding in found.items() if finding.status == "failed"] == ["causal leak"]
    assert found["causal leak"].sentence.startswith("the future leaks: ")
    assert found["token itself"].status == "not checked"

"""A masked model that sees what is hidden, attends to padding, or draws at random."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from rig.audit.checks import audit
from rig.audit.finding import Finding
from rig.core.documents import Document
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel, Filled, Gaps
from rig.models.tokenizer import AbstractTokenizer, Encoding

Documents = tuple[Document, ...]


class Neighbours(AbstractLanguageModel):
    """Predicts a token from the visible ones beside it, by a fixed table; a hidden neighbour is id 0."""

    objective = "masked"
    max_tokens = 64

    def __init__(self, tokenizer: AbstractTokenizer) -> None:
        self._tokenizer = tokenizer
        self._left, self._right = np.random.default_rng(5).normal(size=(2, tokenizer.vocab_size, 400))

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        return [self._tokenizer.encode(text) for text in texts]

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        found = []
        for document in documents:
            encoding = self._tokenizer.encode(document.text)
            everywhere = np.arange(len(encoding))
            logprob = [
                self._filled(Gaps(token_id=encoding.token_id, hidden=one, asked=one)).logprob
                for one in everywhere[:, None]
            ]
            found.append(
                TokenScores(
                    doc_id=document.doc_id,
                    token_id=encoding.token_id,
                    char_start=encoding.char_start,
                    char_end=encoding.char_end,
                    logprob=np.concatenate([np.zeros(0), *logprob]),
                    n_chars=document.n_chars,
                )
            )
        return found

    def fill(self, gaps: Sequence[Gaps]) -> list[Filled]:
        return [self._filled(one) for one in gaps]

    def _filled(self, gaps: Gaps) -> Filled:
        seen = np.concatenate([[0], self._seen(gaps), [0]])
        logits = self._left[seen[gaps.asked]] + self._right[seen[gaps.asked + 2]]
        logprob = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return Filled(
            logprob=logprob[np.arange(len(gaps.asked)), gaps.token_id[gaps.asked]],
            predicted=logits.argmax(axis=1),
        )

    def _seen(self, gaps: Gaps) -> Any:
        seen = gaps.token_id.copy()
        seen[gaps.hidden] = 0
        return seen


class SeesWhatIsHidden(Neighbours):
    """Hides only what it is asked for, and looks four tokens away."""

    def _filled(self, gaps: Gaps) -> Filled:
        right = super()._filled(gaps)
        beside = np.minimum(gaps.asked + 4, len(gaps.token_id) - 1)
        return Filled(logprob=right.logprob - 0.01 * (gaps.token_id[beside] % 7), predicted=right.predicted)


class AttendsToPadding(Neighbours):
    def fill(self, gaps: Sequence[Gaps]) -> list[Filled]:
        longest = max(len(one.token_id) for one in gaps)
        return [
            Filled(logprob=filled.logprob - 0.01 * (longest - len(one.token_id)), predicted=filled.predicted)
            for one, filled in zip(gaps, super().fill(gaps), strict=True)
        ]


class Random(Neighbours):
    def __init__(self, tokenizer: AbstractTokenizer) -> None:
        super().__init__(tokenizer)
        self._rng = np.random.default_rng(1)

    def fill(self, gaps: Sequence[Gaps]) -> list[Filled]:
        return [
            Filled(
                logprob=filled.logprob - self._rng.uniform(0, 1, len(filled.logprob)),
                predicted=filled.predicted,
            )
            for filled in super().fill(gaps)
        ]


class GivesTooFew(Neighbours):
    def fill(self, gaps: Sequence[Gaps]) -> list[Filled]:
        return super().fill(gaps)[:-1]


class Infinite(Neighbours):
    def fill(self, gaps: Sequence[Gaps]) -> list[Filled]:
        return [
            Filled(logprob=filled.logprob - np.inf, predicted=filled.predicted)
            for filled in super().fill(gaps)
        ]


class OnlyScores(AbstractLanguageModel):
    objective = "masked"

    def __init__(self, tokenizer: AbstractTokenizer) -> None:
        self._inner = Neighbours(tokenizer)

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        return self._inner.score(documents)


def audited(model: AbstractLanguageModel, documents: Documents) -> dict[str, Finding]:
    return {finding.check: finding for finding in audit(model, documents, thorough=False)}


def test_a_right_masked_model_passes_every_check_of_its_own(
    tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    found = audited(Neighbours(tokenizer), documents)
    assert {check: finding.status for check, finding in found.items()} == dict.fromkeys(
        (
            "scores", "two calls", "own score", "batching", "windows",
            "fill twice", "hidden originals", "fill in a batch",
        ),
        "passed",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("adapter", "check", "sentence"),
    [
        (SeesWhatIsHidden, "hidden originals", "hidden tokens are seen: "),
        (AttendsToPadding, "fill in a batch", "padding is attended to: in a batch of unequal lengths"),
        (
            Random,
            "fill twice",
            "two calls differ: 0 predictions change and log-probabilities differ",
        ),
        (
            GivesTooFew,
            "fill twice",
            "the model raised ModelError: `fill` must give",
        ),
        (Infinite, "fill twice", "the model raised ModelError: `fill` gave a log-probability that is not"),
    ],
)
def test_a_wrong_masked_model_is_caught_by_its_own_sentence(
    adapter: type[Neighbours], check: str, sentence: str, tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    found = audited(adapter(tokenizer), documents)
    (finding,) = (finding for finding in found.values() if finding.status == "failed")
    assert finding.check == check
    assert finding.sentence.startswith(sentence)


def test_a_masked_model_that_fills_nothing_is_told_what_to_implement(
    tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    found = audited(OnlyScores(tokenizer), documents)
    assert found["fill twice"].status == "not checked"
    assert found["fill twice"].sentence == (
        "the model has no `encode` and `fill`; implement rig.models.base.FillsMasks"
    )
    assert not any(finding.status == "failed" for finding in found.values())

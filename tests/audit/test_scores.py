"""Checks that need nothing but scores: unknown tokens, batches in half precision, text past the window."""

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest
from toy_adapters import Toy

from rig.audit.checks import audit
from rig.audit.finding import Finding, perplexity_effect
from rig.audit.probe import Probe, mean_nats
from rig.core.documents import Document
from rig.core.token_scores import TokenScores
from rig.models.kneser_ney import KneserNey
from rig.models.ngram import NgramModel
from rig.models.tokenizer import train_tokenizer
from rig.models.uniform import UniformModel

Documents = tuple[Document, ...]


def by_check(findings: Sequence[Finding]) -> dict[str, Finding]:
    return {finding.check: finding for finding in findings}


def only_failure(model: Toy, documents: Documents) -> Finding:
    (finding,) = (f for f in audit(model, documents, thorough=False) if f.status == "failed")
    return finding


def test_the_rate_of_unknown_words_is_stated_and_their_spelling_is_no_fault(documents: Documents) -> None:
    tokenizer = train_tokenizer({"type": "word", "vocab_size": 30}, [d.text for d in documents])
    counts = KneserNey.count(
        [tokenizer.encode(document.text).token_id for document in documents],
        order=3,
        vocab_size=tokenizer.vocab_size,
        bos_id=tokenizer.bos_id,
    )
    model = NgramModel(tokenizer, counts)
    probe = Probe(model, documents, thorough=False)
    n_tokens = sum(scores.n_tokens for scores in probe.scores)
    n_unknown = sum(int((scores.token_id == tokenizer.unk_id).sum()) for scores in probe.scores)
    found = by_check(audit(model, documents, thorough=False))
    assert n_unknown > 5
    said = f"{n_unknown} of them ({n_unknown / n_tokens:.1%}) are the unknown token"
    assert found["scores"].sentence.endswith(said)
    assert found["score of the distribution"].status == "passed"
    uniform = by_check(audit(UniformModel(tokenizer), documents, thorough=False))
    assert uniform["own score"].status == uniform["score of the distribution"].status == "passed"


class CutOff(Toy):
    """Everything past 100 tokens costs nothing, as if it had been predicted for certain."""

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        found = super().score(documents)
        for scores in found:
            scores.logprob[100:] = 0.0
        return found


def test_text_past_the_window_at_no_cost_is_named(ngram: NgramModel, documents: Documents) -> None:
    finding = only_failure(CutOff(ngram), documents)
    whole = ngram.score([Probe(ngram, documents, thorough=False).long_document])[0]
    n = whole.n_tokens
    assert finding.check == "windows"
    assert finding.sentence.startswith(f"{n - 100} of the {n} tokens of a text of {whole.n_chars} characters")
    kept = -whole.logprob[:100].mean()
    assert finding.effect == perplexity_effect(kept * 100 / n, kept)


class FailsOnLongTexts(Toy):
    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        if any(document.n_chars > 500 for document in documents):
            raise IndexError("position 64 is out of range\n for 64 positions")
        return super().score(documents)


def test_a_text_that_is_too_long_is_a_finding_in_one_line(ngram: NgramModel, documents: Documents) -> None:
    finding = only_failure(FailsOnLongTexts(ngram), documents)
    assert finding.check == "windows"
    assert finding.sentence == ("the model raised IndexError: position 64 is out of range for 64 positions")


class MovesWithTheBatch(Toy):
    """Each score is off by `nats` times the number of other texts in the batch, up and down in turn."""

    nats = 0.0

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        return [
            dataclasses.replace(
                scores,
                logprob=scores.logprob - self.nats * (len(documents) - 1) * (np.arange(scores.n_tokens) % 2),
            )
            for scores in super().score(documents)
        ]


@pytest.mark.parametrize(
    ("nats", "sentence"),
    [
        (1e-6, None),
        (1e-3, "padding is attended to, or the arithmetic is in half precision (compute in float32): in a "),
        (1e-1, "padding is attended to, or positions are counted from it: in a batch of unequal lengths "),
    ],
)
def test_scores_that_move_with_the_batch_are_told_from_rounding(
    ngram: NgramModel, documents: Documents, nats: float, sentence: str | None
) -> None:
    model = MovesWithTheBatch(ngram)
    model.nats = nats
    found = by_check(audit(model, documents, thorough=False))
    if sentence is None:
        assert found["batching"].status == "passed"
        return
    finding = only_failure(model, documents)
    probe = Probe(model, documents, thorough=False)
    assert finding.check == "batching"
    assert finding.sentence.startswith(sentence)
    assert f"differs by up to {5 * nats:.3g} nats" in finding.sentence
    together = mean_nats(probe.score_together(probe.documents))
    assert finding.effect == perplexity_effect(together, mean_nats(probe.scores))

"""Checks that need nothing but scores: unknown tokens, batches in half precision, text past the window."""

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest
from toy_adapters import Ids, Toy

from rig.audit.checks import audit
from rig.audit.finding import Finding, perplexity_effect
from rig.audit.probe import Probe, mean_nats
from rig.core.documents import Document
from rig.core.token_scores import TokenScores
from rig.models.base import Explanation
from rig.models.kneser_ney import KneserNey
from rig.models.ngram import NgramModel
from rig.models.tokenizer import AbstractTokenizer, train_tokenizer
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
    assert uniform["score of the distribution"].status == uniform["own score"].status == "passed"
    assert found["own score"].sentence == "the tokens of a text have scores of their own"


def test_texts_that_share_one_score_are_told_from_scores_of_their_own(
    documents: Documents, tokenizer: AbstractTokenizer
) -> None:
    uniform = UniformModel(tokenizer)
    of_six = by_check(audit(uniform, documents, thorough=False))["own score"]
    assert of_six.status == "passed"
    assert of_six.sentence.startswith("all tokens of 6 texts share one score, as a uniform model's do")
    of_one = by_check(audit(uniform, documents[:1], thorough=False))["own score"]
    assert of_one.status == "not checked"
    assert of_one.sentence.endswith("the only text share one score: a uniform model's, or a mean")


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
    """Scores are off by `nats` times the number of other texts: every second token's, or all up and down."""

    nats = 0.0
    is_one_way = True

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        found = []
        for scores in super().score(documents):
            odd = np.arange(scores.n_tokens) % 2
            moved = self.nats * (len(documents) - 1) * (odd if self.is_one_way else 2 * odd - 1)
            found.append(dataclasses.replace(scores, logprob=scores.logprob - moved))
        return found

    def explain(self, document: Document) -> Explanation:
        explanation = super().explain(document)
        return dataclasses.replace(explanation, logprob=explanation.logprob - 1.0)


def moved_by(ngram: NgramModel, documents: Documents, nats: float, *, is_one_way: bool) -> Finding:
    model = MovesWithTheBatch(ngram)
    model.nats, model.is_one_way = nats, is_one_way
    return by_check(audit(model, documents, thorough=False))["batching"]


@pytest.mark.parametrize("is_one_way", [False, True])
def test_rounding_in_float32_is_no_fault(ngram: NgramModel, documents: Documents, is_one_way: bool) -> None:
    finding = moved_by(ngram, documents, 1e-6, is_one_way=is_one_way)
    assert finding.status == "passed"
    assert finding.sentence.endswith("have the same scores alone and in a batch, to 0.0001 nats")


def test_rounding_in_half_precision_is_stated_and_no_fault(ngram: NgramModel, documents: Documents) -> None:
    """A checkpoint in bfloat16 moves by hundredths of a nat, without direction."""
    finding = moved_by(ngram, documents, 4e-4, is_one_way=False)
    assert finding.status == "passed"
    assert "alone and in a batch, to 0.002 nats a token and " in finding.sentence
    assert finding.sentence.endswith("% of perplexity (half precision)")


@pytest.mark.parametrize(("nats", "is_one_way"), [(1e-3, True), (1e-1, True), (1e-1, False)])
def test_a_move_with_a_direction_or_of_size_is_padding(
    ngram: NgramModel, documents: Documents, nats: float, is_one_way: bool
) -> None:
    finding = moved_by(ngram, documents, nats, is_one_way=is_one_way)
    assert finding.status == "failed"
    assert finding.sentence.startswith("padding is attended to, or positions are counted from it: in a batch")
    assert f"differs by up to {5 * nats:.3g} nats" in finding.sentence
    alone = mean_nats(Probe(ngram, documents, thorough=False).scores) + 1.0
    share = np.concatenate(
        [np.arange(s.n_tokens) % 2 for s in Probe(ngram, documents, thorough=False).scores]
    ).mean()
    moved = 5 * nats * (share if is_one_way else 2 * share - 1)
    assert finding.effect == perplexity_effect(alone + moved, alone)


class MovesWithLength(MovesWithTheBatch):
    """Scores move by 1e-3 with the length of the text, too."""

    is_one_way = False

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        return [
            dataclasses.replace(scores, logprob=scores.logprob - 1e-3 * (scores.n_chars % 2) * even(scores))
            for scores in super().score(documents)
        ]


def even(scores: TokenScores) -> Ids:
    return 1 - np.arange(scores.n_tokens) % 2


def test_a_leak_is_held_against_the_rounding_that_batches_show(
    ngram: NgramModel, documents: Documents
) -> None:
    """In half precision it is rounding, in float32 a leak."""
    in_float32, in_half = MovesWithLength(ngram), MovesWithLength(ngram)
    in_half.nats = 1e-3
    of_float32, of_half = (
        by_check(audit(model, documents, thorough=False)) for model in (in_float32, in_half)
    )
    assert of_float32["batching"].status == of_half["batching"].status == "passed"
    assert of_float32["causal leak"].status == "failed"
    assert of_half["causal leak"].status == "passed"

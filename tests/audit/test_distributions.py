"""Bases, logits, a softmax too many, and scores that are not those of their distributions."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from toy_adapters import Rows, Toy

from rig.audit.checks import audit
from rig.audit.distributions import _before_softmax
from rig.audit.finding import Finding, perplexity_effect
from rig.audit.probe import Probe, mean_nats
from rig.core.documents import Document
from rig.models.ngram import NgramModel

Documents = tuple[Document, ...]


def log_softmax(logits: Any) -> Any:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def failures(model: Toy, documents: Documents) -> list[Finding]:
    return [finding for finding in audit(model, documents, thorough=False) if finding.status == "failed"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_right_model_passes_in_either_precision(
    ngram: NgramModel, documents: Documents, dtype: Any
) -> None:
    model = Toy(ngram, rows=lambda rows: rows.astype(dtype), scores=lambda scores: np.minimum(scores, 0.0))
    assert {finding.status for finding in audit(model, documents, thorough=False)} == {"passed"}


@pytest.mark.parametrize(
    ("rows", "check", "sentence"),
    [
        (lambda rows: rows / math.log(2.0), "sum to one", "base 2: the powers of 2 sum to one"),
        (lambda rows: rows / math.log(10.0), "sum to one", "base 10: the powers of 10 sum to one"),
        (lambda rows: rows - 3.0, "sum to one", "not normalised: the distributions sum to 0.04979 up to"),
        (lambda rows: log_softmax(np.exp(rows)), "softmax once", "softmax was taken twice: all"),
        (
            lambda rows: log_softmax(np.exp(rows).astype(np.float32)),
            "softmax once",
            "softmax was taken twice: all",
        ),
        (lambda rows: rows[:-1], "scores", "the model raised IndexError"),
    ],
    ids=["base 2", "base 10", "logits", "softmax twice", "softmax twice in float32", "a row short"],
)
def test_wrong_distributions_are_named(
    ngram: NgramModel, documents: Documents, rows: Callable[[Rows], Rows], check: str, sentence: str
) -> None:
    (finding,) = failures(Toy(ngram, rows=rows), documents)
    assert finding.check == check
    assert finding.sentence.startswith(sentence)


class WrongOnlyInExplain(Toy):
    """Scores are right."""

    def score(self, documents: Any) -> Any:
        return self._inner.score(documents)


@pytest.mark.parametrize(
    ("rows", "check", "sentence"),
    [
        (np.exp, "sum to one", "probabilities, where their logarithms are due"),
        (
            lambda rows: np.where(rows < -2.0, np.nan, rows),
            "distributions",
            "the model raised ModelError: `exp",
        ),
        (lambda rows: rows[1:], "distributions", "the model raised ModelError: `explain` must give an array"),
        (lambda rows: rows[:, :3], "distributions", "the model raised ModelError: a token has id"),
        (
            lambda rows: rows[:, ::-1],
            "score of the distribution",
            "scores and distributions disagree: ",
        ),
    ],
    ids=["probabilities", "nan", "a row short", "columns short", "other ids"],
)
def test_an_explanation_that_is_none_is_named(
    ngram: NgramModel, documents: Documents, rows: Callable[[Rows], Rows], check: str, sentence: str
) -> None:
    (finding,) = (f for f in failures(WrongOnlyInExplain(ngram, rows=rows), documents) if f.check != "shift")
    assert finding.check == check
    assert finding.sentence.startswith(sentence)


class ScoredByOtherRows(Toy):
    """Explains itself rightly, and reads its scores elsewhere."""

    def explain(self, document: Document) -> Any:
        return self._explain(document)

    def _read(self, document: Document) -> Rows:
        return self._rows(self._explain(document).logprob)


@pytest.mark.parametrize(
    ("rows", "cause"),
    [
        (lambda rows: rows / math.log(2.0), "base 2"),
        (lambda rows: rows / math.log(10.0), "base 10"),
        (lambda rows: log_softmax(np.exp(rows)), "softmax was taken twice"),
        (
            lambda rows: np.roll(rows, -1, axis=0),
            "not shifted (each token was scored after it had been read)",
        ),
        (
            lambda rows: rows[np.maximum(np.arange(len(rows)) - 1, 0)],
            "shifted twice (each token was scored without the one before)",
        ),
        (lambda rows: rows - 0.5, "scores and distributions disagree"),
    ],
)
def test_a_score_read_elsewhere_than_explained_is_named(
    ngram: NgramModel, documents: Documents, rows: Callable[[Rows], Rows], cause: str
) -> None:
    (finding,) = failures(
        ScoredByOtherRows(ngram, rows=rows, scores=lambda scores: np.minimum(scores, 0.0)), documents
    )
    assert finding.check == "score of the distribution"
    assert finding.sentence.startswith(f"{cause}: ")


def test_the_effect_of_a_second_softmax_is_measured_against_the_first(
    ngram: NgramModel, documents: Documents
) -> None:
    def twice(rows: Rows) -> Rows:
        return log_softmax(np.exp(rows))

    right, given_nats = (
        mean_nats([scores for scores, _ in Probe(model, documents, thorough=False).explained])
        for model in (ngram, Toy(ngram, rows=twice))
    )
    (finding,) = failures(Toy(ngram, rows=twice), documents)
    assert finding.effect == perplexity_effect(given_nats, right)


@given(arrays.arrays(np.float64, st.integers(2, 50), elements=st.floats(-30, 30)))
def test_what_stood_before_a_second_softmax_is_recovered(logits: Any) -> None:
    probability = np.exp(log_softmax(logits))
    recovered = _before_softmax(log_softmax(probability))
    assert recovered is not None
    np.testing.assert_allclose(recovered, probability, rtol=0, atol=1e-12)


@given(st.integers(3, 2000), st.floats(0.5, 30.0))
def test_a_distribution_with_one_likely_token_has_nothing_behind_it(n_ids: int, lead: float) -> None:
    """Its other entries lie below the mean by more than 1 / V."""
    logits = np.zeros(n_ids)
    logits[0] = lead + math.log(n_ids)
    assert _before_softmax(log_softmax(logits)) is None


@pytest.mark.parametrize("spread", [0.0, 1e-6, 1e-4, 1e-3])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_nearly_uniform_model_has_not_taken_softmax_twice(
    ngram: NgramModel, documents: Documents, spread: float, seed: int
) -> None:
    """An untrained model: its noise is small enough to meet the criterion, and knows nothing of the text."""

    def nearly_uniform(rows: Rows) -> Rows:
        noise = np.random.default_rng(seed).standard_normal(rows.shape[1])
        return log_softmax(np.broadcast_to(spread * noise, rows.shape))

    findings = audit(Toy(ngram, rows=nearly_uniform), documents, thorough=False)
    assert not [finding for finding in findings if finding.status == "failed"]

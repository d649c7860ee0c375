"""Checks of the distributions behind the scores: sums, bases, a softmax too many, and the scores read there.

They need `explain`. That two softmaxes were taken is seen exactly: if q = softmax(p) of V numbers p that sum
to one, then p = log q - mean(log q) + 1/V, and no p is below 0. A flat distribution could meet that too, so
the p are also held against the text: probabilities that were flattened know it better than what was made of
them; noise around a uniform distribution doesn't.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from rig.audit.finding import Verdict, failed, passed, perplexity_effect
from rig.audit.probe import Probe
from rig.audit.rounding import TOLERANCE_NATS
from rig.core.errors import ModelError
from rig.core.token_scores import TokenScores
from rig.core.units import NATS_PER_BIT

Floats = npt.NDArray[np.float64]

_SUM_TOLERANCE = 1e-3
_RELATIVE_TOLERANCE = 1e-4
_CLEARLY_BETTER_NATS = 0.1
_LEAST_LOGPROB = -50.0
_LEAST_PROBABILITY = 1e-7
"""What a recovered probability is cut off at: below it stands rounding in float32."""


def distributions(probe: Probe) -> Verdict:
    """`explain` gives one distribution a token, over the whole vocabulary, without NaN."""
    n_rows, n_ids, longest = 0, 0, 0
    for scores, rows in _scored_rows(probe):
        if rows.ndim != 2 or len(rows) != scores.n_tokens:
            raise ModelError(
                f"`explain` must give an array of ({scores.n_tokens}, V) for {scores.n_tokens} tokens, "
                f"got shape {rows.shape}"
            )
        if np.isnan(rows).any() or np.isposinf(rows).any():
            raise ModelError(f"`explain` gave {int((~np.isfinite(rows)).sum())} values that are no logarithm")
        if scores.n_tokens and int(scores.token_id.max()) >= rows.shape[1]:
            raise ModelError(
                f"a token has id {scores.token_id.max()}, but its distribution has {rows.shape[1]} entries"
            )
        n_rows, n_ids = n_rows + len(rows), rows.shape[1]
        longest = max(longest, scores.n_chars)
    return passed(
        f"{n_rows} distributions over {n_ids} ids, one a token, in texts up to {longest} characters"
    )


def sum_to_one(probe: Probe) -> Verdict:
    """Each distribution sums to one in natural logarithms: not in base 2, not a probability, not a logit."""
    rows = np.concatenate([rows for _, rows in _scored_rows(probe)])
    if _sum_to_one(rows, base=math.e):
        return passed(f"{len(rows)} distributions sum to one")
    if _sum_to_one(rows, base=2.0):
        cause, right = "base 2: the powers of 2 sum to one, those of e don't", _times(NATS_PER_BIT)
    elif _sum_to_one(rows, base=10.0):
        cause, right = "base 10: the powers of 10 sum to one, those of e don't", _times(math.log(10.0))
    elif (rows >= 0).all() and (np.abs(rows.sum(axis=1) - 1.0) <= _SUM_TOLERANCE).all():
        cause, right = "probabilities, where their logarithms are due", _log
    else:
        sums = _sums(rows, base=math.e)
        cause = f"not normalised: the distributions sum to {sums.min():.4g} up to {sums.max():.4g} (logits?)"
        right = _normalised
    given = -np.concatenate([scores.logprob for scores, _ in probe.explained]).mean()
    return failed(cause, perplexity_effect(given, -_of_tokens(probe, right).mean()))


def score_is_distributions(probe: Probe) -> Verdict:
    """Each token's score is its entry in its distribution, but for the spelling of an unknown token."""
    n_wrong, worst, n_tokens = 0, 0.0, 0
    for scores, rows in _scored_rows(probe):
        difference = np.abs(scores.logprob - rows[np.arange(len(rows)), scores.token_id])
        difference = difference[scores.token_id != probe.model.unk_id]
        tolerance = TOLERANCE_NATS + _RELATIVE_TOLERANCE * np.abs(scores.logprob).max(initial=0.0)
        n_wrong += int((difference > tolerance).sum())
        worst = max(worst, float(difference.max(initial=0.0)))
        n_tokens += len(difference)
    if not n_wrong:
        return passed(f"the scores of {n_tokens} tokens are those of their distributions")
    given = np.concatenate([scores.logprob for scores, _ in probe.explained])
    return failed(
        f"{_cause(probe)}: {n_wrong} of {n_tokens} scores are not what `explain` says of their tokens, by up "
        f"to {worst:.3g} nats",
        perplexity_effect(-given.mean(), -_of_tokens(probe, lambda rows: rows).mean()),
    )


def softmax_once(probe: Probe) -> Verdict:
    """The logits were logits, not probabilities already."""
    recovered = []
    for scores, rows in _scored_rows(probe):
        for row, token in zip(rows, scores.token_id, strict=True):
            probability = _before_softmax(row)
            if probability is None:
                return passed("no distribution is the softmax of another: softmax was taken once")
            recovered.append(max(float(probability[token]), _LEAST_PROBABILITY))
    given = -_of_tokens(probe, lambda rows: rows).mean()
    right = -np.log(recovered).mean()
    if given - right < _CLEARLY_BETTER_NATS:
        return passed("the distributions are nearly uniform, and no sharper ones lie behind them")
    return failed(
        f"softmax was taken twice: all {len(recovered)} distributions are the softmax of probabilities, none "
        "of which is below 0, and these know the text better",
        perplexity_effect(given, right),
    )


def _scored_rows(probe: Probe) -> Iterator[tuple[TokenScores, Floats]]:
    """Of each text, its scores and its distributions in float64."""
    for scores, explanation in probe.explained:
        yield scores, np.asarray(explanation.logprob, dtype=np.float64)


def _of_tokens(probe: Probe, transform: Callable[[Floats], Floats]) -> Floats:
    """The entry of every token in its distribution, transformed, and cut off below."""
    entries = np.concatenate(
        [transform(rows)[np.arange(len(rows)), scores.token_id] for scores, rows in _scored_rows(probe)]
    )
    cut_off: Floats = np.maximum(entries, _LEAST_LOGPROB)
    return cut_off


def _sums(rows: Floats, *, base: float) -> Floats:
    with np.errstate(over="ignore"):
        sums: Floats = np.power(base, rows).sum(axis=1)
    return sums


def _sum_to_one(rows: Floats, *, base: float) -> bool:
    return bool((np.abs(_sums(rows, base=base) - 1.0) <= _SUM_TOLERANCE).all())


def _times(factor: float) -> Callable[[Floats], Floats]:
    return lambda rows: rows * factor


def _log(rows: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        logarithms: Floats = np.log(rows)
    return logarithms


def _normalised(rows: Floats) -> Floats:
    peak = rows.max(axis=1, keepdims=True)
    normalised: Floats = rows - peak - np.log(np.exp(rows - peak).sum(axis=1, keepdims=True))
    return normalised


def _cause(probe: Probe) -> str:
    """The usual ways to read a wrong score from right distributions, and whether it is one of them."""
    usual: dict[str, Callable[[Floats], Floats]] = {
        "base 2": lambda rows: rows / NATS_PER_BIT,
        "base 10": lambda rows: rows / math.log(10.0),
        "softmax was taken twice": lambda rows: _normalised(np.exp(rows)),
        "not shifted (each token was scored after it had been read)": lambda rows: np.roll(rows, -1, 0),
        "shifted twice (each token was scored without the one before)": lambda rows: np.roll(rows, 1, 0),
    }
    for cause, transform in usual.items():
        if all(
            np.allclose(
                scores.logprob[1:-1],
                transform(rows)[np.arange(len(rows)), scores.token_id][1:-1],
                rtol=_RELATIVE_TOLERANCE,
                atol=TOLERANCE_NATS,
            )
            for scores, rows in _scored_rows(probe)
        ):
            return cause
    return "scores and distributions disagree"


def _before_softmax(row: Floats) -> Floats | None:
    """The probabilities whose softmax a distribution would be, or None if some would be below 0."""
    finite = np.isfinite(row)
    n_ids = int(finite.sum())
    probability = np.where(finite, row - row[finite].mean() + 1.0 / n_ids, 0.0)
    rounding = 16.0 * np.finfo(np.float32).eps * np.abs(row[finite]).max(initial=1.0)
    return None if probability.min() < -rounding else probability

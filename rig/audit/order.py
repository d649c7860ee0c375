"""Checks of order: each token is predicted from all that precedes it, from nothing else, and scored there.

Two kinds of evidence. On text that the model knows, a token is likeliest under the distribution that was made
for it, and not under its neighbours'. And where two texts part at token k, a causal model's distributions are
equal up to the one for k and differ in the one after; this needs no knowledge of the text. Both are needed:
an untrained model with tied embeddings repeats the token that it has just read, and looks shifted to the
first kind alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

import numpy as np
import numpy.typing as npt

from rig.audit.finding import Verdict, failed, not_checked, passed, perplexity_effect
from rig.audit.probe import Pair, Probe, shared_tokens
from rig.audit.rounding import TOLERANCE_NATS
from rig.audit.scores import rounding_nats
from rig.core.token_scores import TokenScores

Floats = npt.NDArray[np.float64]
Shift = Literal[-1, 0, 1]

_SHIFTS: tuple[Shift, ...] = (-1, 0, 1)
_CLEAR_NATS = 0.2
_CLEAR_STANDARD_ERRORS = 3.0
_CHANGED = 0.02
"""Total variation above which a distribution has changed; arithmetic in half precision stays below."""
_LEAST_LOGPROB = -50.0
_ROUNDING_FACTOR = 3.0
"""Pairs of texts differ in length as texts in a batch do, but they are others."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """How distributions change where two texts part at token k: the largest total variation, in [0, 1]."""

    before: float
    """Of the distributions of the tokens before k. Above 0: they have seen later text."""
    itself: float
    """Of the distribution for token k. Above 0: it has seen token k."""
    after: float
    """Of the distribution for token k + 1. 0: it has not seen token k."""


def shift(probe: Probe) -> Verdict:
    """The distribution that a token is scored by was made before the token was read, and just before."""
    nats = _nats_by_shift(probe)
    if not len(nats):
        return not_checked("no text has three tokens")
    unshifted, now, twice = (float(nats[:, _SHIFTS.index(s)].mean()) for s in (1, 0, -1))
    lowest, dependence = _lowest(nats), _dependence(probe)
    seen = (
        f"on {len(nats)} tokens {now:.2f} nats under their own distribution, {unshifted:.2f} under the one "
        f"before, {twice:.2f} under the one after"
    )
    if lowest == 0:
        return passed(f"{seen}: their own is the right one")
    if lowest == -1 and dependence is not None and dependence.after > _CHANGED:
        return not_checked(
            f"{seen}: the model repeats the token that it has just read, so it does not know the text "
            "(untrained, or trained on labels that were not shifted)"
        )
    if lowest == -1:
        return failed(
            f"shifted twice: each token was scored without the token before it ({seen})",
            perplexity_effect(now, twice),
        )
    if _has_read_itself(dependence):
        return failed(
            f"not shifted: each token was scored after it had been read ({seen}; its distribution changes "
            "with the token itself)",
            perplexity_effect(now, unshifted),
        )
    if lowest == 1:
        return failed(
            "one token too far: each distribution is of the token after the one scored, though it was made "
            f"before either was read; were labels shifted twice in training? ({seen})",
            perplexity_effect(now, unshifted),
        )
    return not_checked(
        f"the model does not know the text: {seen}; the differences are within noise, so train it longer"
    )


def causal_leak(probe: Probe) -> Verdict:
    """No token's score changes when later text changes, by more than arithmetic does with the batch."""
    n_compared, n_moved, worst = 0, 0, 0.0
    tolerance = max(TOLERANCE_NATS, _ROUNDING_FACTOR * rounding_nats(probe))
    for pair in probe.pairs:
        one, other, n_shared = _scored_pair(probe, pair)
        moved = np.abs(one.logprob[:n_shared] - other.logprob[:n_shared])
        n_compared += n_shared
        n_moved += int((moved > tolerance).sum())
        worst = max(worst, float(moved.max(initial=0.0)))
    if not n_compared:
        return not_checked("no two texts begin with the same tokens")
    if n_moved:
        return failed(
            f"the future leaks: the scores of {n_moved} of {n_compared} tokens change, by up to {worst:.3g} "
            "nats, when only later text changes",
            "perplexity would be too low, since tokens are predicted from what follows them; how far can't "
            "be told without a causal mask",
        )
    return passed(f"{n_compared} scores are the same, to {tolerance:.3g} nats, whatever text follows")


def token_itself(probe: Probe) -> Verdict:
    """No token's distribution depends on the token itself, on a model whose shift is right."""
    dependence = _dependence(probe)
    if dependence is None:
        return not_checked("no two texts part after tokens that they share")
    if dependence.itself > _CHANGED:
        return failed(
            "the token itself leaks: its distribution changes with the token that it is to predict, by "
            f"{dependence.itself:.2f} in total variation",
            "perplexity would be too low, since each token is predicted from itself; how far can't be "
            "told without a causal mask",
        )
    return passed("where two texts part, the distribution for the first token that differs is the same")


def _nats_by_shift(probe: Probe) -> Floats:
    """(n_tokens, 3) of each inner token: under the distribution after its own, its own, the one before."""
    parts = []
    for scores, explanation in probe.explained:
        rows = np.asarray(explanation.logprob, dtype=np.float64)
        inner = np.arange(1, len(rows) - 1)
        tokens = scores.token_id[inner]
        parts.append(np.stack([-rows[inner - s, tokens] for s in _SHIFTS], axis=1))
    return np.minimum(np.concatenate(parts), -_LEAST_LOGPROB)


def _lowest(nats: Floats) -> Shift | None:
    """The shift under which tokens are clearly likelier than under both others; None if there is none."""
    for index, s in enumerate(_SHIFTS):
        if all(_is_clearly_lower(nats[:, index], nats[:, other]) for other in range(3) if other != index):
            return s
    return None


def _is_clearly_lower(one: Floats, other: Floats) -> bool:
    difference = other - one
    if len(difference) < 2:
        return False
    error = float(difference.std(ddof=1)) / math.sqrt(len(difference))
    return bool(difference.mean() > max(_CLEAR_NATS, _CLEAR_STANDARD_ERRORS * error))


def _dependence(probe: Probe) -> Dependence | None:
    """Over all pairs of texts; None where no two part after a common token."""
    found: list[Sequence[float]] = []
    for pair in probe.parting_pairs:
        one, other, k = _scored_pair(probe, pair)
        if k < 1 or min(one.n_tokens, other.n_tokens) <= k + 1 or one.token_id[k] == other.token_id[k]:
            continue
        rows, others = (
            np.asarray(probe.explain(document).logprob, dtype=np.float64)
            for document in (pair.one, pair.other)
        )
        variation = 0.5 * np.abs(np.exp(rows[: k + 2]) - np.exp(others[: k + 2])).sum(axis=1)
        found.append((float(variation[:k].max()), float(variation[k]), float(variation[k + 1])))
    if not found:
        return None
    before, itself, after = (max(values) for values in zip(*found, strict=True))
    return Dependence(before=before, itself=itself, after=after)


def _has_read_itself(dependence: Dependence | None) -> bool:
    """Whether each distribution has seen its own token, and nothing later."""
    return dependence is not None and dependence.itself > _CHANGED >= dependence.before


def _scored_pair(probe: Probe, pair: Pair) -> tuple[TokenScores, TokenScores, int]:
    """Both texts scored alone, and how many first tokens they share."""
    one, other = probe.score_alone(pair.one), probe.score_alone(pair.other)
    return one, other, shared_tokens(one, other, n_chars=pair.n_common)

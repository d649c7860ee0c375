"""Two-way random effects t: the uncertainty of a paired difference over seeds, and over seeds and documents.

For ratios of sums by linearisation: each document's influence on a kind's pooled ratio stands in for the
document's value, so that long documents count for what they weigh.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import special

from rig.stats.crossed_sums import NEW_SEEDS, NEW_SEEDS_AND_DOCUMENTS, CrossedSums
from rig.stats.replicates import FloatArray, checked_level
from rig.stats.student_t import ONE_SEED, ZERO_VARIANCE, student_t

ONE_DOCUMENT = "one document has no spread"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RandomEffectsT:
    """A t test and interval of a mean paired difference, and the question it answers."""

    question: str
    """`new seeds, these documents` or `new seeds and new documents`."""
    estimate: float
    """Mean over seeds of variant minus baseline, each pooled over documents."""
    se: float | None
    df: float | None
    """Satterthwaite's, not whole, where documents are new too."""
    t: float | None
    p: float | None
    low: float | None
    high: float | None
    reason: str | None
    """Why the rest is None."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TwoWay:
    """One variant against the baseline on one metric."""

    new_seeds: RandomEffectsT
    """The documents are held fixed: the seed-level paired t."""
    new_seeds_and_documents: RandomEffectsT
    """Seeds and documents are both samples."""


def two_way(sums: CrossedSums, *, confidence_level: float) -> tuple[tuple[TwoWay, ...], ...]:
    """Compare every variant with the baseline over seeds, and over seeds and documents.

    With MS_seed, MS_doc, MS_res of the table seeds x documents of paired influences (n x m), the variance of
    the mean for new seeds and documents is (MS_seed + MS_doc - MS_res) / (n m), never taken below MS_seed /
    (n m) or MS_doc / (n m); degrees of freedom by Satterthwaite. Covers 93 to 96% at nominal 95% for normal
    effects at 3 to 20 seeds, where the crossed bootstrap covers 76 to 97%.

    Args:
        sums: The baseline's and variants' sums.
        confidence_level: For example 0.95.

    Returns:
        One row a variant, in the order of `sums.kinds[1:]`; in it one result a metric.
    """
    level = checked_level(confidence_level)
    ratios = sums.ratios()
    base = _influence(sums, 0)
    results = []
    for kind in range(1, len(sums.kinds)):
        offset = ratios[kind].mean(axis=0) - ratios[0].mean(axis=0)
        results.append(_of_variant(sums, ratios, kind, _influence(sums, kind) - base + offset, level))
    return tuple(results)


def _influence(sums: CrossedSums, kind: int) -> FloatArray:
    """(n_seeds, n_docs, n_metrics) whose mean over documents is the seed's ratio minus the mean ratio."""
    weight = sums.weight[kind if len(sums.weight) > 1 else 0]
    mean_ratio = sums.ratios()[kind].mean(axis=0)
    influence: FloatArray = (sums.total[kind] - mean_ratio * weight) / weight.mean(axis=0)
    return influence


def _of_variant(
    sums: CrossedSums, ratios: FloatArray, kind: int, table: FloatArray, confidence_level: float
) -> tuple[TwoWay, ...]:
    differences = ratios[kind] - ratios[0]
    scale = np.maximum(np.abs(ratios[kind]), np.abs(ratios[0])).max(axis=0)
    by_seed = student_t(differences, scale=scale, confidence_level=confidence_level)
    if sums.n_seeds < 2:
        both = [_undefined(NEW_SEEDS_AND_DOCUMENTS, t.mean, ONE_SEED) for t in by_seed]
    elif sums.n_docs < 2:
        both = [_undefined(NEW_SEEDS_AND_DOCUMENTS, t.mean, ONE_DOCUMENT) for t in by_seed]
    else:
        variance, df = _variance_and_df(table)
        both = [
            _test(t.mean, float(variance[j]), float(df[j]), float(scale[j]), confidence_level)
            for j, t in enumerate(by_seed)
        ]
    results = []
    for seed_t, both_t in zip(by_seed, both, strict=True):
        new_seeds = RandomEffectsT(
            question=NEW_SEEDS,
            estimate=seed_t.mean,
            se=seed_t.std / seed_t.n**0.5 if seed_t.t is not None and seed_t.std is not None else None,
            df=None if seed_t.df is None else float(seed_t.df),
            t=seed_t.t,
            p=seed_t.p,
            low=seed_t.low,
            high=seed_t.high,
            reason=seed_t.reason,
        )
        results.append(TwoWay(new_seeds=new_seeds, new_seeds_and_documents=both_t))
    return tuple(results)


def _variance_and_df(table: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Variance of the mean of (n_seeds, n_docs, n_metrics) and its Satterthwaite degrees of freedom."""
    n, m = table.shape[:2]
    seed_mean, doc_mean, mean = table.mean(axis=1), table.mean(axis=0), table.mean(axis=(0, 1))
    residual = table - seed_mean[:, None] - doc_mean[None] + mean
    squares = np.stack(
        [
            m * ((seed_mean - mean) ** 2).sum(axis=0) / (n - 1),
            n * ((doc_mean - mean) ** 2).sum(axis=0) / (m - 1),
            np.einsum("sdm,sdm->m", residual, residual) / ((n - 1) * (m - 1)),
        ]
    )
    df = np.array([n - 1, m - 1, (n - 1) * (m - 1)], dtype=np.float64)[:, None]
    combined = squares[0] + squares[1] - squares[2]
    with np.errstate(divide="ignore", invalid="ignore"):
        satterthwaite = combined**2 / (squares**2 / df).sum(axis=0)
    largest = squares[:2].max(axis=0)
    df_of_largest = np.where(squares[0] >= squares[1], df[0], df[1])
    is_floored = combined <= largest
    return np.where(is_floored, largest, combined) / (n * m), np.where(
        is_floored, df_of_largest, satterthwaite
    )


def _test(
    estimate: float, variance: float, df: float, scale: float, confidence_level: float
) -> RandomEffectsT:
    se = variance**0.5
    if se <= 8.0 * np.finfo(np.float64).eps * scale:
        return _undefined(NEW_SEEDS_AND_DOCUMENTS, estimate, ZERO_VARIANCE)
    t = estimate / se
    half_width = float(special.stdtrit(df, 0.5 + confidence_level / 2.0)) * se
    return RandomEffectsT(
        question=NEW_SEEDS_AND_DOCUMENTS,
        estimate=estimate,
        se=se,
        df=df,
        t=t,
        p=2.0 * float(special.stdtr(df, -abs(t))),
        low=estimate - half_width,
        high=estimate + half_width,
        reason=None,
    )


def _undefined(question: str, estimate: float, reason: str) -> RandomEffectsT:
    return RandomEffectsT(
        question=question,
        estimate=estimate,
        se=None,
        df=None,
        t=None,
        p=None,
        low=None,
        high=None,
        reason=reason,
    )

"""The crossed multibootstrap: seeds and documents resampled together (Sellam et al., MultiBERTs, 2022).

Same resampling as the published algorithm, arranged as matrix products: one matrix of document counts serves
all kinds and metrics, and resamples that drew the same seeds are multiplied together. Two differences in what
is printed: the estimate is the estimate, not the mean of the replicates, and no p is read from the replicates
(at 3 seeds it would be below 0.05 in 15% of null comparisons).
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.errors import DataError
from rig.stats.crossed_sums import NEW_SEEDS_AND_DOCUMENTS, CrossedSums
from rig.stats.replicates import FloatArray, checked_level
from rig.stats.student_t import ONE_SEED

CHUNK = 256
"""Resamples a block at most. Each block has its own child generator, so this is part of the definition."""
_LEAST_SHARING = 20
"""Resamples that must draw the same seeds, on average, for them to be multiplied together."""

EMPTY_RESAMPLE = "a resample of documents holds nothing of this metric"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MultiBootstrap:
    """Percentile interval of one variant's mean difference on one metric."""

    question: str
    """`new seeds and new documents`."""
    estimate: float
    """Mean over seeds of variant minus baseline, each pooled over documents."""
    se: float | None
    """Standard deviation (ddof 1) of the replicates: that is the standard error, not divided again."""
    low: float | None
    high: float | None
    n_resamples: int
    reason: str | None
    """Why se and interval are None."""


def multibootstrap(
    sums: CrossedSums, *, n_resamples: int, confidence_level: float, rng: np.random.Generator
) -> tuple[tuple[MultiBootstrap, ...], ...]:
    """Resample seeds (paired over kinds) and documents (shared by all) with replacement, crossed.

    Document counts are whole and exact; totals are centred on each run's own ratio and multiplied in
    float32, ratios are float64: the error is about 2^-24 sqrt(n_docs) of the standard deviation of a kind's
    own replicates, 1e-5 at 20,000 documents. Every block of resamples has its own generator.

    Args:
        sums: The baseline's and variants' sums.
        n_resamples: 10,000.
        confidence_level: For example 0.95.
        rng: Source of the resamples.

    Returns:
        One row a variant, in the order of `sums.kinds[1:]`; in it one result a metric.

    Raises:
        DataError: `n_resamples` is below 2.
    """
    level = checked_level(confidence_level)
    if n_resamples < 2:
        raise DataError(f"`n_resamples` must be at least 2, got {n_resamples}; use 10000")
    ratios = sums.ratios()
    estimates = (ratios[1:] - ratios[:1]).mean(axis=1)
    if sums.n_seeds < 2:
        bounds = np.full((3, *estimates.shape), np.nan)
        return _results(estimates, bounds, n_resamples, ONE_SEED)
    replicates = _replicates(sums, ratios, n_resamples, rng)
    tail = (1.0 - level) / 2.0
    # A metric that a resample leaves empty is NaN there, and so in all three.
    low, high = np.quantile(replicates, [tail, 1.0 - tail], axis=0)
    bounds = np.stack([replicates.std(axis=0, ddof=1), low, high])
    return _results(estimates, bounds, n_resamples, EMPTY_RESAMPLE)


def _replicates(
    sums: CrossedSums, ratios: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """(n_resamples, n_variants, n_metrics) differences of the resampled means over seeds."""
    n_kinds, n_seeds, n_docs, n_metrics = sums.total.shape
    terms = _linear_terms(sums, ratios)
    entropy = [int(word) for word in rng.integers(0, 2**32, size=8, dtype=np.uint64)]
    drawn = rng.integers(0, n_seeds, size=(n_resamples, n_seeds))
    blocks = _blocks((drawn[:, :, None] == np.arange(n_seeds)).mean(axis=1))
    replicates = np.empty((n_resamples, n_kinds - 1, n_metrics))
    counts = np.empty((CHUNK, n_docs), dtype=np.float32)  # one buffer: fresh pages are slow
    children = np.random.SeedSequence(entropy).spawn(len(blocks))
    mixture, columns = blocks[0].mixture, terms.columns(blocks[0].mixture)
    for block, child in zip(blocks, children, strict=True):
        if block.mixture is not mixture:
            mixture, columns = block.mixture, terms.columns(block.mixture)
        offset = terms.offset @ mixture.T
        size = len(block.rows)
        _draw_document_counts(counts[:size], np.random.Generator(np.random.PCG64(child)))
        gathered = (counts[:size] @ columns).astype(np.float64)
        centred = gathered[:, : offset.size].reshape(size, *offset.shape)
        weight = gathered[:, offset.size :].reshape(size, -1, n_metrics, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = offset + np.where(weight > 0, centred / weight, np.nan)
        differences = values if terms.is_difference else values[:, 1:] - values[:, :1]
        replicates[block.rows] = np.einsum("bkmj,bj->bkm", differences, block.share)
    return replicates


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """Resamples whose documents are multiplied at once."""

    rows: npt.NDArray[np.intp]
    """(size,) which resamples, at most `CHUNK`."""
    mixture: FloatArray
    """(n_mixed, n_seeds) what the seeds' columns are mixed to before the product."""
    share: FloatArray
    """(size, n_mixed) each resample's weights of the mixed columns."""


def _blocks(share: FloatArray) -> list[_Block]:
    """Resamples that drew the same seeds together, so that one column serves where each seed had its own.

    With many seeds few resamples draw the same ones; then the seeds are mixed after the product.

    Args:
        share: (n_resamples, n_seeds) how often each seed was drawn, over the number of seeds.
    """
    n_resamples, n_seeds = share.shape
    if math.comb(2 * n_seeds - 1, n_seeds) * _LEAST_SHARING > n_resamples:
        each = np.eye(n_seeds)
        return [
            _Block(rows=rows, mixture=each, share=share[rows]) for rows in _chunks(np.arange(n_resamples))
        ]
    mixtures, which = np.unique(share, axis=0, return_inverse=True)
    blocks = []
    for index in range(len(mixtures)):
        mixture = mixtures[index : index + 1]
        for rows in _chunks(np.flatnonzero(which == index)):
            blocks.append(_Block(rows=rows, mixture=mixture, share=np.ones((len(rows), 1))))
    return blocks


def _chunks(rows: npt.NDArray[np.intp]) -> list[npt.NDArray[np.intp]]:
    return [rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK)]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _LinearTerms:
    """What counts are multiplied with: a value is offset + (counts @ centred) / (counts @ weight)."""

    offset: FloatArray
    """(n_kinds, n_metrics, n_seeds) ratios, or (n_variants, ...) differences of ratios."""
    centred: npt.NDArray[np.float32]
    """(n_docs, n_kinds, n_metrics, n_seeds) totals about their ratios, kinds as in `offset`."""
    weight: npt.NDArray[np.float32]
    """(n_docs, n_columns) the weights, the same for all seeds."""
    is_difference: bool
    """True if kinds share their weights: then the baseline can be subtracted before the product."""

    def columns(self, mixture: FloatArray) -> npt.NDArray[np.float32]:
        """(n_docs, n_columns) the mixed centred totals in the order of `offset`, then the weights."""
        mixed = self.centred.reshape(-1, self.centred.shape[-1]) @ mixture.T.astype(np.float32)
        return np.concatenate([mixed.reshape(len(self.weight), -1), self.weight], axis=1)


def _linear_terms(sums: CrossedSums, ratios: FloatArray) -> _LinearTerms:
    centred = sums.total - ratios[:, :, None, :] * sums.weight[:, None]
    offset = ratios
    is_difference = len(sums.weight) == 1
    if is_difference:
        centred, offset = centred[1:] - centred[:1], ratios[1:] - ratios[:1]
    weight = np.moveaxis(sums.weight, 1, 0).reshape(sums.n_docs, -1)
    return _LinearTerms(
        offset=np.moveaxis(offset, 1, -1),
        centred=np.ascontiguousarray(np.moveaxis(centred, (2, 1), (0, -1)), dtype=np.float32),
        weight=weight.astype(np.float32),
        is_difference=is_difference,
    )


def _draw_document_counts(counts: npt.NDArray[np.float32], rng: np.random.Generator) -> None:
    """Fill (n_resamples, n_docs) with how often each document is drawn; each row sums to n_docs."""
    n_docs = counts.shape[1]
    counts.fill(0.0)
    for row in counts:
        # In place, in the type of the product: twice as fast as `bincount`, which counts into new pages.
        np.add.at(row, rng.integers(0, n_docs, size=n_docs), np.float32(1.0))


def _results(
    estimates: FloatArray, bounds: FloatArray, n_resamples: int, reason: str
) -> tuple[tuple[MultiBootstrap, ...], ...]:
    is_defined = np.asarray(np.isfinite(bounds).all(axis=0))
    return tuple(
        tuple(
            MultiBootstrap(
                question=NEW_SEEDS_AND_DOCUMENTS,
                estimate=float(estimates[kind, metric]),
                se=float(bounds[0, kind, metric]) if is_defined[kind, metric] else None,
                low=float(bounds[1, kind, metric]) if is_defined[kind, metric] else None,
                high=float(bounds[2, kind, metric]) if is_defined[kind, metric] else None,
                n_resamples=n_resamples,
                reason=None if is_defined[kind, metric] else reason,
            )
            for metric in range(estimates.shape[1])
        )
        for kind in range(estimates.shape[0])
    )

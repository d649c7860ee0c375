"""Stored sums of several kinds, seeds and documents: the input of every statistic over documents too.

Every seed is scored on every document, so seeds and documents cross; documents are shared by all kinds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.errors import DataError
from rig.stats.replicates import FloatArray, refuse_duplicates

NEW_SEEDS = "new seeds, these documents"
"""The question that a statistic over seeds alone answers."""
NEW_SEEDS_AND_DOCUMENTS = "new seeds and new documents"
"""The question that a statistic over seeds and documents answers."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CrossedSums:
    """Totals and weights; a value of a kind and seed is sum of totals over sum of weights."""

    kinds: tuple[str, ...]
    """The baseline first."""
    total: FloatArray
    """(n_kinds, n_seeds, n_docs, n_metrics)"""
    weight: FloatArray
    """(n_kinds or 1, n_docs, n_metrics), >= 0; 1 where all kinds share their weights."""

    @property
    def n_seeds(self) -> int:
        """Training seeds, paired over kinds."""
        return int(self.total.shape[1])

    @property
    def n_docs(self) -> int:
        """Documents."""
        return int(self.total.shape[2])

    @property
    def n_metrics(self) -> int:
        """Metrics."""
        return int(self.total.shape[3])

    def ratios(self) -> FloatArray:
        """(n_kinds, n_seeds, n_metrics) each kind's and seed's value, pooled over documents."""
        ratios: FloatArray = self.total.sum(axis=2) / self.weight.sum(axis=1)[:, None, :]
        return ratios


def crossed_sums(
    total: npt.ArrayLike, weight: npt.ArrayLike, *, kinds: Sequence[str], seeds: Sequence[int]
) -> CrossedSums:
    """Check sums of several kinds, seeds and documents.

    Args:
        total: (n_kinds, n_seeds, n_docs, n_metrics), for example nats.
        weight: (n_docs, n_metrics) if all kinds share it, else (n_kinds, n_docs, n_metrics): tokens of
            different tokenizers. Characters are always shared.
        kinds: (n_kinds,) names, the baseline first; at least two.
        seeds: (n_seeds,) names of the training seeds, paired over kinds.

    Returns:
        The checked sums.

    Raises:
        DataError: A shape is wrong, a value is not finite, a weight negative, a metric has no weight in any
            document, or two seeds of a kind have identical totals on every document.
    """
    totals = np.asarray(total, dtype=np.float64)
    weights = np.asarray(weight, dtype=np.float64)
    if (
        totals.ndim != 4
        or totals.shape[:2] != (len(kinds), len(seeds))
        or len(kinds) < 2
        or 0 in totals.shape
    ):
        raise DataError(
            "`total` must have shape (n_kinds, n_seeds, n_docs, n_metrics) with at least two kinds, "
            f"got {totals.shape} for {len(kinds)} kinds and {len(seeds)} seeds"
        )
    if weights.ndim == 2:
        weights = weights[None]
    if weights.shape[1:] != totals.shape[2:] or len(weights) not in (1, len(kinds)):
        raise DataError(
            f"`weight` must have shape {totals.shape[2:]} or {(len(kinds), *totals.shape[2:])}, "
            f"got {np.shape(weight)}"
        )
    if not np.isfinite(totals).all() or not np.isfinite(weights).all() or (weights < 0).any():
        raise DataError(
            "totals must be finite and weights finite and >= 0; leave a failed seed out of all kinds"
        )
    empty = np.argwhere(weights.sum(axis=1) == 0)
    if len(empty):
        raise DataError(f"metric column {int(empty[0][1])} has weight 0 in every document; leave it out")
    for kind, of_kind in zip(kinds, totals, strict=True):
        refuse_duplicates(seeds, of_kind, kind=kind)
    return CrossedSums(kinds=tuple(kinds), total=totals, weight=weights)

"""Sums per document and metric. A value is a transform of (sum of totals) / (sum of weights).

Means are never stored, so pooling documents is right by construction: pooling is adding.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

DocumentSums = Mapping[str, tuple[float, float]]
"""Of one document: name of the sum to (total, weight)."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Totals and weights of several documents."""

    doc_ids: tuple[str, ...]
    """(n_documents,)"""
    names: tuple[str, ...]
    """(n_sums,) sorted."""
    total: npt.NDArray[np.float64]
    """(n_documents, n_sums)"""
    weight: npt.NDArray[np.float64]
    """(n_documents, n_sums), >= 0; 0 where the document has nothing to score."""

    def pooled(self, name: str) -> tuple[float, float]:
        """Total and weight over all documents, (0.0, 0.0) for a name that no document has."""
        if name not in self.names:
            return 0.0, 0.0
        column = self.names.index(name)
        return float(self.total[:, column].sum()), float(self.weight[:, column].sum())

    def ratio(self, name: str) -> float | None:
        """Sum of totals over sum of weights; None where nothing was scored."""
        total, weight = self.pooled(name)
        return total / weight if weight > 0 else None


def collect(documents: Iterable[tuple[str, DocumentSums]]) -> Sums:
    """Gather documents' sums into one table; a name that a document lacks has total and weight 0 there."""
    rows = list(documents)
    names = sorted({name for _, sums in rows for name in sums})
    column = {name: index for index, name in enumerate(names)}
    total = np.zeros((len(rows), len(names)))
    weight = np.zeros((len(rows), len(names)))
    for row, (_, sums) in enumerate(rows):
        for name, (a_total, a_weight) in sums.items():
            total[row, column[name]], weight[row, column[name]] = a_total, a_weight
    return Sums(doc_ids=tuple(doc_id for doc_id, _ in rows), names=tuple(names), total=total, weight=weight)


def concatenate(parts: Sequence[Sums]) -> Sums:
    """The documents of several tables in one, in order."""
    return collect(
        (doc_id, {name: (float(t), float(w)) for name, t, w in zip(part.names, total, weight, strict=True)})
        for part in parts
        for doc_id, total, weight in zip(part.doc_ids, part.total, part.weight, strict=True)
    )

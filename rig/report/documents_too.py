"""Would new documents show the difference too? Seeds and documents crossed, from the stored sums.

The tests over seeds alone hold the documents fixed. Here both are samples: the two-way random-effects t, and
the crossed multibootstrap beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from rig.core.errors import DataError
from rig.core.seeding import stream
from rig.core.sums import Sums
from rig.metrics.catalog import METRICS
from rig.report.comparison import Comparison
from rig.report.duplicates import replicates
from rig.report.rows import SeedRow
from rig.stats.crossed_sums import crossed_sums
from rig.stats.multibootstrap import MultiBootstrap, multibootstrap
from rig.stats.two_way import RandomEffectsT, two_way


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentsToo:
    """One declared comparison with documents as a sample too; on the scale of tests."""

    kind: str
    metric: str
    n_seeds: int
    n_documents: int
    t: RandomEffectsT | None
    """Two-way random effects; None with a reason."""
    bootstrap: MultiBootstrap | None
    """Crossed multibootstrap; None with a reason."""
    reason: str
    """Why both are None, or empty."""


def documents_too(
    comparisons: Sequence[Comparison], rows: Sequence[SeedRow], record: Mapping[str, Any]
) -> list[DocumentsToo]:
    """The declared comparisons that are made of sums per document, in the order given.

    Args:
        comparisons: All comparisons of a report.
        rows: Its per-seed rows.
        record: report.json, for the declared statistics.
    """
    usable = replicates(rows)
    return [
        _cross(comparison, usable, record["stats"])
        for comparison in comparisons
        if comparison.is_declared and comparison.tested is not None and comparison.column.name in METRICS
    ]


def _cross(comparison: Comparison, rows: Sequence[SeedRow], stats: Mapping[str, Any]) -> DocumentsToo:
    name = METRICS[comparison.column.name].sums
    base, variant = (
        {row.seed: row.sums for row in rows if row.kind == kind and row.sums is not None}
        for kind in (comparison.baseline, comparison.kind)
    )
    seeds = sorted(seed for seed in base if seed is not None and seed in variant)
    pairs = [(base[seed], variant[seed]) for seed in seeds]
    n_documents = len(pairs[0][0].doc_ids) if pairs else 0
    t, bootstrap, reason = None, None, _why_not(pairs, name)
    if not reason:
        try:
            sums = crossed_sums(
                [[_column(pair[side], name)[0] for pair in pairs] for side in (0, 1)],
                np.stack([_column(pairs[0][side], name)[1] for side in (0, 1)]),
                kinds=(comparison.baseline, comparison.kind),
                seeds=seeds,
            )
        except DataError as error:
            reason = str(error)
        else:
            level = stats["confidence_level"]
            t = two_way(sums, confidence_level=level)[0][0].new_seeds_and_documents
            bootstrap = multibootstrap(
                sums,
                n_resamples=stats["n_resamples"],
                confidence_level=level,
                # The same state for every comparison: all share one draw of seeds and documents.
                rng=stream(stats["boot_seed"], "crossed bootstrap"),
            )[0][0]
    return DocumentsToo(
        kind=comparison.kind,
        metric=comparison.column.name,
        n_seeds=len(seeds),
        n_documents=n_documents,
        t=t,
        bootstrap=bootstrap,
        reason=reason,
    )


def _why_not(pairs: Sequence[tuple[Sums, Sums]], name: str) -> str:
    """Why seeds and documents do not cross, or empty."""
    if not pairs:
        return "no seed has scores of both kinds"
    documents = pairs[0][0].doc_ids
    if any(sums.doc_ids != documents for pair in pairs for sums in pair):
        return "the cells scored different documents"
    for side in (0, 1):
        first = _column(pairs[0][side], name)[1]
        if any(not np.array_equal(_column(pair[side], name)[1], first) for pair in pairs):
            return "the seeds of a kind scored different tokens"
    return ""


def _column(sums: Sums, name: str) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(n_documents, 1) totals and weights of one sum."""
    if name not in sums.names:
        empty = np.zeros((len(sums.doc_ids), 1))
        return empty, empty
    column = sums.names.index(name)
    return sums.total[:, column : column + 1], sums.weight[:, column : column + 1]

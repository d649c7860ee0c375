"""The user's table: each kind's mean and standard deviation over seeds, and its difference from the baseline.

A kind's mean and interval are of the values as shown; so are the mean difference and its bootstrap interval
[delta_low, delta_high]. `paired_t` and `p` are those of the test, which for a perplexity is made on its
logarithm. Duplicated seeds count once.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rig.report.comparison import Comparison, has_overflow
from rig.report.duplicates import replicates
from rig.report.rows import Column, SeedRow
from rig.stats.summary import summarise


def aggregate_rows(
    rows: Sequence[SeedRow],
    catalog: Mapping[str, Column],
    comparisons: Sequence[Comparison],
    record: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """One row a kind and metric that has a value at some seed; kinds and metrics in table order."""
    by_pair = {(comparison.kind, comparison.column.name): comparison for comparison in comparisons}
    level = record["stats"]["confidence_level"]
    usable = replicates(rows)
    table = []
    for kind in record["kinds"]:
        own = [row for row in usable if row.kind == kind["name"]]
        for name, column in catalog.items():
            n_scored = sum(row.test_values.get(name) is not None for row in own)
            if n_scored == 0:
                continue
            row: dict[str, Any] = {
                "kind": kind["name"],
                "metric": name,
                "unit": column.unit,
                "direction": column.direction,
            }
            row["n_seeds"] = n_scored if kind["config"]["kind"]["seeded"] else None
            # Where one seed's perplexity is too large for a number, so is the mean.
            if not has_overflow(own, name):
                values = [row.values[name] for row in own if row.values.get(name) is not None]
                summary = summarise(np.array(values)[:, None], confidence_level=level)[0]
                row |= {"mean": summary.mean, "std": summary.std}
                row |= {"t_low": summary.low, "t_high": summary.high}
            table.append(row | _against_baseline(by_pair.get((kind["name"], name))))
    return table


def _against_baseline(comparison: Comparison | None) -> dict[str, Any]:
    if comparison is None or comparison.tested is None:
        return {}
    raw, test = comparison.raw, comparison.tested.t
    against = {"paired_t": None if test is None else test.t, "p": None if test is None else test.p}
    if raw is not None:
        against["delta_mean"] = raw.delta_mean
        if raw.bootstrap is not None:
            against |= {"boot_low": raw.bootstrap.low, "boot_high": raw.bootstrap.high}
    return against

"""The user's table: each kind's mean and standard deviation over seeds, and its difference from the baseline.

A kind's mean and interval are of the values as shown; so are the mean difference and its bootstrap interval
[delta_low, delta_high]. `paired_t` and `p` are those of the test, which for a perplexity is made on its
logarithm.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rig.report.comparison import Comparison
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
    table = []
    for kind in record["kinds"]:
        own = [row for row in rows if row.kind == kind["name"] and row.status == "ok"]
        for name, column in catalog.items():
            values = [value for row in own if (value := row.values.get(name)) is not None]
            if not values:
                continue
            summary = summarise(np.array(values)[:, None], confidence_level=level)[0]
            is_seeded = kind["config"]["kind"]["seeded"]
            table.append(
                {
                    "kind": kind["name"],
                    "metric": name,
                    "unit": column.unit,
                    "direction": column.direction,
                    "n_seeds": summary.n_seeds if is_seeded else None,
                    "mean": summary.mean,
                    "std": summary.std,
                    "t_low": summary.low,
                    "t_high": summary.high,
                    **_against_baseline(by_pair.get((kind["name"], name))),
                }
            )
    return table


def _against_baseline(comparison: Comparison | None) -> dict[str, Any]:
    if comparison is None or comparison.tested is None or comparison.raw is None:
        return {}
    raw, test = comparison.raw, comparison.tested.t
    return {
        "delta_mean": raw.delta_mean,
        "paired_t": None if test is None else test.t,
        "p": None if test is None else test.p,
        "boot_low": None if raw.bootstrap is None else raw.bootstrap.low,
        "boot_high": None if raw.bootstrap is None else raw.bootstrap.high,
    }

"""The tables of values: over seeds, per seed, what each cell cost."""

from collections.abc import Mapping, Sequence
from typing import Any

from rig.report.build import Report
from rig.report.comparison import Comparison
from rig.report.content import Cell, Table
from rig.report.families import is_built_in
from rig.report.labels import kind_label, short_state, table_stamp
from rig.report.numbers import (
    EMPTY,
    count_text,
    delta_text,
    difference_decimals,
    fixed_text,
    interval_text,
    level_text,
    lr_text,
    p_text,
    seconds_text,
    table_decimals,
    value_text,
)
from rig.report.rows import SeedRow


def aggregate_table(report: Report, names: Sequence[str], caption: str) -> Table:
    """Mean, std, difference, paired t, p, bootstrap interval and verdict, by metric and kind.

    Where nothing is compared the columns of the difference are left out.
    """
    record = report.record
    rows = {(row["kind"], row["metric"]): row for row in report.aggregate}
    comparisons = {(c.kind, c.column.name): c for c in report.comparisons}
    level = level_text(record["stats"]["confidence_level"])
    has_comparison = any(name == c.column.name for c in report.comparisons for name in names)
    body = []
    for name in names:
        for kind in record["kinds"]:
            row = rows.get((kind["name"], name))
            if row is None:
                continue
            cells = _over_seeds(report, row)
            if has_comparison:
                cells += _difference(row, comparisons.get((kind["name"], name)))
            body.append(tuple(cells))
    header = ["metric", "kind", "n", "mean", "std"]
    if has_comparison:
        header += ["Δ", "paired t", "p", f"bootstrap {level} [Δ_low, Δ_high]", "verdict"]
    return Table(
        caption=caption + table_stamp(record), header=tuple(header), rows=tuple(body), n_text_columns=2
    )


def _over_seeds(report: Report, row: Mapping[str, Any]) -> list[Cell]:
    """metric, kind, n, mean, std."""
    mean, std = row.get("mean"), row.get("std")
    decimals = table_decimals(mean, std)
    return [
        Cell(text=row["metric"]),
        Cell(text=kind_label(report.record, row["kind"])),
        Cell(text=_seeds_used(report, row), sort=row["n_seeds"]),
        Cell(text=fixed_text(mean, decimals), sort=mean),
        Cell(text=fixed_text(std, decimals), sort=std),
    ]


def _seeds_used(report: Report, row: Mapping[str, Any]) -> str:
    """`3`, or `2 of 3` where a seed has no value; a dash for a kind that is not seeded."""
    if row["n_seeds"] is None:
        return EMPTY
    asked = len(report.record["seeds"])
    return str(asked) if row["n_seeds"] == asked else f"{row['n_seeds']} of {asked}"


def _difference(row: Mapping[str, Any], comparison: Comparison | None) -> list[Cell]:
    """Δ, paired t, p, bootstrap interval, verdict."""
    delta, low, high = row.get("delta_mean"), row.get("boot_low"), row.get("boot_high")
    spread = abs(high - low) / 4 if low is not None and high is not None else None
    decimals = difference_decimals(delta, spread)
    verdict = ""
    if comparison is not None:
        verdict = str(comparison.verdict) if comparison.verdict else comparison.not_compared
    return [
        Cell(text=delta_text(delta, decimals), sort=delta),
        Cell(text=fixed_text(row.get("paired_t"), 2), sort=row.get("paired_t")),
        Cell(text=p_text(row.get("p")), sort=row.get("p")),
        Cell(text=interval_text(low, high, decimals), sort=low),
        Cell(text=verdict),
    ]


def per_seed_table(
    report: Report,
    names: Sequence[str],
    caption: str = "Perplexity and bits per character per seed",
    objective: str | None = None,
) -> Table:
    """Values of these metrics, one row a kind and seed, of the kinds with this objective; None: of all."""
    body = []
    for row in report.rows:
        if objective is not None and row.objective != objective:
            continue
        cells = _row_head(report, row)
        cells += [Cell(text=value_text(row.values.get(name)), sort=row.values.get(name)) for name in names]
        body.append(tuple(cells))
    return Table(
        caption=caption + table_stamp(report.record),
        header=("kind", "seed", *names),
        rows=tuple(body),
        n_text_columns=2,
    )


def cost_table(report: Report) -> Table:
    """Parameters, tokens, seconds, learning rate and lock, one row a kind and seed."""
    body = []
    kinds = {kind["name"]: kind for kind in report.record["kinds"]}
    for row in report.rows:
        facts = _known_facts(row, kinds[row.kind])
        body.append(
            (
                *_row_head(report, row),
                Cell(text=row.lineage["cell"]),
                Cell(text=row.status),
                Cell(text=short_state(row.lineage["lock_state"]), link=lock_link(row)),
                Cell(text=lr_text(row.lineage["lr"]), sort=row.lineage["lr"]),
                Cell(text=count_text(facts.get("n_params")), sort=facts.get("n_params")),
                Cell(text=count_text(facts.get("train_tokens")), sort=facts.get("train_tokens")),
                Cell(text=seconds_text(facts.get("train_s")), sort=facts.get("train_s")),
            )
        )
    return Table(
        caption="What each cell cost, and where it comes from",
        header=(
            "kind", "seed", "cell", "status", "lock", "lr", "parameters", "tokens trained on", "training",
        ),
        rows=tuple(body),
        n_text_columns=5,
    )  # fmt: skip


def _known_facts(row: SeedRow, kind: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is known of a cell's cost: of a model from outside a 0 is no count, it was left unsaid.

    The time in which a checkpoint or a file of scores was loaded is no training; that of a command is.
    """
    if is_built_in(kind):
        return row.facts
    facts = {name: row.facts.get(name) or None for name in ("n_params", "train_tokens")}
    is_loaded = facts["train_tokens"] is None and kind["config"]["kind"]["family"] != "command"
    return {**facts, "train_s": None if is_loaded else row.facts.get("train_s")}


def lock_link(row: SeedRow) -> str:
    """Address of the lock's copy in the report, or empty."""
    return f"locks/{row.kind}.json" if row.lineage["lock_id"] else ""


def _row_head(report: Report, row: SeedRow) -> list[Cell]:
    seed = EMPTY if row.seed is None else str(row.seed)
    return [Cell(text=kind_label(report.record, row.kind)), Cell(text=seed, sort=row.seed)]

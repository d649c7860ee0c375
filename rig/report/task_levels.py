"""The levels between which a task's value is read: what chance or the surface gives, and what people do.

A rate of .68 means little until one knows that human text gets .95 from the same parser and shuffled words
.01. The levels are facts of the cells (`rig.tasks`), but for those that follow from the task's design.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from rig.report.build import Report
from rig.report.content import Cell, Table
from rig.report.fact_tables import TaskFacts
from rig.report.labels import kind_label, table_stamp
from rig.report.numbers import EMPTY, fixed_text, table_decimals

_SIMILARITY = "sim_"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """Words for the two ends of a column, with their values."""

    floor: str
    ceiling: str


def levels_table(report: Report, names: Sequence[str], facts: Sequence[TaskFacts]) -> Table | None:
    """Floor, ceiling and each kind's mean over seeds, a row a column whose levels are known.

    Args:
        report: The report.
        names: The tasks' columns, in table order.
        facts: The tasks' facts.

    Returns:
        The table; None where no column has levels.
    """
    rows = {(row["kind"], row["metric"]): row for row in report.aggregate}
    kinds = [kind["name"] for kind in report.record["kinds"]]
    body = []
    for name in names:
        levels = levels_of(name, facts)
        if levels is None or not any((kind, name) in rows for kind in kinds):
            continue
        own = [rows.get((kind, name), {}) for kind in kinds]
        values = [
            Cell(
                text=fixed_text(row.get("mean"), table_decimals(row.get("mean"), row.get("std"))),
                sort=row.get("mean"),
            )
            for row in own
        ]
        body.append((Cell(text=name), Cell(text=levels.floor), Cell(text=levels.ceiling), *values))
    if not body:
        return None
    return Table(
        caption=f"Between floor and ceiling: each kind's mean over seeds{table_stamp(report.record)}",
        header=("task", "floor", "ceiling", *(kind_label(report.record, kind) for kind in kinds)),
        rows=tuple(body),
        n_text_columns=3,
    )


def levels_of(name: str, facts: Sequence[TaskFacts]) -> Levels | None:
    """The levels of a column; None where none are known."""
    by_task = {held.task: held for held in facts}
    if name.startswith(_SIMILARITY) and "similarity" in by_task:
        return _similarity(name.removeprefix(_SIMILARITY), by_task["similarity"])
    if name in _LEVELS:
        task, of_facts = _LEVELS[name]
        return of_facts(by_task[task]) if task in by_task else None
    return None


def _agreement(facts: TaskFacts) -> Levels:
    del facts  # singular and plural weigh the same, so neither chance nor word frequencies win anything
    return Levels(
        floor="0.500 chance; word frequencies alone give about the same, both numbers weigh alike",
        ceiling="1",
    )


def _parse_rate(facts: TaskFacts) -> Levels:
    return Levels(
        floor=f"{_span(facts, 'parse_rate_shuffled')} the same words shuffled",
        ceiling=f"{_span(facts, 'parse_rate_ref')} the test split's own text",
    )


def _tree_valid_rate(facts: TaskFacts) -> Levels:
    return Levels(
        floor=f"{_span(facts, 'shuffled.condition_rates.well_formed')} the same words shuffled",
        ceiling=f"{_span(facts, 'reference.condition_rates.well_formed')} the test split's own text",
    )


def _tree_depth(facts: TaskFacts) -> Levels:
    human = _span(facts, "tree_depth_of_human_text_of_equal_length")
    return Levels(floor="none: it describes", ceiling=f"none; human text of equal length {human}")


def _similarity(dataset: str, facts: TaskFacts) -> Levels:
    prefix = f"datasets.{dataset}.baseline_pearson"
    return Levels(
        floor=f"{_span(facts, f'{prefix}.word_overlap')} word overlap, "
        f"{_span(facts, f'{prefix}.trigram_cosine')} character trigrams: no model needed",
        ceiling="1",
    )


_LEVELS: Mapping[str, tuple[str, Callable[[TaskFacts], Levels]]] = {
    "sv_agreement": ("agreement", _agreement),
    "tree_valid_rate": ("generation", _tree_valid_rate),
    "parse_rate": ("generation", _parse_rate),
    "tree_depth": ("generation", _tree_depth),
}
"""Column to its task and what gives its levels; those of `sim_*` are named by data set."""


def _span(facts: TaskFacts, name: str) -> str:
    """A fact over all cells: one value, or the lowest and the highest."""
    held: list[Any] = [value for value in facts.values(name) if value is not None]
    if not held:
        return EMPTY
    low, high = fixed_text(min(held), 3), fixed_text(max(held), 3)
    return low if low == high else f"{low} to {high}"

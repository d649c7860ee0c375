"""What each task says of itself, cell by cell: numbers in tables with every seed, policies once, examples.

A fact is a number, an accuracy on a group of pairs (`rig.metrics.pairs.PairAccuracy`), or a text. Numbers and
accuracies always stand by kind and seed, since two that happen to agree are no policy.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from rig.report.build import Report
from rig.report.content import Cell, Table
from rig.report.labels import kind_label, row_name, table_stamp
from rig.report.numbers import EMPTY, fixed_text, share_text, value_text
from rig.report.rows import SeedRow

_ACCURACY = frozenset({"n", "n_ties", "accuracy", "low", "high"})
_MOST_IN_THE_FIRST_TABLE = 4
"""A group of more numbers than this has a table of its own."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """The facts of one task, a row a finished cell, by dotted name."""

    task: str
    rows: tuple[SeedRow, ...]
    facts: tuple[Mapping[str, Any], ...]
    """(n_rows,) name to number, text, list of these, or a mapping that is an accuracy; None where empty."""

    @property
    def names(self) -> list[str]:
        """Every name that some cell has."""
        return list(dict.fromkeys(name for held in self.facts for name in held))

    def values(self, name: str) -> list[Any]:
        """A fact of every cell, None where it has none."""
        return [held.get(name) for held in self.facts]

    def have(self, name: str, kind: type | tuple[type, ...]) -> bool:
        """Whether each cell that has the fact has it as such a value, and some cell does."""
        held = [value for value in self.values(name) if value is not None]
        return bool(held) and all(isinstance(value, kind) and not isinstance(value, bool) for value in held)

    def have_text(self, name: str) -> bool:
        """Whether some cell has the fact, and not as a number or an accuracy."""
        is_empty = all(value is None for value in self.values(name))
        return not is_empty and not self.have(name, (int, float, Mapping))

    def are_equal(self, name: str) -> bool:
        """Whether every cell has the same."""
        first, *others = self.values(name)
        return all(value == first for value in others)


def task_facts(report: Report) -> list[TaskFacts]:
    """The facts of each task that has any, in the order in which cells name them."""
    found: dict[str, list[tuple[SeedRow, Mapping[str, Any]]]] = {}
    for row in report.rows:
        for task, answer in row.done.result["tasks"].items() if row.done is not None else ():
            if answer["facts"]:
                found.setdefault(task, []).append((row, dict(_leaves(answer["facts"]))))
    return [
        TaskFacts(task=task, rows=tuple(row for row, _ in held), facts=tuple(facts for _, facts in held))
        for task, held in found.items()
    ]


def number_tables(report: Report, facts: TaskFacts) -> list[Table]:
    """The numbers of a task: accuracies on pairs in one table, then the others, a row a cell."""
    accuracies = [name for name in facts.names if facts.have(name, Mapping)]
    numbers = [name for name in facts.names if facts.have(name, (int, float))]
    groups: dict[str, list[str]] = {}
    for name in numbers:
        groups.setdefault(name.partition(".")[0], []).append(name)
    own = {group: names for group, names in groups.items() if len(names) > _MOST_IN_THE_FIRST_TABLE}
    rest = [name for name in numbers if name.partition(".")[0] not in own]
    tables = [_accuracy_table(report, facts, accuracies)] if accuracies else []
    tables += [_number_table(report, facts, facts.task, {name: name for name in rest})] if rest else []
    for names in own.values():
        shared = _shared_prefix(names)
        short = _shortest([name.removeprefix(f"{shared}.") for name in names])
        columns = dict(zip(short, names, strict=True))
        tables.append(_number_table(report, facts, f"{facts.task}, {shared}", columns))
    return tables


def text_blocks(facts: TaskFacts) -> list[str]:
    """How a task asked, which is the same for all; then what differs, as each kind's first cell has it."""
    texts = [name for name in facts.names if facts.have_text(name)]
    policies = [name for name in texts if facts.are_equal(name)]
    blocks = []
    if policies:
        lines = "\n".join(f"  {name}: {_text(facts.values(name)[0])}" for name in policies)
        blocks.append(f"{facts.task}, how it was asked\n{lines}")
    first: dict[str, int] = {}
    for index, row in enumerate(facts.rows):
        first.setdefault(row.kind, index)
    for name in texts:
        if name not in policies:
            lines = "\n".join(
                f"  {row_name(facts.rows[index])}: {_text(facts.facts[index].get(name))}"
                for index in first.values()
            )
            blocks.append(f"{facts.task}, {name}\n{lines}")
    return blocks


def _shared_prefix(names: Sequence[str]) -> str:
    """The dotted beginning that all names have, never a whole name."""
    parts = [name.split(".")[:-1] for name in names]
    shared = itertools.takewhile(lambda level: len(set(level)) == 1, zip(*parts, strict=False))
    return ".".join(level[0] for level in shared)


def _shortest(names: Sequence[str]) -> list[str]:
    """Of each dotted name the shortest ending that no other one has."""

    def ending(name: str, n_parts: int) -> str:
        return ".".join(name.split(".")[-n_parts:])

    short = []
    for name in names:
        n_parts = 1
        while sum(ending(other, n_parts) == ending(name, n_parts) for other in names) > 1:
            n_parts += 1
        short.append(ending(name, n_parts))
    return short


def _leaves(facts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in facts.items():
        if isinstance(value, Mapping) and set(value) != _ACCURACY:
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _accuracy_table(report: Report, facts: TaskFacts, names: Sequence[str]) -> Table:
    """Shares of pairs won, a row a cell; above them how many pairs each column has."""
    body = [
        (*_head(report, row), *(_accuracy(held.get(name)) for name in names))
        for row, held in zip(facts.rows, facts.facts, strict=True)
    ]
    counts = [{value["n"] for value in facts.values(name) if value is not None} for name in names]
    told = [str(n.pop()) if len(n) == 1 else f"{min(n)} to {max(n)}" for n in counts]
    return Table(
        caption=(
            f"{facts.task}: share of pairs won in each group, ties at half, with its 95% interval over pairs"
            f"{table_stamp(report.record)}"
        ),
        header=("kind", "seed", *(name.replace(".", ": ").replace("|", " ") for name in names)),
        rows=((Cell(text="pairs"), Cell(text=EMPTY), *(Cell(text=text) for text in told)), *body),
        n_text_columns=2,
    )


def _accuracy(held: Mapping[str, Any] | None) -> Cell:
    if held is None or held["accuracy"] is None:
        return Cell(text=EMPTY)
    n_ties = held["n_ties"]
    ties = f" ({n_ties} tie{'s' if n_ties > 1 else ''})" if n_ties else ""
    interval = f"[{fixed_text(held['low'], 2)}, {fixed_text(held['high'], 2)}]"
    return Cell(text=f"{share_text(held['accuracy'])} {interval}{ties}", sort=held["accuracy"])


def _number_table(report: Report, facts: TaskFacts, what: str, columns: Mapping[str, str]) -> Table:
    """A row a cell, or one for all where every cell has the same numbers."""
    cells = [
        tuple(Cell(text=_text(held.get(name)), sort=_sort(held.get(name))) for name in columns.values())
        for held in facts.facts
    ]
    body = [(*_head(report, row), *of_row) for row, of_row in zip(facts.rows, cells, strict=True)]
    if len(cells) > 1 and all(of_row == cells[0] for of_row in cells):
        body = [(Cell(text=f"all {len(cells)} cells"), Cell(text=EMPTY), *cells[0])]
    return Table(
        caption=f"{what}: the numbers of each cell{table_stamp(report.record)}",
        header=("kind", "seed", *columns),
        rows=tuple(body),
        n_text_columns=2,
    )


def _head(report: Report, row: SeedRow) -> tuple[Cell, Cell]:
    seed = EMPTY if row.seed is None else str(row.seed)
    return Cell(text=kind_label(report.record, row.kind)), Cell(text=seed, sort=row.seed)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return value_text(value)
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value)
    return EMPTY if value is None else str(value)


def _sort(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

"""What the tasks measured, why a column is empty, and what each task says of how it asked."""

from collections.abc import Mapping, Sequence
from typing import Any

from rig.core.fingerprint import flatten
from rig.metrics.catalog import METRICS
from rig.report.build import Report
from rig.report.content import Cell, Section, Table
from rig.report.labels import kind_label, row_name, table_stamp
from rig.report.numbers import EMPTY, value_text

Facts = Mapping[str, Mapping[str, Any]]
"""Kind and seed, as running text has them, to the flattened facts of one task."""


def task_names(report: Report) -> list[str]:
    """The columns that tasks fill, in table order."""
    return [name for name in report.catalog if name not in METRICS]


def tasks_section(report: Report) -> Section:
    """Definitions, reasons, and each task's facts: what all kinds share as lines, the rest as a table."""
    names = task_names(report)
    if not names:
        return Section(title="Tasks", paragraphs=("No task was asked for (`tasks=[]`).",))
    bullets = [f"{name}: {report.catalog[name].definition}" for name in names]
    reasons: dict[str, dict[str, None]] = {}
    for row in report.rows:
        for name, reason in row.reasons.items():
            if name in names:
                reasons.setdefault(f"{name} is empty: {reason}", {})[row.kind] = None
    bullets += [f"{text} ({', '.join(kinds)})." for text, kinds in reasons.items()]
    blocks, tables = [], []
    for task, facts in _facts(report).items():
        shared = _shared(facts)
        if shared:
            lines = "\n".join(f"  {name}: {_fact(value)}" for name, value in shared.items())
            blocks.append(f"{task}, the same for all\n{lines}")
        differing = [n for n in dict.fromkeys(n for held in facts.values() for n in held) if n not in shared]
        examples = [n for n in differing if any(isinstance(held.get(n), list) for held in facts.values())]
        for name in examples:
            lines = "\n".join(f"  {who}: {_fact(held.get(name))}" for who, held in facts.items())
            blocks.append(f"{task}, {name}\n{lines}")
        tables += _fact_table(report, task, facts, [name for name in differing if name not in examples])
    return Section(title="Tasks", bullets=tuple(bullets), tables=tuple(tables), blocks=tuple(blocks))


def _facts(report: Report) -> dict[str, dict[str, dict[str, Any]]]:
    """Task to the facts of each kind, at its first finished seed."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    seen = set()
    for row in report.rows:
        if row.done is None or row.kind in seen:
            continue
        seen.add(row.kind)
        for task, answer in row.done.result["tasks"].items():
            if answer["facts"]:
                found.setdefault(task, {})[row_name(row)] = flatten(answer["facts"])
    return found


def _shared(facts: Facts) -> dict[str, Any]:
    """What all kinds say alike."""
    first, *others = facts.values()
    return {
        name: value
        for name, value in first.items()
        if all(name in other and other[name] == value for other in others)
    }


def _fact_table(report: Report, task: str, facts: Facts, names: Sequence[str]) -> list[Table]:
    if not names:
        return []
    body = []
    for name in names:
        values = [held.get(name) for held in facts.values()]
        cells = [Cell(text=_fact(value), sort=_number(value)) for value in values]
        body.append((Cell(text=name), *cells))
    return [
        Table(
            caption=f"{task}: what each kind's first seed gave{table_stamp(report.record)}",
            header=("", *(_stamped(report, who) for who in facts)),
            rows=tuple(body),
        )
    ]


def _stamped(report: Report, who: str) -> str:
    kind, _, seed = who.partition(" ")
    return f"{kind_label(report.record, kind)}{f' {seed}' if seed else ''}"


def _fact(value: Any) -> str:
    if isinstance(value, float):
        return value_text(value)
    if isinstance(value, list):
        return ", ".join(_fact(item) for item in value)
    return EMPTY if value is None else str(value)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

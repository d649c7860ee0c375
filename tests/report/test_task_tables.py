import dataclasses
from pathlib import Path
from typing import Any

from synthetic_reports import BASE, VARIANT, report_of

from rig.report.build import Report
from rig.report.content import Section
from rig.report.task_tables import task_names, tasks_section
from rig.store.cells import DoneCell


def column(value: float | None, reason: str = "") -> dict[str, Any]:
    return {
        "name": "sv_agreement", "value": value, "unit": "share", "direction": "higher",
        "definition": "Share of right verbs.", "reason": reason,
    }  # fmt: skip


def with_tasks(facts: dict[str, dict[str, Any]]) -> Report:
    """Facts by kind, the same at each seed; a column with a value for `base` and a reason for `new`."""
    report = report_of({"base": BASE, "new": VARIANT})
    rows = []
    for row in report.rows:
        value, reason = (0.5, "") if row.kind == "base" else (None, "the model has no probabilities")
        answer = {"columns": [column(value, reason)], "facts": facts[row.kind], "samples": []}
        done = DoneCell(
            directory=Path(), attempt=Path(), result={"tasks": {"agreement": answer}, "facts": {}}, timing={}
        )
        rows.append(
            dataclasses.replace(
                row,
                done=done,
                values={**row.values, "sv_agreement": value},
                reasons={**row.reasons, **({"sv_agreement": reason} if reason else {})},
            )
        )
    catalog = dict(report.catalog)
    catalog["sv_agreement"] = dataclasses.replace(
        catalog["bpc"], name="sv_agreement", definition="Share of right verbs."
    )
    return dataclasses.replace(report, rows=rows, catalog=catalog)


def test_without_tasks_the_section_says_so() -> None:
    assert tasks_section(report_of({"base": BASE})) == Section(
        title="Tasks", paragraphs=("No task was asked for (`tasks=[]`).",)
    )


def test_what_kinds_share_is_said_once_and_the_rest_is_a_table() -> None:
    report = with_tasks(
        {
            "base": {"policy": "sum", "cells": {"match": 0.25, "n": 4}, "seen": ["a", "b"]},
            "new": {"policy": "sum", "cells": {"match": 0.75, "n": 4}, "seen": ["c"], "extra": None},
        }
    )
    assert task_names(report) == ["sv_agreement"]
    section = tasks_section(report)
    assert section.bullets == (
        "sv_agreement: Share of right verbs.",
        "sv_agreement is empty: the model has no probabilities (new).",
    )
    (table,) = section.tables
    assert table.header == ("", "base seed 41", "new seed 41")
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["cells.match", "0.2500", "0.7500"],
        ["extra", "–", "–"],
    ]
    assert section.blocks == (
        "agreement, the same for all\n  policy: sum\n  cells.n: 4",
        "agreement, seen\n  base seed 41: a, b\n  new seed 41: c",
    )

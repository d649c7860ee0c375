"""The audit in a report: a stamp above everything and on each table, the verdict, and the table of checks."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from synthetic_reports import BASE, VARIANT, report_of

from rig.report.answer import stamps
from rig.report.audit import audit_section, audit_stamps, audit_verdict
from rig.report.build import Report, report_of_rows
from rig.report.labels import is_audit_failed, kind_label, table_stamp
from rig.report.sections import paper_tables
from rig.store.cells import DoneCell


def finding(check: str, status: str, sentence: str, effect: str = "") -> dict[str, str]:
    return {"check": check, "status": status, "sentence": sentence, "effect": effect}


PASSED = finding("batching", "passed", "alike")
SHIFT = finding("shift", "failed", "not shifted: seen", "perplexity is 8 times")
UNKNOWN = finding("shift", "not checked", "the model does not know the text")


def audited(of_cell: dict[tuple[str, int], list[dict[str, str]]]) -> Report:
    """Two kinds at three seeds; each cell with these findings beside one that passed."""
    report = report_of({"base": BASE, "new": VARIANT}, unlocked=("base",))
    rows = [
        dataclasses.replace(
            row,
            done=DoneCell(
                directory=Path(), attempt=Path(), timing={},
                result={
                    "tasks": {}, "facts": {},
                    "audit": [PASSED, *of_cell.get((row.kind, row.seed or 0), [])],
                },
            ),
        )
        for row in report.rows
    ]  # fmt: skip
    record: dict[str, Any] = {**report.record}
    record["kinds"] = [
        {
            **kind,
            "cells": [
                {
                    **cell,
                    "failed_checks": [
                        finding["check"]
                        for finding in of_cell.get((kind["name"], cell["seed"]), [])
                        if finding["status"] == "failed"
                    ],
                }
                for cell in kind["cells"]
            ],
        }
        for kind in record["kinds"]
    ]
    return report_of_rows(record, rows)


def test_without_an_audit_nothing_is_said() -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    assert audit_stamps(report) == audit_verdict(report) == []
    assert audit_section(report) is None
    assert kind_label(report.record, "new") == "new"
    assert table_stamp(report.record) == ""


def test_a_failed_check_stamps_the_report_the_kind_and_every_table() -> None:
    report = audited({("new", seed): [SHIFT] for seed in BASE})
    assert "new: AUDIT FAILED, shift: not shifted: seen. Effect: perplexity is 8 times." in stamps(report)
    assert kind_label(report.record, "new") == "new [AUDIT FAILED]"
    assert kind_label(report.record, "base") == "base [UNLOCKED]"
    assert table_stamp(report.record) == " (UNLOCKED: base; AUDIT FAILED: new)"
    assert [is_audit_failed(kind) for kind in report.record["kinds"]] == [False, True]
    for _, table in paper_tables(report):
        assert "AUDIT FAILED: new" in table.caption
        named = {cell.text for row in table.rows for cell in row if cell.text.startswith("new")}
        assert named == {"new [AUDIT FAILED]"}


def test_a_check_that_some_seeds_failed_names_them() -> None:
    report = audited({("new", 42): [SHIFT]})
    assert audit_stamps(report) == [
        "new: AUDIT FAILED, shift (new seed 42): not shifted: seen. Effect: perplexity is 8 times."
    ]


def test_the_verdict_names_what_failed_or_counts_what_passed() -> None:
    assert audit_verdict(audited({("new", 41): [SHIFT]})) == [
        "**Audit of the models' adapters: FAILED** (new: shift): these numbers are not what they are called."
    ]
    assert audit_verdict(audited({("new", seed): [UNKNOWN] for seed in BASE})) == [
        "Audit of the models' adapters: no check failed; passed base 1 of 1, new 1 of 2."
    ]


@pytest.mark.parametrize(
    ("of_cell", "state"),
    [
        ({("new", seed): [UNKNOWN] for seed in BASE}, "not checked"),
        ({("new", 41): [SHIFT], ("new", 42): [UNKNOWN], ("new", 43): [UNKNOWN]}, "FAILED"),
        (
            {("new", 41): [UNKNOWN], **{("new", seed): [{**PASSED, "check": "shift"}] for seed in (42, 43)}},
            "passed (2 of 3)",
        ),
    ],
)
def test_the_table_has_a_row_a_check_and_a_column_a_kind(of_cell: Any, state: str) -> None:
    section = audit_section(audited(of_cell))
    assert section is not None
    (table,) = section.tables
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["batching", "passed", "passed"],
        ["shift", "–", state],
    ]
    assert "Seeds of one kind with identical scores: none." in section.paragraphs[0]


def test_a_check_that_was_not_made_says_why_once() -> None:
    section = audit_section(audited({("new", seed): [UNKNOWN] for seed in BASE}))
    assert section is not None
    assert section.bullets == ("new: shift was not checked: the model does not know the text.",)


def test_seeds_with_identical_scores_are_named() -> None:
    report = report_of({"base": {41: 3.5, 42: 3.5, 43: 3.6}})
    done = DoneCell(directory=Path(), attempt=Path(), result={"tasks": {}, "audit": [PASSED]}, timing={})
    section = audit_section(
        report_of_rows(report.record, [dataclasses.replace(row, done=done) for row in report.rows])
    )
    assert section is not None
    assert "Seeds of one kind with identical scores: base 41 and 42." in section.paragraphs[0]

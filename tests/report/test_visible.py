from pathlib import Path

import pytest
from synthetic_reports import BASE, VARIANT, report_of, row, with_rows, written

from rig.report.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b", "a\\x00b"),
        ("\x1b[2Jx", "\\x1b[2Jx"),
        ("\x7f\x85\x9f", "\\x7f\\x85\\x9f"),
        ("a\r\nb", "a\\x0d\nb"),
        ("\u202eabc\u2069", "\\u202eabc\\u2069"),
        ("\u2028\ufeff", "\\u2028\\ufeff"),
        ("ação\tÃ\n \u00a0–\u200d", "ação\tÃ\n \u00a0–\u200d"),
    ],
)
def test_unseen_characters_are_escaped_and_others_stay(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_no_page_holds_a_raw_control_character(tmp_path: Path) -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    rows = [one for one in report.rows if (one.kind, one.seed) != ("new", 43)]
    rows.append(row("new", 43, None, status="failed", error="it said \x00\x1b[31m"))
    folder = written(with_rows(report, rows), tmp_path / "report")
    for name in ("report.md", "report.html", "tables.tex"):
        data = (folder / name).read_bytes()
        assert b"it said \\x00\\x1b[31m" in data
        assert b"\x00" not in data
        assert b"\x1b" not in data

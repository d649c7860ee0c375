import dataclasses

from synthetic_reports import BASE, VARIANT, report_of, with_rows

from rig.report.empty import empty_sentences
from rig.report.labels import row_name


def test_metrics_of_one_reason_and_the_same_cells_share_a_sentence() -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    reasons = {"new": {"bpc": "no spelling", "bpb": "no spelling", "ce": "too large", "task": "not asked"}}
    rows = [dataclasses.replace(row, reasons=reasons.get(row.kind, {})) for row in report.rows]
    changed = with_rows(report, rows)
    assert empty_sentences(changed, lambda name: name != "task", lambda row: row.kind) == [
        "bpc, bpb are empty: no spelling (new).",
        "ce is empty: too large (new).",
    ]
    assert empty_sentences(changed, lambda name: name == "task", row_name) == [
        "task is empty: not asked (new seed 41, new seed 42, new seed 43)."
    ]

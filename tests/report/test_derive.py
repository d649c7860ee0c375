import pytest
from synthetic_reports import BASE, VARIANT, report_of

from rig.core.errors import UsageError
from rig.core.fingerprint import fingerprint
from rig.report.answer import stamps
from rig.report.build import report_of_rows
from rig.report.derive import derive_record

REPORT = report_of({"base": BASE, "new": VARIANT})


def test_no_change_is_the_same_record() -> None:
    for change in (
        {"baseline": None, "metrics": (), "confidence": None},
        {"baseline": "base", "metrics": (), "confidence": 0.95},
    ):
        assert derive_record(REPORT.record, REPORT.catalog, **change) == REPORT.record  # type: ignore[arg-type]


def test_another_baseline_is_another_report_that_says_where_it_comes_from() -> None:
    record = derive_record(REPORT.record, REPORT.catalog, baseline="new", metrics=(), confidence=None)
    assert record["derived_from"] == {"id": "tier1-0123456789ab", "changed": ["baseline"]}
    assert record["id"].startswith("derived-")
    derived = report_of_rows(record, REPORT.rows)
    assert stamps(derived)[0] == (
        "Rendered again from tier1-0123456789ab with another baseline: chosen after the cells had run."
    )
    original = next(c for c in REPORT.comparisons if c.column.name == "bpc")
    turned = next(c for c in derived.comparisons if c.column.name == "bpc")
    assert (turned.kind, turned.baseline) == ("base", "new")
    assert turned.tested is not None
    assert original.tested is not None
    assert turned.tested.delta_mean == pytest.approx(-original.tested.delta_mean)  # type: ignore[operator]


def test_another_level_is_declared_anew_and_hashed() -> None:
    record = derive_record(REPORT.record, REPORT.catalog, baseline=None, metrics=(), confidence=0.9)
    assert record["stats"]["confidence_level"] == 0.9
    assert record["stats_sha256"] == fingerprint(record["stats"])
    assert REPORT.record["stats"]["confidence_level"] == 0.95, "the record it comes from is as it was"


def test_metrics_choose_what_is_shown_and_leave_the_declared_family() -> None:
    record = derive_record(REPORT.record, REPORT.catalog, baseline=None, metrics=("ppl",), confidence=None)
    assert record["shown_metrics"] == ["ppl"]
    assert record["stats"] == REPORT.record["stats"]


def test_a_derived_report_can_be_derived_again_and_names_the_first() -> None:
    once = derive_record(REPORT.record, REPORT.catalog, baseline="new", metrics=(), confidence=None)
    twice = derive_record(once, REPORT.catalog, baseline=None, metrics=(), confidence=0.9)
    assert twice["derived_from"] == {
        "id": "tier1-0123456789ab", "changed": ["baseline", "confidence_level"],
    }  # fmt: skip
    at_once = derive_record(REPORT.record, REPORT.catalog, baseline="new", metrics=(), confidence=0.9)
    assert at_once["id"] == twice["id"], "the id is of the content, not of the way"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"baseline": "bse"},
            r"'bse' is not in this report\. Did you mean 'base'\? Known: base, new",
        ),
        ({"metrics": ("pppl2",)}, r"--metrics names 'pppl2'\. Did you mean 'ppl'\?"),
        ({"confidence": 95.0}, r"--confidence must lie between 0 and 1, got 95\.0; use 0\.95"),
    ],
)
def test_a_mistake_is_named(change: dict[str, object], message: str) -> None:
    whole = {"baseline": None, "metrics": (), "confidence": None, **change}
    with pytest.raises(UsageError, match=message):
        derive_record(REPORT.record, REPORT.catalog, **whole)  # type: ignore[arg-type]

from pathlib import Path

import pytest
from synthetic_reports import BASE, VARIANT, report_of, written

from rig.core.errors import StoreError
from rig.report.difference import Difference, difference
from rig.report.locate import Located


def located(folder: Path) -> Located:
    return Located(folder=folder, runs=folder.parent / "runs")


def test_equal_reports_differ_in_nothing(tmp_path: Path) -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    one, other = (written(report, tmp_path / name) for name in ("one", "other"))
    found = difference(located(one), located(other))
    assert not [topic for topic, items in found.items.items() if items and topic != "code"]
    assert found.values == ()
    assert found.n_equal == len(report.aggregate)


def test_settings_data_code_and_values_are_told_apart(tmp_path: Path) -> None:
    first = report_of({"base": BASE, "new": VARIANT})
    second = report_of({"base": BASE, "new": {**VARIANT, 41: 3.405}, "third": VARIANT}, sesoi=0.01)
    for kind in second.record["kinds"]:
        kind["config"]["train"]["steps"] = 40
    second.record["kinds"][1]["config"]["train"]["lr"] = 0.01
    second.record["data"]["content"]["words"] = "f" * 64
    second.record["kinds"][0]["lock"]["value"] = 0.02
    folders = [written(report, tmp_path / name) for report, name in ((first, "one"), (second, "other"))]
    found = difference(*(located(folder) for folder in folders))
    assert found.items["configs"] == (
        Difference(item="every kind: train.steps", first=20, second=40),
        Difference(item="new: train.lr", first=0.005, second=0.01),
    )
    assert found.items["data"] == (Difference(item="content.words", first="e" * 64, second="f" * 64),)
    assert Difference(item="base.value", first=0.005, second=0.02) in found.items["locks"]
    asked = {item.item for item in found.items["what was asked"]}
    assert asked == {"kinds", "stats.sesoi"}
    assert found.items["environment"] == ()
    bpc = [value for value in found.values if value.metric == "bpc"]
    assert [(value.kind, value.second) for value in bpc if value.kind == "third"] == [
        ("third", pytest.approx((3.505 + 3.462 + 3.528) / 3))
    ]
    (new,) = [value for value in bpc if value.kind == "new"]
    assert new.first is not None
    assert new.second is not None
    assert new.second - new.first == pytest.approx(-0.1 / 3)
    assert not [value for value in bpc if value.kind == "base"]


def test_without_cells_the_code_is_unknown_rather_than_the_same(tmp_path: Path) -> None:
    report = report_of({"base": BASE})
    one, other = (written(report, tmp_path / name) for name in ("one", "other"))
    unknown = "unknown (its cells are not here)"
    assert difference(located(one), located(other)).items["code"] == (
        Difference(item="base", first=unknown, second=unknown),
    )


def test_a_table_that_is_no_parquet_is_named(tmp_path: Path) -> None:
    report = report_of({"base": BASE})
    one, other = (written(report, tmp_path / name) for name in ("one", "other"))
    (other / "aggregate.parquet").write_text("no")
    with pytest.raises(StoreError, match=r"other/aggregate\.parquet can't be read"):
        difference(located(one), located(other))

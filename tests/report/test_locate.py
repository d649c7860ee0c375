from pathlib import Path

import pytest
from synthetic_reports import BASE, report_of, written

from rig.core.errors import StoreError, UsageError
from rig.core.files import write_json
from rig.report.locate import Located, kept_lineage, locate


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name in ("tier1-aaa", "tier1-bbb"):
        written(report_of({"base": BASE}), tmp_path / "runs" / "reports" / name)
    (tmp_path / "runs" / "reports" / "latest").write_text("tier1-bbb\n")
    return tmp_path / "runs"


def test_the_newest_by_default(runs: Path) -> None:
    assert locate(None, runs) == Located(folder=runs / "reports" / "tier1-bbb", runs=runs)


def test_by_id_and_by_path(runs: Path, tmp_path: Path) -> None:
    assert locate("tier1-aaa", runs).folder == runs / "reports" / "tier1-aaa"
    elsewhere = locate(str(runs / "reports" / "tier1-aaa"), tmp_path / "other")
    assert elsewhere.folder == runs / "reports" / "tier1-aaa"
    assert elsewhere.runs == runs.resolve(), "a report among a run's reports brings its cells"
    copied = written(report_of({"base": BASE}), tmp_path / "mail" / "report")
    assert locate(str(copied), runs) == Located(folder=copied, runs=runs)


def test_an_unknown_one_is_refused_with_the_nearest(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no report 'tier1-abb'\. Did you mean 'tier1-bbb'\?"):
        locate("tier1-abb", runs)
    with pytest.raises(UsageError, match=r"holds no report; run `rig tier1` first"):
        locate(None, tmp_path / "nothing")


def test_copies_of_locks_and_sweeps_are_kept(runs: Path) -> None:
    folder = runs / "reports" / "tier1-aaa"
    record = dict(report_of({"base": BASE}).record)
    record["kinds"][0]["lock"] |= {"lock_id": "abc", "sweep_id": "lr-toy-base-123"}
    write_json(folder / "report.json", record)
    located = Located(folder=folder, runs=runs)
    with pytest.raises(StoreError, match=r"base\.json is missing, though base ran with lock abc"):
        kept_lineage(located)
    write_json(folder / "locks" / "base.json", {})
    assert kept_lineage(located) == {"base": (folder / "locks" / "base.json", None)}
    stored = runs / "sweeps" / "lr-toy-base-123"
    write_json(stored / "sweep.json", {})
    assert kept_lineage(located)["base"][1] == stored
    copy = folder / "sweeps" / "lr-toy-base-123"
    write_json(copy / "sweep.json", {})
    assert kept_lineage(located)["base"][1] == copy

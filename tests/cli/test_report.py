"""`rig report`: the same again, another one, or what differs."""

import csv
import json
from pathlib import Path

import pytest
from commands import Run, command


def held(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def compared(folder: Path, metric: str) -> dict[str, str]:
    with (folder / "comparisons.csv").open(encoding="utf-8", newline="") as file:
        return next(row for row in csv.DictReader(file) if row["metric"] == metric)


def test_a_report_has_all_its_files(run: Run) -> None:
    assert set(held(run.report)) >= {
        "report.md", "report.html", "report.json", "tables.tex", "per_seed.csv", "per_seed.parquet",
        "aggregate.csv", "aggregate.parquet", "comparisons.csv", "comparisons.parquet",
        "figures/forest.svg", "figures/slopes.svg", "figures/by_class.svg", "figures/training.svg",
    }  # fmt: skip


def test_rendered_again_it_has_the_same_bytes(run: Run, tmp_path: Path) -> None:
    before = held(run.report)
    again = command("report", "--out", str(tmp_path / "again"), cwd=run.folder)
    assert again.code == 0, again.err
    assert "3 seeds" in again.out
    assert held(tmp_path / "again") == before
    in_place = command("report", run.report.name, cwd=run.folder)
    assert in_place.code == 0, in_place.err
    assert held(run.report) == before
    latest = (run.folder / "runs" / "reports" / "latest").read_text().strip()
    assert latest == run.report.name


def test_another_baseline_is_another_report_that_says_so(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "other"
    ended = command(
        "report", "--baseline", "masha_ab", "--confidence", ".9", "--metrics", "ppl", "--out", str(out),
        cwd=run.folder,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    record = json.loads((out / "report.json").read_text())
    assert record["derived_from"]["id"] == run.report.name
    assert record["id"].startswith("derived-")
    text = (out / "report.md").read_text(encoding="utf-8")
    assert f"Rendered again from {run.report.name} with another baseline, confidence_level, metrics" in text
    assert "90% CI of the difference" in text
    turned, original = (compared(folder, "bpc") for folder in (out, run.report))
    assert (turned["kind"], turned["baseline"]) == ("baseline", "masha_ab")
    assert float(turned["delta_mean"]) == pytest.approx(-float(original["delta_mean"]), rel=1e-12)
    differing = command("report", run.report.name, str(out), cwd=run.folder)
    assert differing.code == 0, differing.err
    assert "stats.confidence_level" in differing.out
    assert "The same in both: data, locks, environment, configs, code." in differing.out
    assert "Means over seeds: 0 differ" in differing.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--baseline", "masha_a"), "--baseline 'masha_a' is not in this report. Did you mean 'masha_ab'?"),
        (("--metrics", "bpx"), "--metrics names 'bpx'. Did you mean 'bpc'?"),
        (("--confidence", "95"), "--confidence must lie between 0 and 1, got 95.0; use 0.95"),
        (("nothing",), "There is no report 'nothing'."),
        (("a", "b", "c"), "give one report to render or two to compare, got 3"),
        (("a", "b", "--confidence", ".9"), "are for one report, got two"),
    ],
)
def test_a_mistake_is_one_sentence(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ended = command("report", *arguments, cwd=run.folder)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err


def test_a_folder_that_is_no_report_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years")
    ended = command("report", "--out", str(tmp_path / "mine"), cwd=run.folder)
    assert ended.code == 2
    assert "exists and is no report's folder; name another" in ended.err
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years"

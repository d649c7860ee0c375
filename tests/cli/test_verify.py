"""`rig verify` on a report as it was made, and after one digit was changed in what it stands on."""

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import Run, command
from lock_project import Project

from rig.core.fingerprint import file_sha256, fingerprint


@pytest.fixture
def copied(run: Run, tmp_path: Path) -> Run:
    """A copy of the tiny run, to be damaged."""
    shutil.copytree(run.folder / "runs", tmp_path / "runs")
    return Run(folder=tmp_path, ended=run.ended)


def change_digit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def reseal(cell: Path) -> None:
    """Give a cell's DONE.json the hashes that its files have now, as a forger would."""
    done = json.loads((cell / "DONE.json").read_text(encoding="utf-8"))
    attempt = cell / "attempts" / done["attempt"]
    done["files"] = {name: file_sha256(attempt / name) for name in done["files"]}
    done["self_sha256"] = fingerprint({key: value for key, value in done.items() if key != "self_sha256"})
    (cell / "DONE.json").write_text(json.dumps(done), encoding="utf-8")


def a_trained_cell(run: Run) -> Path:
    return next(path for path in (run.folder / "runs/cells/baseline").iterdir() if path.name.endswith("s41"))


def test_a_fresh_report_is_verified_down_to_the_token_scores(run: Run) -> None:
    ended = command("verify", str(run.report), cwd=run.folder)
    assert ended.code == 0, ended.err
    assert "no mismatch" in ended.out
    assert ended.out.count("each sum from the token scores") == 8
    assert ended.out.count("each task column from its items") == 8
    assert "verified     each cell of per_seed.csv and per_seed.parquet" in ended.out
    assert "not present" not in ended.out.replace("not present here", "")


def test_the_latest_report_is_the_one_meant(run: Run) -> None:
    assert command("verify", cwd=run.folder).code == 0


@pytest.mark.parametrize("name", ["per_seed.csv", "aggregate.csv", "comparisons.csv"])
def test_one_changed_digit_in_a_table_is_named(copied: Run, name: str) -> None:
    path = copied.report / name
    lines = path.read_text(encoding="utf-8").splitlines()
    header, row = lines[0].split(","), lines[1].split(",")
    column = next(index for index, value in enumerate(row) if "." in value)
    digit = row[column][-1]
    row[column] = row[column][:-1] + ("1" if digit != "1" else "2")
    path.write_text("\n".join([lines[0], ",".join(row), *lines[2:]]) + "\n", encoding="utf-8")
    ended = command("verify", str(copied.report), cwd=copied.folder)
    assert ended.code == 1
    assert f"{name}: line 2, column '{header[column]}': stored '{row[column]}', derived" in ended.err


@pytest.mark.parametrize(("name", "old", "new"), [
    ("report.md", "Holm p", "holm p"), ("report.html", "Holm p", "holm p"), ("tables.tex", "masha", "mesha"),
])  # fmt: skip
def test_one_changed_letter_in_a_page_is_named(copied: Run, name: str, old: str, new: str) -> None:
    change_digit(copied.report / name, old, new)
    ended = command("verify", str(copied.report), cwd=copied.folder)
    assert ended.code == 1
    assert f"{name}, line " in ended.err


def test_a_page_that_is_gone_is_a_mismatch(copied: Run) -> None:
    (copied.report / "report.md").unlink()
    ended = command("verify", str(copied.report), cwd=copied.folder)
    assert ended.code == 1
    assert "report.md is missing" in ended.err


def test_one_changed_value_in_a_parquet_table_is_named(copied: Run) -> None:
    path = copied.report / "per_seed.parquet"
    table = pq.read_table(path)
    values = table["bpc"].to_pylist()
    values[0] = np.nextafter(values[0], 9.0)
    index = table.column_names.index("bpc")
    pq.write_table(table.set_column(index, "bpc", pa.array(values, pa.float64())), path)
    ended = command("verify", str(copied.report), cwd=copied.folder)
    assert ended.code == 1
    assert "per_seed.parquet, row 1, column 'bpc': stored" in ended.err


@pytest.mark.parametrize("name", ["sums.parquet", "token_scores.parquet", "items.parquet", "result.json"])
def test_one_changed_byte_in_a_cell_is_named(copied: Run, name: str) -> None:
    path = next(a_trained_cell(copied).glob(f"attempts/*/{name}"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    ended = command("verify", str(copied.report), cwd=copied.folder)
    assert ended.code == 1
    assert f"{name} was changed after the cell was finished" in ended.err


def test_forged_sums_are_caught_by_the_token_scores(copied: Run) -> None:
    cell = a_trained_cell(copied)
    path = next(cell.glob("attempts/*/sums.parquet"))
    table = pq.read_table(path)
    totals = np.array(table["total"].to_pylist())
    totals[0] *= 0.99
    index = table.column_names.index("total")
    pq.write_table(table.set_column(index, "total", pa.array(totals)), path)
    reseal(cell)
    ended = command("verify", str(copied.report), cwd=copied.folder)
    assert ended.code == 1
    assert "sums.parquet, document" in ended.err
    assert "metric 'ce': stored" in ended.err


def test_a_forged_result_is_caught_by_the_report(copied: Run) -> None:
    cell = a_trained_cell(copied)
    path = next(cell.glob("attempts/*/result.json"))
    result = json.loads(path.read_text(encoding="utf-8"))
    result["n_params"] += 1
    path.write_text(json.dumps(result), encoding="utf-8")
    reseal(cell)
    ended = command("verify", str(copied.report), cwd=copied.folder)
    assert ended.code == 1
    assert ": result: stored" in ended.err


def test_a_config_that_the_cells_did_not_run_under_is_named(copied: Run) -> None:
    change_digit(copied.report / "report.json", '"warmup_steps": 5', '"warmup_steps": 6')
    ended = command("verify", str(copied.report), cwd=copied.folder)
    assert ended.code == 1
    assert "config `train`: stored" in ended.err


def test_a_changed_declaration_is_named(copied: Run) -> None:
    path = copied.report / "report.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["stats"]["primary"] = "ppl"
    path.write_text(json.dumps(record), encoding="utf-8")
    ended = command("verify", str(copied.report), cwd=copied.folder)
    assert ended.code == 1
    assert "stats_sha256: stored" in ended.err


def test_a_missing_cell_is_a_mismatch(copied: Run) -> None:
    shutil.rmtree(a_trained_cell(copied))
    ended = command("verify", str(copied.report), cwd=copied.folder)
    assert ended.code == 1
    assert "DONE.json is missing" in ended.err


def test_annotations_that_are_elsewhere_are_said_and_are_no_mismatch(copied: Run) -> None:
    # The cells name the original run's data; without it the sums can't be derived, and all else can.
    for cell_json in copied.folder.glob("runs/cells/*/*/cell.json"):
        held = json.loads(cell_json.read_text(encoding="utf-8"))
        held["where"]["annotations"] = "nowhere"
        cell_json.write_text(json.dumps(held), encoding="utf-8")
    ended = command("verify", str(copied.report), cwd=copied.folder)
    assert ended.code == 0, ended.err
    assert ended.out.count("the annotations are not on this machine") == 8


@pytest.mark.parametrize(
    ("arguments", "text"),
    [(("nowhere",), "There is no report 'nowhere'"), ((), "holds no report; run `rig tier1` first")],
)
def test_what_is_no_report_is_exit_2(arguments: tuple[str, ...], text: str, tmp_path: Path) -> None:
    ended = command("verify", *arguments, cwd=tmp_path)
    assert ended.code == 2
    assert text in ended.err


@pytest.fixture
def locked(swept: Project) -> Path:
    """A report whose kind ran on a lock; its folder."""
    status, said = swept.rig(
        "tier1", "--kinds", "baseline", "--seeds", "41", "--engine", "inline", *swept.settings, "tasks=[]",
        "train.steps=20",
    )  # fmt: skip
    assert status == 0, said
    reports = swept.root / "runs" / "reports"
    return reports / (reports / "latest").read_text(encoding="utf-8").strip()


def test_lock_and_sweep_of_a_report_are_verified(swept: Project, locked: Path) -> None:
    status, said = swept.rig("verify", str(locked))
    assert status == 0, said
    assert "verified lock of baseline: hash, and the choice from its curve" in said
    assert "each loss from its cell" in said
    for link in ("locks/baseline.json", f"sweeps/{swept.records()[0].parent.name}/index.md"):
        assert (locked / link).is_file()
        assert f"({link})" in (locked / "report.md").read_text(encoding="utf-8")


def test_a_changed_digit_in_the_locks_copy_is_a_mismatch(swept: Project, locked: Path) -> None:
    change_digit(locked / "locks" / "baseline.json", '"val_loss": 2', '"val_loss": 1')
    status, said = swept.rig("verify", str(locked))
    assert status == 1, said
    assert "locks/baseline.json" in said


def test_a_changed_digit_in_the_sweeps_copy_is_a_mismatch(swept: Project, locked: Path) -> None:
    change_digit(next(locked.glob("sweeps/*/sweep.json")), '"val_loss": 2', '"val_loss": 1')
    status, said = swept.rig("verify", str(locked))
    assert status == 1, said
    assert "sweep.json" in said


def test_a_sweeps_cells_that_are_elsewhere_are_no_mismatch(swept: Project, locked: Path) -> None:
    for cell in (swept.root / "runs" / "cells" / "baseline").glob("*-s7"):
        shutil.rmtree(cell)
    status, said = swept.rig("verify", str(locked))
    assert status == 0, said
    assert "4 of 4 cells are not present here" in said


def test_links_to_lock_and_sweep_exist_whatever_runs_folder_is_written_to(swept: Project) -> None:
    status, said = swept.rig(
        "tier1", "--kinds", "baseline", "--seeds", "41", "--engine", "inline", *swept.settings, "tasks=[]",
        "train.steps=20", "--runs-dir", "elsewhere",
    )  # fmt: skip
    assert status == 0, said
    report = next((swept.root / "elsewhere" / "reports").glob("tier1-*"))
    page = (report / "report.md").read_text(encoding="utf-8")
    for link in ("locks/baseline.json", f"sweeps/{swept.records()[0].parent.name}/index.md"):
        assert f"({link})" in page
        assert (report / link).is_file()
    assert swept.rig("verify", str(report))[0] == 0

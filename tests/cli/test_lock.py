"""Every state of a lock through the commands: default, --unlocked, --strict; exit code and words."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rig
from rig.experiment.lock_file import check_lock_file
from rig.experiment.sweep_record import check_sweep_record


def set_at(*path, value):
    def edit(content):
        *way, last = path
        for step in way:
            content = content[step]
        content[last] = value

    return edit


@pytest.fixture
def new_code(monkeypatch):
    """The code that a training imports is not what it was in the sweep."""
    monkeypatch.setattr("rig.experiment.lock_subject.code_fingerprint", lambda roots: "ab" * 32)


FLAGS = pytest.mark.parametrize(
    "flag", [None, "--unlocked", "--strict"], ids=["default", "unlocked", "strict"]
)


def flags(flag):
    return () if flag is None else (flag,)


@FLAGS
def test_a_fitting_lock_gives_the_value_exactly(swept, flag) -> None:
    status, said = swept.tier1(*flags(flag))
    chosen = json.loads(swept.lock().read_text(encoding="utf-8"))["chosen"]["lr"]
    assert status == 0
    assert f"baseline: lr {chosen!r}, lock OK" in said


@FLAGS
def test_a_deleted_lock_is_missing(swept, flag) -> None:
    swept.lock().unlink()
    status, said = swept.tier1(*flags(flag))
    if flag == "--unlocked":
        assert status == 0
        assert "baseline: lr 0.005, lock UNLOCKED (missing)" in said
    else:
        assert status == 3
        assert "the lr lock of kind 'baseline' on data 'tiny' is missing" in said
        assert "make one: `rig sweep lr --kinds baseline data=parquet data.name=tiny" in said
        assert "sweep.steps=20" in said


@FLAGS
def test_other_steps_are_stale_and_named(swept, flag) -> None:
    status, said = swept.tier1(*flags(flag), "train.steps=30")
    if flag == "--unlocked":
        assert status == 0
        assert "lr 0.005, lock UNLOCKED (stale: train.steps)" in said
    else:
        assert status == 3
        assert "train.steps: lock 20 -> now 30" in said
        for way_out in ("revert the change", "`rig sweep lr --kinds baseline", "`rig lock accept baseline"):
            assert way_out in said


@FLAGS
def test_other_data_are_stale_and_named(swept, flag) -> None:
    swept.change_data()
    status, said = swept.tier1(*flags(flag))
    if flag == "--unlocked":
        assert status == 0
        assert "UNLOCKED (stale: data.documents, data.sentences, data.words)" in said
    else:
        assert status == 3
        assert "data.documents: lock sha256:" in said


@FLAGS
def test_other_code_is_a_stamp_and_under_strict_an_error(swept, flag, new_code) -> None:
    status, said = swept.tier1(*flags(flag))
    if flag == "--strict":
        assert status == 3
        assert "-> now sha256:abababab" in said
        assert "drop --strict" in said
    else:
        chosen = json.loads(swept.lock().read_text(encoding="utf-8"))["chosen"]["lr"]
        assert status == 0
        assert f"baseline: lr {chosen!r}, lock STALE (code only)" in said


def test_strict_wins_over_unlocked_for_code(swept, new_code) -> None:
    assert swept.tier1("--strict", "--unlocked")[0] == 3


TAMPERINGS = {
    "chosen.lr": (set_at("chosen", "lr", value=0.02), "chosen.lr is 0.02, but the curve says"),
    "curve": (set_at("sweep", "curve", 3, "val_loss", value=9.5), "changed after it was written"),
}


@FLAGS
@pytest.mark.parametrize("what", TAMPERINGS)
def test_an_edited_lock_is_refused_whatever_the_flags(swept, flag, what) -> None:
    edit, message = TAMPERINGS[what]
    swept.edit_lock(edit)
    status, said = swept.tier1(*flags(flag))
    assert status == 4
    assert message in said
    assert "restore it from version control, or sweep again" in said


def test_what_is_no_json_is_refused(swept) -> None:
    swept.lock().write_text("<<<<<<< HEAD\n{}\n", encoding="utf-8")
    status, said = swept.tier1("--unlocked")
    assert status == 4
    assert "can't be read as JSON" in said


def test_a_forged_lock_is_caught_by_the_sweeps_record(swept) -> None:
    swept.edit_lock(set_at("sweep", "curve", 3, "val_loss", value=9.5), reseal=True)
    status, said = swept.tier1()
    assert status == 4
    assert "`sweep.curve` differs from the sweep's record" in said


def test_a_damaged_record_makes_the_lock_unusable(swept) -> None:
    record = swept.records()[0]
    record.write_text(record.read_text(encoding="utf-8").replace('"ok"', '"diverged"', 1), encoding="utf-8")
    status, said = swept.tier1()
    assert status == 4
    assert "its sweep's record is damaged" in said


def test_a_lock_of_another_kind_is_no_lock_of_this_one(swept) -> None:
    shutil.copy(swept.lock(), swept.lock(kind="masha_ab"))
    status, said = swept.tier1(kinds="masha_ab")
    assert status == 4
    assert "it is the lr lock of kind 'baseline' on data 'tiny'" in said


def test_a_record_that_is_elsewhere_is_no_error(swept) -> None:
    shutil.rmtree(swept.root / "runs" / "sweeps")
    assert swept.tier1("--strict")[0] == 0
    status, said = swept.rig("lock", "check", "baseline", *swept.settings, "train.steps=20")
    assert status == 0
    assert "is not on this machine" in said


@FLAGS
def test_an_override_of_the_locked_setting(swept, flag) -> None:
    status, said = swept.tier1(*flags(flag), "train.lr=0.03")
    if flag == "--unlocked":
        assert status == 0
        assert "baseline: lr 0.03, lock UNLOCKED (override)" in said
    else:
        assert status == 3
        assert "train.lr is locked" in said
        assert "drop the override" in said


@FLAGS
def test_a_kind_without_a_learning_rate_needs_none(swept, flag) -> None:
    status, said = swept.tier1(*flags(flag), kinds="baseline,uniform")
    assert status == 0
    assert "uniform: no learning rate, lock NOT APPLICABLE" in said


@FLAGS
def test_the_sweeps_seed_is_refused_in_the_evaluation(swept, flag) -> None:
    status, said = swept.rig(
        "tier1", "--kinds", "baseline", "--seeds", "7,41", "--dry-run", *swept.settings, "train.steps=20",
        "tasks=[]", *flags(flag),
    )  # fmt: skip
    assert status == 2
    assert "--seeds has 7, the seed on which `lr` of kind 'baseline' was chosen" in said


def test_a_declared_transfer_is_allowed_and_printed(swept) -> None:
    transfer = ("lock.transfer=[train.steps]", "train.steps=30")
    assert swept.tier1(*transfer)[0] == 0
    status, said = swept.rig("lock", "check", "baseline", *swept.settings, *transfer)
    assert status == 0
    assert "`train.lr` was chosen at train.steps 20, and is used at 30 (declared in lock.transfer)" in said


def test_a_transfer_of_no_setting_is_refused(swept) -> None:
    status, said = swept.tier1("lock.transfer=[train.step]")
    assert status == 2
    assert "Did you mean 'train.steps'?" in said


def test_scoring_tasks_and_seeds_are_no_part_of_the_subject(swept) -> None:
    assert swept.tier1("score.batch_size=4", "score.strata=[upos]", "stats.boot_seed=3")[0] == 0


def test_the_data_may_lie_elsewhere(swept) -> None:
    shutil.move(swept.root / "data", swept.root / "moved")
    settings = [text.replace("/data", "/moved") for text in swept.settings]
    command = ("tier1", "--kinds", "baseline", "--seeds", "41", "--dry-run", "train.steps=20", "tasks=[]")
    assert swept.rig(*command, *settings)[0] == 0


CHECKED = ("--data", "parquet")


def check(project, *arguments):
    settings = [text for text in project.settings if text != "data=parquet"]
    return project.rig("lock", "check", "baseline", *CHECKED, *settings, *project.steps(arguments))


def test_check_exits_like_the_main_job(swept, new_code) -> None:
    assert check(swept)[0] == 0
    assert check(swept, "--strict")[0] == 3
    assert check(swept, "train.steps=30")[0] == 3
    swept.edit_lock(set_at("chosen", "lr", value=0.5))
    assert check(swept, "--unlocked")[0] == 4


def test_check_as_json(swept) -> None:
    status, said = check(swept, "--json")
    fine = json.loads(said)
    assert (status, fine["state"], fine["exit_code"], fine["error"]) == (0, "OK", 0, "")
    status, said = check(swept, "--json", "train.steps=30")
    stale = json.loads(said)
    assert (status, stale["state"], stale["exit_code"]) == (3, "STALE", 3)
    assert stale["changed"] == [{"field": "train.steps", "lock": 20, "now": 30}]


def test_show_prints_value_and_curve(swept) -> None:
    status, said = swept.rig("lock", "show", "baseline", *swept.settings)
    chosen = json.loads(swept.lock().read_text(encoding="utf-8"))["chosen"]["lr"]
    assert status == 0
    assert f"lr_baseline_best = {chosen!r}" in said
    assert f"* {chosen!r}" in said
    status, said = swept.rig("lock", "show", "masha_ab", *swept.settings)
    assert status == 3
    assert "there is no lr lock of kind 'masha_ab'" in said


def test_diff_names_what_changed(swept) -> None:
    command = ("lock", "diff", "baseline", *swept.settings)
    assert swept.rig(*command, "train.steps=20") == (0, "nothing undeclared changed since the sweep")
    status, said = swept.rig(*command, "train.steps=30", "train.beta1=0.8")
    assert status == 3
    assert said == "train.beta1: lock 0.9 -> now 0.8 train.steps: lock 20 -> now 30"


def test_accept_takes_over_a_change_and_keeps_who_and_why(swept) -> None:
    before = json.loads(swept.lock().read_text(encoding="utf-8"))
    command = ("lock", "accept", "baseline", "--by", "Ana", *swept.settings, "train.steps=30")
    assert swept.rig(*command, "--reason", " ")[0] == 2
    status, said = swept.rig(*command, "--reason", "longer runs keep the optimum")
    assert status == 0
    assert "accepted train.steps: lock 20 -> now 30" in said
    after = json.loads(swept.lock().read_text(encoding="utf-8"))
    (entry,) = after["accepted"]
    assert (entry["who"], entry["reason"]) == ("Ana", "longer runs keep the optimum")
    assert entry["changes"] == ["train.steps: lock 20 -> now 30"]
    assert entry["lock_was"] == before["self_sha256"] != after["self_sha256"]
    assert after["chosen"] == before["chosen"]
    assert swept.tier1("train.steps=30")[0] == 0
    assert swept.tier1()[0] == 3
    assert "Ana accepted on" in check(swept, "train.steps=30")[1]
    # Nothing is left to accept; a broken chain of acceptances is seen even where the hash fits.
    assert swept.rig(*command, "--reason", "again")[0] == 2
    swept.edit_lock(set_at("accepted", 0, "now", value="0" * 64), reseal=True)
    status, said = swept.tier1("train.steps=30")
    assert status == 4
    assert "`accepted` does not lead from" in said


def test_accept_refuses_what_is_tampered_with_or_missing(swept) -> None:
    command = ("lock", "accept", "baseline", "--reason", "x", *swept.settings, "train.steps=30")
    swept.edit_lock(set_at("chosen", "index", value=0))
    assert swept.rig(*command)[0] == 4
    swept.lock().unlink()
    assert swept.rig(*command)[0] == 3


def report_of(project, *arguments) -> tuple[Path, list[dict[str, str]]]:
    """Run the main job; the report's folder and its rows."""
    status, said = project.rig(
        "tier1", "--kinds", "baseline", "--seeds", "41,42", "--engine", "inline", *arguments,
        *project.settings, "train.steps=20", "tasks=[]",
    )  # fmt: skip
    assert status == 0, said
    reports = project.root / "runs" / "reports"
    latest = reports / (reports / "latest").read_text(encoding="utf-8").strip()
    with (latest / "per_seed.csv").open(encoding="utf-8", newline="") as file:
        return latest, list(csv.DictReader(file))


def test_every_row_leads_to_its_lock_and_sweep(swept) -> None:
    lock = json.loads(swept.lock().read_text(encoding="utf-8"))
    folder, rows = report_of(swept)
    assert len(rows) == 2
    for row in rows:
        assert float(row["lr"]) == lock["chosen"]["lr"]
        assert (row["lock_state"], row["sweep_id"]) == ("OK", lock["sweep"]["id"])
        assert lock["self_sha256"].startswith(row["lock_id"])
        cell = json.loads((swept.root / "runs" / "cells" / row["cell"] / "cell.json").read_text("utf-8"))
        assert cell["identity"]["config"]["train"]["lr"] == lock["chosen"]["lr"]
    assert check_lock_file(folder / "locks" / "baseline.json").sha256 == lock["self_sha256"]
    assert check_sweep_record(folder / "sweeps" / rows[0]["sweep_id"] / "sweep.json").choice.value == float(
        rows[0]["lr"]
    )


def test_unlocked_is_stamped_on_every_row_of_the_report(swept) -> None:
    swept.lock().unlink()
    folder, rows = report_of(swept, "--unlocked")
    assert [row["lock_state"] for row in rows] == ["UNLOCKED (missing)"] * 2
    assert [float(row["lr"]) for row in rows] == [0.005] * 2
    assert "UNLOCKED (missing)" in (folder / "report.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_an_edited_module_is_seen_and_an_edited_docstring_is_not(swept) -> None:
    """Through another copy of the package, in a process of its own."""
    copy = swept.root / "copy"
    shutil.copytree(Path(rig.__file__).parent, copy / "rig", ignore=shutil.ignore_patterns("__pycache__"))
    module = copy / "rig" / "models" / "adamw.py"
    text = module.read_text(encoding="utf-8")

    def strict_run() -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "rig", "tier1", "--kinds", "baseline", "--seeds", "41", "--dry-run",
             "--strict", *swept.settings, "train.steps=20", "tasks=[]"],
            cwd=swept.root, env={"PYTHONPATH": str(copy), "PATH": ""}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    module.write_text(text.replace('"""', '"""Really. ', 1), encoding="utf-8")
    result = strict_run()
    assert (result.returncode, "lock OK" in result.stdout) == (0, True), result.stderr
    module.write_text(text + "\nNEW = 1\n", encoding="utf-8")
    result = strict_run()
    assert result.returncode == 3
    assert "code: lock sha256:" in result.stderr


def test_the_record_is_looked_for_where_the_runs_are(swept) -> None:
    (swept.root / "runs").rename(swept.root / "elsewhere")
    record = next((swept.root / "elsewhere" / "sweeps").glob("*/sweep.json"))
    record.write_text("{", encoding="utf-8")
    assert swept.tier1()[0] == 0
    assert swept.tier1("--runs-dir", "elsewhere")[0] == 4

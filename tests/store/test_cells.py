import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rig.core.errors import StoreError
from rig.core.files import write_json
from rig.store.cells import (
    CellSpec,
    cell_directory,
    check_done,
    is_done,
    n_attempts,
    new_attempt,
    plan_cell,
    publish,
    quarantined,
    read_done,
    read_spec,
)

FILES = ("result.json", "timing.json")


def spec(**changes: object) -> CellSpec:
    fields: dict[str, object] = {
        "kind": "baseline",
        "seed": 41,
        "identity": {"config": {"train": {"lr": 0.005}}, "data": {"name": "d"}, "code": {"sha256": "0"}},
        "where": {"annotations": "somewhere"},
    }
    return CellSpec(**{**fields, **changes})  # type: ignore[arg-type]


def attempt_with(directory: Path, value: float) -> Path:
    attempt = new_attempt(directory)
    write_json(attempt / "result.json", {"status": "ok", "value": value})
    write_json(attempt / "timing.json", {"train_s": 1.0})
    return attempt


def test_the_key_depends_on_kind_seed_and_identity_and_not_on_where() -> None:
    keys = {
        spec().key,
        spec(kind="masha_ab").key,
        spec(seed=42).key,
        spec(seed=None).key,
        spec(identity={"config": {"train": {"lr": 0.001}}}).key,
    }
    assert len(keys) == 5
    assert spec(where={"annotations": "elsewhere"}).key == spec().key


def test_a_cell_id_names_kind_key_and_seed_and_no_path() -> None:
    assert spec().cell_id == f"baseline/{spec().key[:16]}-s41"
    assert spec(seed=None).cell_id.endswith("-s0")


def test_planning_twice_is_planning_once(tmp_path: Path) -> None:
    directory = plan_cell(tmp_path, spec())
    before = (directory / "cell.json").stat().st_mtime_ns
    assert plan_cell(tmp_path, spec()) == directory == cell_directory(tmp_path, spec())
    assert (directory / "cell.json").stat().st_mtime_ns == before
    assert read_spec(directory) == spec()


def test_data_that_moved_are_found_again_under_the_same_key(tmp_path: Path) -> None:
    directory = plan_cell(tmp_path, spec())
    plan_cell(tmp_path, spec(where={"annotations": "elsewhere"}))
    assert read_spec(directory).where == {"annotations": "elsewhere"}


def test_a_changed_cell_json_is_refused(tmp_path: Path) -> None:
    directory = plan_cell(tmp_path, spec())
    held = json.loads((directory / "cell.json").read_text())
    held["identity"]["config"]["train"]["lr"] = 0.5
    write_json(directory / "cell.json", held)
    with pytest.raises(StoreError, match="was changed after it was written"):
        read_spec(directory)


def test_only_a_published_result_counts(tmp_path: Path) -> None:
    directory = plan_cell(tmp_path, spec())
    assert read_done(directory) is None
    attempt = attempt_with(directory, 1.0)
    assert read_done(directory) is None
    assert publish(directory, attempt, FILES)
    done = read_done(directory)
    assert done is not None
    assert done.result["value"] == 1.0
    assert done.attempt == attempt


def test_of_two_attempts_the_first_wins(tmp_path: Path) -> None:
    directory = plan_cell(tmp_path, spec())
    first, second = attempt_with(directory, 1.0), attempt_with(directory, 2.0)
    assert publish(directory, second, FILES)
    assert not publish(directory, first, FILES)
    done = read_done(directory)
    assert done is not None
    assert done.result["value"] == 2.0
    assert n_attempts(directory) == 2


@pytest.mark.parametrize("damage", ["changed", "missing", "half a DONE.json", "edited DONE.json"])
def test_a_damaged_result_is_set_aside_and_never_used(tmp_path: Path, damage: str) -> None:
    directory = plan_cell(tmp_path, spec())
    attempt = attempt_with(directory, 1.0)
    publish(directory, attempt, FILES)
    done = directory / "DONE.json"
    if damage == "changed":
        write_json(attempt / "result.json", {"status": "ok", "value": 0.9})
    elif damage == "missing":
        (attempt / "timing.json").unlink()
    elif damage == "half a DONE.json":
        done.write_text(done.read_text()[:50])
    else:
        held = json.loads(done.read_text())
        held["files"]["result.json"] = "0" * 64
        write_json(done, held)
    assert not is_done(directory)
    assert done.exists(), "asking must not move anything"
    assert read_done(directory) is None
    assert len(quarantined(directory)) == 1
    assert not done.exists()
    # The cell can be computed again, and the damaged attempt is still there to look at.
    again = attempt_with(directory, 1.0)
    assert publish(directory, again, FILES)
    assert read_done(directory) is not None
    assert attempt.exists()


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda attempt: (attempt / "timing.json").unlink(), "timing.json is missing"),
        (
            lambda attempt: (attempt / "result.json").write_text("{}"),
            "result.json was changed after the cell",
        ),
    ],
)
def test_checking_says_what_is_wrong(tmp_path: Path, damage: object, text: str) -> None:
    directory = plan_cell(tmp_path, spec())
    attempt = attempt_with(directory, 1.0)
    publish(directory, attempt, FILES)
    damage(attempt)  # type: ignore[operator]
    with pytest.raises(StoreError, match=text):
        check_done(directory)


def test_another_cell_under_the_same_digits_is_refused(tmp_path: Path) -> None:
    directory = plan_cell(tmp_path, spec())
    held = json.loads((directory / "cell.json").read_text())
    write_json(directory / "cell.json", {**held, "key": "f" * 64})
    with pytest.raises(StoreError, match="holds another cell's key"):
        plan_cell(tmp_path, spec())


def test_a_worker_killed_before_publishing_leaves_no_result(tmp_path: Path) -> None:
    directory = plan_cell(tmp_path, spec())
    script = (
        "import sys, time; from pathlib import Path; from rig.store.cells import *\n"
        "from rig.core.files import write_json\n"
        "directory = Path(sys.argv[1]); attempt = new_attempt(directory)\n"
        "write_json(attempt / 'result.json', {}); print('half', flush=True); time.sleep(60)\n"
    )
    worker = subprocess.Popen(
        [sys.executable, "-c", script, str(directory)], stdout=subprocess.PIPE, text=True
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == "half\n"
    os.kill(worker.pid, signal.SIGKILL)
    worker.wait()
    worker.stdout.close()
    assert read_done(directory) is None
    assert publish(directory, attempt_with(directory, 3.0), FILES)

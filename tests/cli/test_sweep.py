"""`rig sweep` as a user runs it, on a model that trains in a blink."""

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from rig.core.errors import LockError, VerificationError
from rig.experiment.config import find_conf_dir
from rig.experiment.datasets import prepare
from rig.experiment.lock_file import check_lock_file
from rig.experiment.sweep import lock_sweep, plan_sweep, sweep_config
from rig.experiment.sweep_record import check_sweep_cells, check_sweep_record


def content(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def but_for_times(path: Path) -> str:
    return "\n".join(
        line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(' "created"')
    )


def test_a_sweep_leaves_record_page_figure_and_lock(swept) -> None:
    (path,) = swept.records()
    record = check_sweep_record(path)
    lock = check_lock_file(swept.lock())
    assert path.parent.name == record.sweep_id == lock.sweep_id
    assert {"index.md", "curve.svg"} <= {file.name for file in path.parent.iterdir()}
    losses = [point.loss for point in record.curve]
    assert record.choice.loss == min(losses)
    assert lock.choice == record.choice
    assert lock.curve == record.curve
    page = (path.parent / "index.md").read_text(encoding="utf-8")
    assert f"lr_baseline_best = {record.choice.value!r}" in page
    assert "robust" in page or "fragile" in page
    assert str(swept.root) not in path.read_text(encoding="utf-8") + page


def test_every_loss_is_derived_again_from_the_cells(swept) -> None:
    (path,) = swept.records()
    record = check_sweep_record(path)
    runs = swept.root / "runs"
    assert check_sweep_cells(record, runs) == 4
    cell = runs / "cells" / record.curve[0].cell
    config = content(cell / "cell.json")["identity"]["config"]
    assert (config["score"]["split"], config["tasks"], config["train"]["steps"]) == ("validation", [], 20)
    # Two points' results exchanged: each file is whole, each hash fits, and the loss is another's.
    other = runs / "cells" / record.curve[1].cell
    exchanged = Path(str(cell) + "-kept")
    cell.rename(exchanged)
    shutil.copytree(other, cell)
    with pytest.raises(VerificationError, match=r"point 0: its cell has train\.lr 0\.01"):
        check_sweep_cells(record, runs)
    shutil.rmtree(cell)
    assert check_sweep_cells(record, runs) == 3


def test_the_same_sweep_again_computes_nothing_and_changes_nothing(swept) -> None:
    lock, record = swept.lock().read_bytes(), swept.records()[0].read_bytes()
    status, said = swept.sweep()
    assert status == 0
    assert "4 of 4 cells are done already" in said
    assert swept.lock().read_bytes() == lock
    assert [path.read_bytes() for path in swept.records()] == [record]


def test_kinds_come_one_after_the_other_and_one_without_a_learning_rate_says_so(project) -> None:
    status, said = project.sweep(kinds="uniform,baseline,masha_ab")
    assert status == 0
    assert "uniform has no learning rate" in said
    assert said.index("lr_baseline_best = ") < said.index("sweep lr, kind masha_ab")
    assert said.index("conf/locks/lr/tiny/baseline.json") < said.index("sweep lr, kind masha_ab")
    assert "lr_masha_ab_best = " in said
    assert not project.lock(kind="uniform").exists()


def test_an_optimum_at_the_edge_is_refused_and_may_be_allowed_with_a_stamp(project) -> None:
    grid = ("sweep.low=1e-05", "sweep.high=1e-3", "sweep.points=3")
    status, said = project.sweep(*grid)
    assert status == 1
    assert "its best value 0.001 is the last of the grid" in said
    assert "raise sweep.high, or pass --allow-edge" in said
    assert not project.lock().exists()
    assert len(project.records()) == 1
    status, said = project.sweep(*grid, "--allow-edge")
    assert status == 0
    assert "at the grid's edge (allowed by --allow-edge)" in said
    assert len(project.records()) == 1
    assert content(project.lock())["chosen"]["at_edge"] is True
    status, said = project.rig("lock", "check", "baseline", *project.settings, "train.steps=20")
    assert status == 0
    assert "lies at the edge of its grid (allowed by --allow-edge)" in said


def test_a_diverged_point_is_finished_and_shown(project) -> None:
    status, _ = project.sweep("sweep.low=0.01", "sweep.high=1e10", "sweep.points=4", "--allow-edge")
    assert status == 0
    curve = content(project.lock())["sweep"]["curve"]
    assert [point["status"] for point in curve][-1] == "diverged"
    assert curve[-1]["val_loss"] is None
    page = (project.records()[0].parent / "index.md").read_text(encoding="utf-8")
    assert "| 10000000000.0 |  |  | diverged |" in page


def test_nothing_is_chosen_where_every_point_diverged(project) -> None:
    status, said = project.sweep("sweep.low=1e8", "sweep.high=1e10", "sweep.points=3")
    assert status == 1
    assert "training diverged at every value" in said
    assert project.records() == []


def test_a_failed_point_makes_the_grid_incomplete(project, monkeypatch) -> None:
    from rig import scoring
    from rig.core.errors import ModelError

    measured = scoring.document_sums

    def fail_once(*arguments, **options):
        monkeypatch.setattr(scoring, "document_sums", measured)
        raise ModelError("made to fail")

    monkeypatch.setattr(scoring, "document_sums", fail_once)
    status, said = project.sweep()
    assert status == 1
    assert "1 of 4 points failed, first lr=0.001: made to fail" in said
    assert not project.lock().exists()
    assert project.records() == []
    status, said = project.sweep()
    assert status == 0
    assert "3 of 4 cells are done already" in said
    assert project.lock().exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train.steps=30",), "a sweep takes sweep.steps (20); write sweep.steps=30"),
        (("score.split=test",), "has no effect: a sweep takes sweep.split (validation)"),
        (("sweep.split=test",), "choosing on test would spoil it"),
        (("train.lr=0.1",), "it is what the sweep varies"),
        (("tasks=[agreement]",), "a sweep asks no tasks"),
        (("sweep.metric=unk_rate",), "`sweep.metric` is 'unk_rate'"),
        (("--points", "4", "sweep.points=4"), "override 'sweep.points' is given twice"),
        (("--jobs", "0"), "--jobs must be at least 1"),
        (("data.name=a/b",), "must be letters, digits"),
    ],
)
def test_what_has_no_effect_or_spoils_the_choice_is_refused(project, arguments, message) -> None:
    settings = [
        text
        for text in project.sweep_settings
        if not text.startswith("data.name") or "data.name=a/b" not in arguments
    ]
    status, said = project.rig("sweep", "lr", "--kinds", "baseline", *arguments, *settings)
    assert status == 2
    assert message in said
    assert not (project.root / "runs" / "cells").exists()


def test_an_unknown_sweep_or_kind_is_refused_with_the_nearest(project) -> None:
    assert "Did you mean 'lr'?" in project.rig("sweep", "lrr", "--kinds", "baseline")[1]
    status, said = project.sweep(kinds="baseline,masha_ac")
    assert status == 2
    assert "unknown kind 'masha_ac'" in said


def test_the_learning_rate_is_swept_under_one_name(project) -> None:
    shutil.copy(project.root / "conf/sweep/lr.yaml", project.root / "conf/sweep/rate.yaml")
    status, said = project.sweep(name="rate")
    assert status == 2
    assert "the sweep of `train.lr` must be called `lr`" in said


def test_a_lock_is_never_written_into_the_installed_package(project, monkeypatch) -> None:
    package = project.root / "site" / "rig"
    shutil.copytree(project.root / "conf", package / "_conf")
    monkeypatch.setattr("rig.experiment.sweep.rig.__file__", str(package / "__init__.py"))
    status, said = project.rig("sweep", "lr", "--kinds", "baseline", "--conf-dir", str(package / "_conf"))
    assert status == 2
    assert "can't be written into the installed package" in said


def test_another_setting_is_swept_at_the_locked_learning_rate(project) -> None:
    grid = ("sweep.points=3",)
    status, said = project.sweep(*grid, name="bias_strength", kinds="masha_ab")
    assert status == 3
    assert "the lr lock of kind 'masha_ab' on data 'tiny' is missing" in said
    assert project.sweep(kinds="masha_ab")[0] == 0
    lr = content(project.lock(kind="masha_ab"))["chosen"]["lr"]
    status, said = project.sweep(*grid, name="bias_strength", kinds="masha_ab")
    assert status == 0
    assert f"lr {lr!r}, lock OK" in said
    assert "bias_strength_masha_ab_best = " in said
    lock = check_lock_file(project.lock("bias_strength", "masha_ab"))
    assert lock.variable == "kind.options.bias_strength"
    assert lock.subject.settings["train"]["lr"] == lr
    assert [point.value for point in lock.curve] == [0.0, 2.0, 4.0]
    # The main job applies both, and neither makes the other stale.
    ready = ("lock", "check", "masha_ab", *project.settings, "train.steps=20")
    status, said = project.rig(*ready)
    assert status == 0
    assert f"masha_ab: OK, train.lr={lr!r}" in said
    assert f"`kind.options.bias_strength` is {lock.choice.value!r} from sweep {lock.sweep_id}" in said
    status, said = project.rig(*ready, "kind.options.bias_strength=3.0")
    assert status == 3
    # A new learning rate makes what was chosen at the old one stale.
    lr_lock = project.lock(kind="masha_ab").read_bytes()
    assert project.sweep("--seed", "8", "sweep.low=0.002", kinds="masha_ab")[0] == 0
    status, said = project.rig(*ready)
    assert status == 3
    assert "the bias_strength lock of kind 'masha_ab' on data 'tiny' is stale" in said
    assert f"train.lr: lock {lr!r} -> now" in said
    status, said = project.rig(*ready, "--unlocked")
    assert status == 0
    assert "masha_ab: bias_strength: UNLOCKED (stale: train.lr)" in said
    assert project.lock(kind="masha_ab").read_bytes() != lr_lock


def test_a_kind_without_the_setting_is_refused(project) -> None:
    assert project.sweep()[0] == 0
    (project.root / "conf/sweep/order.yaml").write_text(
        (project.root / "conf/sweep/bias_strength.yaml")
        .read_text(encoding="utf-8")
        .replace("bias_strength", "order"),
        encoding="utf-8",
    )
    status, said = project.sweep(name="order")
    assert status == 2
    assert "there is no setting `kind.options.order`" in said


def test_a_lock_that_changed_while_a_sweep_ran_is_left_alone(swept) -> None:
    """Two sweeps of one kind that differ: one lock, both records."""
    conf = find_conf_dir()
    grid = ["sweep.low=0.002", "sweep.high=1.0", "sweep.points=4"]
    config = sweep_config(conf, "lr", "baseline", [*grid, *swept.sweep_settings])
    runs = swept.root / "runs"
    data = prepare(config["data"], conf=conf, cache=runs / "data")
    early = plan_sweep("lr", config, conf=conf, data=data, overrides=(), runs=runs, allow_edge=False)
    assert swept.sweep("--seed", "8")[0] == 0
    later = swept.lock().read_bytes()
    record = next(
        record
        for record in map(check_sweep_record, swept.records())
        if record.sweep_id != check_lock_file(swept.lock()).sweep_id
    )
    with pytest.raises(LockError, match="changed while this sweep ran, so it was left as it is"):
        lock_sweep(early, record)
    assert swept.lock().read_bytes() == later
    assert len(swept.records()) == 2


@pytest.mark.slow
def test_two_equal_sweeps_at_once_make_one_record_and_one_lock(project) -> None:
    command = ("sweep", "lr", "--kinds", "baseline", "--engine", "inline", "sweep.low=0.001",
               "sweep.high=1.0", "sweep.points=4", *project.sweep_settings)  # fmt: skip
    both = [project.process(*command) for _ in range(2)]
    said = [process.communicate(timeout=400)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert len(project.records()) == 1
    check_sweep_record(project.records()[0])
    assert check_lock_file(project.lock()).sweep_id == project.records()[0].parent.name
    assert [path.name for path in project.lock().parent.iterdir()] == ["baseline.json"]


@pytest.mark.slow
def test_a_killed_sweep_goes_on_where_it_stopped_and_gives_the_same_lock(project, swept_template) -> None:
    command = ("sweep", "lr", "--kinds", "baseline", "--jobs", "1", "sweep.low=0.001",
               "sweep.high=1.0", "sweep.points=4", *project.sweep_settings)  # fmt: skip
    killed = project.process(*command)
    cells = project.root / "runs" / "cells"
    deadline = time.monotonic() + 300
    while not list(cells.glob("*/*/DONE.json")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert not project.lock().exists()
    time.sleep(5)  # the cell that was running ends by itself
    n_done = len(list(cells.glob("*/*/DONE.json")))
    assert 1 <= n_done < 4
    again = project.process(*command)
    said = again.communicate(timeout=400)[0]
    assert again.returncode == 0, said
    assert f"{n_done} of 4 cells are done already" in said
    whole = swept_template / "conf/locks/lr/tiny/baseline.json"
    assert but_for_times(project.lock()) == but_for_times(whole)
    assert project.records()[0].parent.name == next((swept_template / "runs/sweeps").iterdir()).name

"""What the decision needs beside the commands, whose tests are in tests/cli/test_lock.py."""

import pytest

from rig.core.errors import ConfigError
from rig.experiment.lock import LockDecision, check_variable, other_names, sweep_command


def test_the_command_that_is_suggested_keeps_the_settings_and_names_the_sweeps_own() -> None:
    overrides = [
        "data=parquet", "data.path=a folder", "train.lr=0.1", "train.steps=20", "train.beta1=0.8", "tasks=[]",
        "task.similarity.layers=[-1]", "score.split=test", "score.stride=8", "sweep.points=4",
        "stats.boot_seed=1",
    ]  # fmt: skip
    assert sweep_command("lr", "baseline", "train.lr", overrides) == (
        "rig sweep lr --kinds baseline data=parquet 'data.path=a folder' sweep.steps=20 "
        "train.beta1=0.8 score.stride=8"
    )
    assert sweep_command("lr", "k", "train.lr", ["sweep.steps=30"]) == "rig sweep lr --kinds k sweep.steps=30"


def test_the_learning_rate_has_one_name() -> None:
    check_variable("lr", "train.lr")
    check_variable("bias_strength", "kind.options.bias_strength")
    for name, variable in (("lr", "train.beta1"), ("rate", "train.lr")):
        with pytest.raises(ConfigError, match=r"the sweep of `train\.lr` must be called `lr`"):
            check_variable(name, variable)


def test_further_locks_are_found_by_kind_and_data_in_order(tmp_path) -> None:
    for name, data, kind in (
        ("b", "d", "k"),
        ("a", "d", "k"),
        ("lr", "d", "k"),
        ("c", "other", "k"),
        ("e", "d", "j"),
    ):
        path = tmp_path / "locks" / name / data / f"{kind}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert other_names(tmp_path, {"kind": {"name": "k"}}, "d") == ("a", "b")
    assert other_names(tmp_path / "none", {"kind": {"name": "k"}}, "d") == ()


def test_a_decision_speaks_of_the_learning_rate_unless_told_otherwise() -> None:
    decision = LockDecision(state="OK", value=0.1, label="OK")
    assert (decision.name, decision.variable, decision.others) == ("lr", "train.lr", ())

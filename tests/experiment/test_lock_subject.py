from pathlib import Path

import pytest

from rig.core.errors import ConfigError
from rig.experiment.datasets import PreparedData
from rig.experiment.lock_subject import (
    Subject,
    changes,
    check_transfer,
    keep_transfers,
    split_transfers,
    subject_of,
)

CONFIG = {
    "kind": {
        "name": "k",
        "description": "prose",
        "family": "ngram",
        "objective": "causal",
        "seeded": False,
        "has_lr": False,
        "options": {"order": 3},
    },
    "model": {"d_model": 8},
    "tokenizer": {"type": "bpe"},
    "train": {"lr": 0.005, "steps": 20},
    "morphology": {"prefixes": ["re"]},
    "score": {"stride": 8},
    "lock": {"transfer": []},
    "sweep": {"seed": 7},
    "tasks": [],
}
DATA = PreparedData(
    name="d",
    annotations=None,
    path=Path(),
    content={"words": "aa"},
    files={},
    file_hashes={},
    table_hashes={},
)


def with_train(**change) -> dict:
    return {**CONFIG, "train": {**CONFIG["train"], **change}}


def test_the_subject_is_what_a_training_depends_on_without_the_variable() -> None:
    subject = subject_of(CONFIG, "train.lr", DATA)
    assert subject.settings["train"] == {"steps": 20}
    assert "description" not in subject.settings["kind"]
    assert "score" not in subject.settings
    assert subject.data == {"words": "aa"}
    assert Subject.from_json(subject.to_json()) == subject
    assert CONFIG["train"] == {"lr": 0.005, "steps": 20}
    nested = subject_of(CONFIG, "kind.options.order", DATA)
    assert nested.settings["kind"]["options"] == {}
    assert nested.settings["train"] == CONFIG["train"]


def test_prose_scoring_and_the_variable_change_nothing() -> None:
    other = with_train(lr=0.1) | {
        "kind": {**CONFIG["kind"], "description": "other"},
        "score": {"stride": 4},
    }
    assert subject_of(other, "train.lr", DATA).sha256 == subject_of(CONFIG, "train.lr", DATA).sha256


def test_a_variable_outside_training_is_refused() -> None:
    with pytest.raises(ConfigError, match="training does not depend on it"):
        subject_of(CONFIG, "score.stride", DATA)


def test_every_difference_is_named_also_on_one_side_only() -> None:
    was = Subject(settings={"train": {"steps": 20, "old": 1}}, data={"words": "a" * 64}, code="c" * 64)
    now = Subject(settings={"train": {"steps": 30, "new": 2}}, data={"words": "b" * 64}, code="d" * 64)
    assert [str(change) for change in changes(was, now)] == [
        "train.new: lock (absent) -> now 2",
        "train.old: lock 1 -> now (absent)",
        "train.steps: lock 20 -> now 30",
        "data.words: lock sha256:aaaaaaaa -> now sha256:bbbbbbbb",
        "code: lock sha256:cccccccc -> now sha256:dddddddd",
    ]
    assert changes(was, was) == ()


def test_like_a_cells_key_it_tells_numbers_of_two_types_apart() -> None:
    whole = Subject(settings={"kind": {"options": {"x": 1}}}, data={}, code="")
    real = Subject(settings={"kind": {"options": {"x": 1.0}}}, data={}, code="")
    assert len(changes(whole, real)) == 1


def test_declared_transfers_are_split_off_and_kept_out_of_an_acceptance() -> None:
    was = subject_of(CONFIG, "train.lr", DATA)
    now = subject_of(with_train(steps=30) | {"model": {"d_model": 16}}, "train.lr", DATA)
    undeclared, declared = split_transfers(changes(was, now), ["train.steps"])
    assert [change.field for change in undeclared] == ["model.d_model"]
    assert [change.field for change in declared] == ["train.steps"]
    kept = keep_transfers(now, declared)
    assert kept.settings["train"]["steps"] == 20
    assert kept.settings["model"]["d_model"] == 16


def test_a_transfer_must_name_a_setting() -> None:
    assert check_transfer({**CONFIG, "lock": {"transfer": ["train.steps", "kind.options.any"]}}) == (
        "train.steps",
        "kind.options.any",
    )
    for name in ("train.step", "code", "data.words", "train"):
        with pytest.raises(ConfigError, match=f"`lock.transfer` names `{name}`"):
            check_transfer({**CONFIG, "lock": {"transfer": [name]}})


def test_a_subject_of_other_fields_is_refused() -> None:
    with pytest.raises(ValueError, match="a subject has the fields"):
        Subject.from_json({"settings": {}, "data": {}})

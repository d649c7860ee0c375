"""A kind of checkpoints: seeds, files that make its key, and what it refuses while it is built."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hf_files import write_checkpoint

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError
from rig.core.fingerprint import canonical_json, file_sha256
from rig.models.base import TrainingText
from rig.models.catalog import build_kind

pytest.importorskip("torch", reason="SKIPPED: torch is not installed (pip install 'rig[hf]')")
pytest.importorskip("transformers", reason="SKIPPED: transformers is not installed")

COMMIT = "0123456789abcdef0123456789abcdef01234567"
TEXT = TrainingText(train=(), validation=(Document(doc_id="v", text="O gato viu <x>."),))


def config(*, seeded: bool = False, **changes: Any) -> dict[str, Any]:
    """A config of a kind; what is no field of a kind is an option."""
    kind: dict[str, Any] = {
        "name": "mine", "family": "hf", "objective": "causal", "seeded": seeded, "has_lr": False,
    }  # fmt: skip
    fields = {name: changes.pop(name) for name in list(changes) if name in kind}
    return {"kind": {**kind, **fields, "options": {"model": "PATH", **changes}}}


def silent(*, step: int, n_steps: int, loss: float) -> None:
    raise AssertionError("nothing is trained")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"has_lr": True}, "`has_lr` of kind 'mine' must be false: a checkpoint is not trained here"),
        ({"objective": "seq2seq"}, "`objective` of kind 'mine' must be causal or masked, got 'seq2seq'"),
        (
            {"model": None},
            "option `model` of kind 'mine' must be a local directory or a hub id with `revision`",
        ),
        (
            {"seeded": True},
            "is `seeded: true`, but its option `model`, 'PATH', has no {seed}: every replicate",
        ),
        (
            {"model": "p-{seed}"},
            "is `seeded: false`, but its option `model`, 'p-{seed}', has {seed}; name one",
        ),
        (
            {"revision": "main"},
            "`revision` of kind 'mine' must be a commit's 40 hex digits, because branches",
        ),
        ({"revision": COMMIT.upper()}, "must be a commit's 40 hex digits"),
        ({"revision": {1: COMMIT}}, "or a mapping from each seed, in quotes, to them; got"),
        ({"revision": {"1": "v1.0"}}, "got 'v1.0' for '1'"),
        ({"models": "x"}, "unknown option 'models' of kind 'mine'"),
        ({"stride": 0}, "option `stride` of kind 'mine' must be an integer of at least 1, got 0"),
    ],
)
def test_each_wrong_option_is_refused_when_the_kind_is_built(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build_kind(config(**changes))
    assert message in str(caught.value)


def test_its_inputs_are_the_files_of_the_seeds_checkpoint(tmp_path: Path) -> None:
    for seed in (41, 42):
        write_checkpoint(tmp_path / f"run-{seed}", note=seed)
    kind = build_kind(config(seeded=True, model=str(tmp_path / "run-{seed}")))
    inputs = kind.inputs(42)
    assert inputs["model.safetensors"] == tmp_path / "run-42" / "model.safetensors"
    assert sorted(inputs) == sorted(kind.inputs(41))
    assert file_sha256(inputs["config.json"]) != file_sha256(kind.inputs(41)["config.json"])
    with pytest.raises(DataError, match=r"no directory '.*run-43'"):
        kind.inputs(43)


def test_a_tokenizer_can_go_by_seed_too(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "model-1")
    write_checkpoint(tmp_path / "tokenizer-1")
    kind = build_kind(
        config(
            seeded=True, model=str(tmp_path / "model-{seed}"), tokenizer=str(tmp_path / "tokenizer-{seed}")
        )
    )
    assert kind.inputs(1)["tokenizer/tokenizer.json"] == tmp_path / "tokenizer-1" / "tokenizer.json"


def test_a_refused_checkpoint_is_refused_when_the_run_is_planned(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, auto_map={"AutoModel": "mine.Mine"})
    with pytest.raises(DataError, match="code of the checkpoint's own"):
        build_kind(config(model=str(tmp_path))).inputs(0)


def test_each_seed_has_its_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="SKIPPED: huggingface_hub is not installed")
    asked = []

    def snapshot_download(repo_id: str, *, revision: str, **_: Any) -> str:
        asked.append((repo_id, revision))
        return str(write_checkpoint(tmp_path))

    monkeypatch.setattr(hub, "snapshot_download", snapshot_download)
    kind = build_kind(config(seeded=True, model="org/model-seed{seed}", revision={"1": COMMIT}))
    assert "config.json" in kind.inputs(1)
    assert asked == [("org/model-seed1", COMMIT)]
    with pytest.raises(ConfigError, match="option `revision` of kind 'mine' has none for seed 2, only for 1"):
        kind.inputs(2)


def test_it_loads_the_seeds_checkpoint(gpt2_directory: Path, tmp_path: Path) -> None:
    shutil.copytree(gpt2_directory, tmp_path / "run-7")
    out = tmp_path / "out"
    out.mkdir()
    kind = build_kind(config(seeded=True, model=str(tmp_path / "run-{seed}"), context=16))
    fit = kind.fit(TEXT, seed=7, out=out, progress=silent)
    assert fit.train_tokens == 0
    assert (fit.facts["context"], fit.facts["unk_share_validation"]) == (16, 0.0)
    assert canonical_json(fit.facts)
    assert not list(out.iterdir())
    assert fit.model.score(list(TEXT.validation))[0].n_tokens > 3


def test_the_share_of_unknown_tokens_is_stated(bert_directory: Path, tmp_path: Path) -> None:
    kind = build_kind(config(model=str(bert_directory), objective="masked"))
    fit = kind.fit(TEXT, seed=0, out=tmp_path, progress=silent)
    scores = fit.model.score(list(TEXT.validation))[0]
    share = float(np.mean(scores.token_id == fit.model.unk_id))
    assert share > 0
    assert fit.facts["unk_share_validation"] == share
    empty = TrainingText(train=(), validation=())
    assert kind.fit(empty, seed=0, out=tmp_path, progress=silent).facts["unk_share_validation"] is None

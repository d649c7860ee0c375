"""From a cell's config to a backend: what is refused, who imports torch, and what a fit with it leaves."""

import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from rig.core.documents import Document
from rig.core.errors import ConfigError
from rig.models.base import Fit, TrainingText
from rig.models.transformer_kind import TransformerKind

CONFIG: dict[str, Any] = {
    "kind": {
        "name": "baseline",
        "family": "transformer",
        "objective": "causal",
        "seeded": True,
        "has_lr": True,
        "options": {},
    },
    "model": {"backend": "numpy", "d_model": 16, "n_layers": 1, "n_heads": 2, "context": 8},
    "tokenizer": {"type": "word", "vocab_size": 60},
    "train": {
        "steps": 40, "batch_size": 4, "lr": 1e-2, "warmup_steps": 5, "min_lr_ratio": 0.1, "weight_decay": 0.1,
        "beta1": 0.9, "beta2": 0.95, "eps": 1e-8, "clip_norm": 1.0,
    },
    "score": {"split": "test", "stride": 4, "batch_size": 8, "strata": []},
    "morphology": {},
}  # fmt: skip
TEXTS = [
    f"o {noun} viu a {other} ." for noun in ("gato", "livro", "menino") for other in ("casa", "gata")
] * 5
TEXT = TrainingText(
    train=tuple(Document(doc_id=f"d{index}", text=text) for index, text in enumerate(TEXTS)),
    validation=(Document(doc_id="v", text="o menino viu a gata ."),),
)


def config(backend: str) -> dict[str, Any]:
    changed = deepcopy(CONFIG)
    changed["model"]["backend"] = backend
    return changed


def fit(backend: str, out: Path) -> Fit:
    out.mkdir()
    return TransformerKind(config(backend)).fit(TEXT, seed=3, out=out, progress=lambda **_: None)


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"unknown `model\.backend` 'torhc'\. Did you mean 'torch'\?"):
        TransformerKind(config("torhc"))


def test_a_missing_torch_is_told_when_the_kind_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rig.models.backend.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"`model\.backend=torch` needs .* `pip install 'rig\[torch\]'`"):
        TransformerKind(config("torch"))
    TransformerKind(config("numpy"))


_LOADED = """
import json, sys
from pathlib import Path
from rig.core.documents import Document
from rig.models.base import TrainingText
from rig.models.transformer_kind import TransformerKind
cell, texts, out = json.loads(sys.stdin.read())
kind = TransformerKind(cell)
print("torch" in sys.modules)
train = tuple(Document(doc_id=str(index), text=text) for index, text in enumerate(texts))
kind.fit(TrainingText(train=train, validation=()), seed=1, out=Path(out), progress=lambda **_: None)
print("torch" in sys.modules)
"""


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_torch_is_imported_by_a_training_with_it_and_by_nothing_else(backend: str, tmp_path: Path) -> None:
    if backend == "torch":
        pytest.importorskip("torch", reason="the torch backend needs torch: pip install 'rig[torch]'")
    done = subprocess.run(
        [sys.executable, "-c", _LOADED],
        input=json.dumps([config(backend), TEXTS, str(tmp_path)]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", str(backend == "torch")]


def test_a_fit_with_torch_is_that_with_numpy_but_for_rounding(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="the torch backend needs torch: pip install 'rig[torch]'")
    ours, theirs = fit("numpy", tmp_path / "numpy"), fit("torch", tmp_path / "torch")
    assert theirs.facts["initial_weights_sha256"] == ours.facts["initial_weights_sha256"]
    assert theirs.facts["final_validation_loss"] == pytest.approx(
        ours.facts["final_validation_loss"], abs=1e-3
    )
    assert ours.facts["final_validation_loss"] < 2.0
    assert set(theirs.facts) - set(ours.facts) == {"torch", "device"}
    assert theirs.facts["torch"] == torch.__version__
    curves = [(tmp_path / backend / "training.jsonl").read_text() for backend in ("numpy", "torch")]
    assert [json.loads(line)["step"] for line in curves[1].splitlines()] == [1, 20, 40, 40]
    assert curves[0] != curves[1]  # other rounding, so the weights did come back from torch


def test_two_fits_with_torch_leave_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the torch backend needs torch: pip install 'rig[torch]'")
    one, two = fit("torch", tmp_path / "one"), fit("torch", tmp_path / "two")
    assert dict(one.facts) == dict(two.facts)
    for name in ("model.npz", "training.jsonl"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()

"""From config to fit: what is checked, what is written, what is repeatable."""

import json
import math
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError
from rig.models.base import DivergedError, FillsMasks, Fit, TrainingText
from rig.models.catalog import build_kind
from rig.models.masked_prediction import predict_selected
from rig.models.network import Architecture, Network
from rig.models.transformer_kind import TransformerKind

CONFIG: dict[str, Any] = {
    "kind": {
        "name": "baseline",
        "family": "transformer",
        "objective": "causal",
        "seeded": True,
        "has_lr": True,
        "options": {
            "embedding": False, "attention_bias": False, "output_logits": False, "bias_strength": 1.0,
        },
    },
    "model": {"backend": "numpy", "d_model": 16, "n_layers": 1, "n_heads": 2, "context": 8},
    "tokenizer": {"type": "word", "vocab_size": 60},
    "train": {
        "steps": 60, "batch_size": 4, "lr": 1e-2, "warmup_steps": 5, "min_lr_ratio": 0.1, "weight_decay": 0.1,
        "beta1": 0.9, "beta2": 0.95, "eps": 1e-8, "clip_norm": 1.0,
    },
    "score": {"split": "test", "stride": 4, "batch_size": 8, "strata": ["upos"]},
    "morphology": {"prefixes": ["des"], "suffixes": ["s", "a", "as", "o", "os"], "min_stem": 3},
    "tasks": [],
    "task": {},
}  # fmt: skip
NOUNS = ("gato", "gata", "casa", "livro", "menino", "menina")


def corpus(n: int, first: int = 0) -> tuple[Document, ...]:
    documents = []
    for index in range(first, first + n):
        one, two = NOUNS[index % 6], NOUNS[(index * 5 + 1) % 6]
        documents.append(Document(doc_id=f"d{index}", text=f"o {one} viu {two}s e {one}s."))
    return tuple(documents)


TEXT = TrainingText(train=corpus(40), validation=corpus(5, first=40))


def config(**changes: Any) -> dict[str, Any]:
    """CONFIG with dotted keys replaced: `train__lr=1.0`."""
    changed = deepcopy(CONFIG)
    for key, value in changes.items():
        group, *rest = key.split("__")
        target = changed
        for name in (group, *rest)[:-1]:
            target = target[name]
        target[(group, *rest)[-1]] = value
    return changed


def options(**switches: Any) -> dict[str, Any]:
    return config(kind__options={**CONFIG["kind"]["options"], **switches})


ABC = options(embedding=True, attention_bias=True, output_logits=True)
MASKED = config(kind__objective="masked")
MASKED_AB = {
    **MASKED, "kind": {**options(embedding=True, attention_bias=True)["kind"], "objective": "masked"},
}  # fmt: skip


def silent(*, step: int, n_steps: int, loss: float) -> None:
    """No progress shown."""


def fit(cell: dict[str, Any], out: Path, *, seed: int = 0, text: TrainingText = TEXT) -> Fit:
    out.mkdir(exist_ok=True)
    return TransformerKind(cell).fit(text, seed=seed, out=out, progress=silent)


def test_the_catalog_builds_it() -> None:
    assert isinstance(build_kind(CONFIG), TransformerKind)


@pytest.mark.parametrize("cell", [CONFIG, ABC])
def test_a_fit_learns_and_states_its_facts(cell: dict[str, Any], tmp_path: Path) -> None:
    result = fit(cell, tmp_path)
    facts = result.facts
    assert result.train_tokens == 60 * 4 * 8
    assert facts["final_validation_loss"] < 0.7 * math.log(facts["vocab_size"])
    assert facts["final_train_loss"] < 0.7 * math.log(facts["vocab_size"])
    assert (facts["n_morphemes"] > 3) == (cell is ABC)
    vocab, n_morphemes = facts["vocab_size"], facts["n_morphemes"]
    assert result.model.n_params == (2 * vocab + 2 * n_morphemes + 8 + 6 * 16) * 16

    scores = result.model.score(TEXT.validation)
    total = sum(s.total_nats for s in scores) / sum(s.n_tokens for s in scores)
    assert facts["final_validation_loss"] == total


@pytest.mark.parametrize("cell", [MASKED, MASKED_AB])
def test_a_masked_fit_states_its_facts_and_fills_masks(cell: dict[str, Any], tmp_path: Path) -> None:
    result = fit(cell, tmp_path)
    facts, model = result.facts, result.model
    assert isinstance(model, FillsMasks)
    assert model.objective == "masked"
    assert (facts["n_morphemes"] > 3) == (cell is MASKED_AB)
    vocab = facts["vocab_size"] + 1  # MASK
    assert model.n_params == (2 * vocab + facts["n_morphemes"] + 8 + 6 * 16) * 16
    assert result.train_tokens == fit(CONFIG, tmp_path / "causal").train_tokens

    hidden = predict_selected(model, TEXT.validation)
    n_tokens = sum(len(tokens.position) for tokens in hidden)
    total = sum(float(-tokens.logprob.sum()) for tokens in hidden)
    assert facts["final_validation_loss"] == total / n_tokens
    assert facts["tokenizer_sha256"] == fit(CONFIG, tmp_path / "same").facts["tokenizer_sha256"]


def test_a_masked_fit_learns_from_both_sides(tmp_path: Path) -> None:
    long = config(
        kind__objective="masked", train__steps=600, train__batch_size=8, model__context=16, score__stride=8
    )
    result = fit(long, tmp_path)
    assert result.facts["final_validation_loss"] < 0.5 * math.log(result.facts["vocab_size"])


@pytest.mark.parametrize("cell", [MASKED, MASKED_AB])
def test_equal_seeds_of_a_masked_kind_give_equal_files(cell: dict[str, Any], tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        fit(cell, tmp_path / name, seed=seed)
    for file in ("model.npz", "training.jsonl"):
        a, b, c = ((tmp_path / name / file).read_bytes() for name in "abc")
        assert a == b != c


def test_the_curve_is_written_with_the_validation_loss_last(tmp_path: Path) -> None:
    result = fit(CONFIG, tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "training.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [1, 20, 40, 60, 60]
    assert all(set(line) == {"step", "loss", "lr"} for line in lines[:-1])
    assert lines[-2]["loss"] == result.facts["final_train_loss"]
    assert lines[-2]["lr"] == pytest.approx(1e-3)
    assert lines[-1] == {"step": 60, "validation_loss": result.facts["final_validation_loss"]}


def test_without_validation_text_there_is_no_validation_loss(tmp_path: Path) -> None:
    result = fit(CONFIG, tmp_path, text=TrainingText(train=TEXT.train, validation=()))
    assert result.facts["final_validation_loss"] is None
    assert "validation" not in (tmp_path / "training.jsonl").read_text()


def test_the_saved_weights_are_those_of_the_model(tmp_path: Path) -> None:
    result = fit(CONFIG, tmp_path)
    network = Network(
        Architecture(vocab_size=result.facts["vocab_size"], d_model=16, n_layers=1, n_heads=2, context=8)
    )
    network.parameters.load(tmp_path / "model.npz")
    ids = np.array([[0, 3, 4, 5]])
    tensors = network.tensors()
    loaded = network.last_states(ids, tensors) @ tensors.head
    model_network = result.model._network  # type: ignore[attr-defined]
    np.testing.assert_array_equal(loaded, model_network.last_states(ids, tensors) @ tensors.head)
    assert network.parameters.sha256() == model_network.parameters.sha256()


@pytest.mark.parametrize("cell", [CONFIG, ABC])
def test_equal_seeds_give_equal_files_and_other_seeds_others(cell: dict[str, Any], tmp_path: Path) -> None:
    """A seed that is set too late or not at all: huggingface/trl #4887, lm-evaluation-harness #1906."""
    results = [fit(cell, tmp_path / name, seed=seed) for name, seed in (("a", 1), ("b", 1), ("c", 2))]
    for file in ("model.npz", "training.jsonl"):
        a, b, c = ((tmp_path / name / file).read_bytes() for name in "abc")
        assert a == b != c
    hashes = [result.facts["initial_weights_sha256"] for result in results]
    assert hashes[0] == hashes[1] != hashes[2]
    assert dict(results[0].facts) == dict(results[1].facts)


_IN_ANOTHER_PROCESS = """
import json, sys
from pathlib import Path
from rig.core.documents import Document
from rig.models.base import TrainingText
from rig.models.transformer_kind import TransformerKind
cell, texts, out = json.loads(sys.stdin.read())
train = tuple(Document(doc_id=str(index), text=text) for index, text in enumerate(texts))
kind = TransformerKind(cell)
kind.fit(TrainingText(train=train, validation=()), seed=1, out=Path(out), progress=lambda **_: None)
"""


def test_another_process_trains_to_the_same_bits_whatever_its_hash_seed(tmp_path: Path) -> None:
    weights = []
    for hash_seed in ("1", "2"):
        out = tmp_path / hash_seed
        out.mkdir()
        subprocess.run(
            [sys.executable, "-c", _IN_ANOTHER_PROCESS],
            input=json.dumps([ABC, [document.text for document in TEXT.train], str(out)]),
            env={"PYTHONHASHSEED": hash_seed, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            text=True,
            check=True,
        )
        weights.append((out / "model.npz").read_bytes())
    assert weights[0] == weights[1]


def test_a_seed_does_not_change_the_tokenizer(tmp_path: Path) -> None:
    hashes = {fit(CONFIG, tmp_path / str(s), seed=s).facts["tokenizer_sha256"] for s in (0, 1)}
    assert len(hashes) == 1


def test_switches_off_train_to_the_baselines_bits_whatever_the_strength(tmp_path: Path) -> None:
    fit(CONFIG, tmp_path / "a")
    fit(options(bias_strength=3.0), tmp_path / "b")
    assert (tmp_path / "a/model.npz").read_bytes() == (tmp_path / "b/model.npz").read_bytes()


def test_a_strength_of_zero_trains_to_the_bits_of_a_without_b(tmp_path: Path) -> None:
    fit(options(embedding=True), tmp_path / "a")
    fit(options(embedding=True, attention_bias=True, bias_strength=0.0), tmp_path / "b")
    assert (tmp_path / "a/model.npz").read_bytes() == (tmp_path / "b/model.npz").read_bytes()


def test_every_switch_trains_to_another_model(tmp_path: Path) -> None:
    losses = {
        fit(options(**{switch: True}), tmp_path / switch).facts["final_validation_loss"]
        for switch in ("embedding", "attention_bias", "output_logits")
    }
    losses.add(fit(CONFIG, tmp_path / "off").facts["final_validation_loss"])
    assert len(losses) == 4


def test_a_training_that_diverged_leaves_its_curve(tmp_path: Path) -> None:
    with pytest.raises(DivergedError, match=r"diverged at step \d+ of 60"):
        fit(config(train__lr=1e30, train__warmup_steps=0), tmp_path)
    lines = (tmp_path / "training.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [1]
    assert not (tmp_path / "model.npz").exists()


def test_a_corpus_shorter_than_a_row_is_refused(tmp_path: Path) -> None:
    short = TrainingText(train=(Document(doc_id="a", text="o gato viu"),), validation=())
    with pytest.raises(DataError, match=r"have 4 tokens .* needs 9"):
        fit(CONFIG, tmp_path, text=short)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (config(kind__objective="prefix"), "`objective` .* must be 'causal' or 'masked' .* got 'prefix'"),
        (config(kind__seeded=False), "`seeded` of kind 'baseline' must be True"),
        (config(kind__has_lr=False), "`has_lr` of kind 'baseline' must be True"),
        (options(embeding=True), "unknown option 'embeding' of kind 'baseline' .* Did you mean 'embedding'"),
        (options(embedding=1), "option `embedding` of kind 'baseline' must be true or false, got 1"),
        (options(bias_strength="strong"), r"`kind\.options\.bias_strength` must be .* got 'strong'"),
        (options(bias_strength=math.nan), r"`kind\.options\.bias_strength` must be a finite number, got nan"),
        (config(model__d_model=15), r"must be a multiple of `model\.n_heads`, got 15 and 2"),
        (config(model__n_layers=-1), r"`model\.n_layers` must be an integer of at least 0, got -1"),
        (config(model__context=1), r"`model\.context` must be an integer of at least 2, got 1"),
        (config(model__n_heads=2.0), r"`model\.n_heads` must be an integer of at least 1, got 2\.0"),
        (config(train__steps=True), r"`train\.steps` must be an integer of at least 1, got True"),
        (config(train__warmup_steps=61), r"`train\.warmup_steps` must be an integer in \[0, 60\], got 61"),
        (config(train__lr=0), r"`train\.lr` must be above 0, got 0"),
        (config(train__lr=math.inf), r"`train\.lr` must be a finite number, got inf"),
        (config(train__beta1=1.0), r"`train\.beta1` must be at least 0 and at most 0\.99+\d*, got 1\.0"),
        (config(train__min_lr_ratio=1.5), r"`train\.min_lr_ratio` must be at least 0 and at most 1, got 1"),
        (config(train__weight_decay=-0.1), r"`train\.weight_decay` must be at least 0, got -0\.1"),
        (config(score__stride=9), r"`score\.stride` must be an integer in \[1, 8\], got 9"),
        (config(score__batch_size=0), r"`score\.batch_size` must be an integer of at least 1, got 0"),
        ({**ABC, "morphology": {}}, r"`morphology\.prefixes` is missing"),
        ({**CONFIG, "train": {}}, r"`train\.steps` is missing"),
    ],
)  # fmt: skip
def test_a_wrong_config_is_refused_before_anything_is_trained(cell: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TransformerKind(cell)


def test_a_baseline_needs_no_morphology() -> None:
    TransformerKind({key: value for key, value in CONFIG.items() if key != "morphology"})

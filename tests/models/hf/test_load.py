"""What fits together is loaded; what doesn't is refused with a sentence, before anything is scored."""

import importlib.util
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError, ModelError
from rig.models.base import DivergedError
from rig.models.hf.load import load_model, require_extra
from rig.models.hf.options import HfOptions

torch = pytest.importorskip("torch", reason="SKIPPED: torch is not installed (pip install 'rig[hf]')")
transformers = pytest.importorskip("transformers", reason="SKIPPED: transformers is not installed")
checkpoints = pytest.importorskip("hf_checkpoints", reason="SKIPPED: torch is not installed")


def loaded(directory: Path, objective: str = "causal", **options: Any) -> Any:
    return load_model(directory, objective=objective, options=HfOptions(**options))


@pytest.fixture
def copied(gpt2_directory: Path, tmp_path: Path) -> Path:
    """A GPT-2 that may be damaged."""
    return Path(shutil.copytree(gpt2_directory, tmp_path / "copy"))


def edit(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_its_facts_are_those_of_a_fair_comparison(gpt2_directory: Path) -> None:
    facts = dict(loaded(gpt2_directory).facts)
    assert len(facts.pop("tokenizer_sha256")) == 64
    assert facts == {
        "model_type": "gpt2", "vocab_size": 400, "bos": "<s> (the tokenizer's bos)", "context": 48,
        "stride": 24, "dtype": "float32", "device": "cuda" if torch.cuda.is_available() else "cpu",
    }  # fmt: skip


def test_parameters_are_counted_once(gpt2_directory: Path) -> None:
    """By hand: tied embeddings 400 x 32, positions 48 x 32, two blocks of 12 d^2 + 13 d, the last norm."""
    assert loaded(gpt2_directory).n_params == 400 * 32 + 48 * 32 + 2 * (12 * 32**2 + 13 * 32) + 2 * 32


def test_a_weight_that_is_not_finite_is_a_training_that_diverged(copied: Path) -> None:
    network = transformers.AutoModelForCausalLM.from_pretrained(copied)
    with torch.no_grad():
        network.transformer.h[1].mlp.c_fc.weight[3, 4] = float("nan")
    network.save_pretrained(copied)
    with pytest.raises(
        DivergedError, match=r"the weight transformer\.h\.1\.mlp\.c_fc\.weight in .* is not finite"
    ):
        loaded(copied)


def test_weights_that_are_missing_are_not_drawn_at_random(bert_directory: Path, tmp_path: Path) -> None:
    """A BERT that was saved without its head: transformers only warns."""
    transformers.BertModel.from_pretrained(bert_directory, add_pooling_layer=False).save_pretrained(tmp_path)
    checkpoints.save_tokenizer(checkpoints.wordpiece(), tmp_path, checkpoints.BERT_SPECIAL)
    with pytest.raises(
        ModelError, match=r"lacks \d+ weights of a masked language model, such as cls\.predictions"
    ):
        loaded(tmp_path, "masked")


def test_a_network_of_another_size_than_its_weights(copied: Path) -> None:
    edit(copied / "config.json", lambda config: config.update(n_embd=64))
    with pytest.raises(ModelError, match=r"can't load .*/copy' as a causal language model of type 'gpt2'"):
        loaded(copied)


def test_a_type_that_transformers_lacks(copied: Path) -> None:
    edit(copied / "config.json", lambda config: config.update(model_type="no_such_model"))
    with pytest.raises(ModelError, match="as a causal language model of type 'no_such_model'"):
        loaded(copied)


def test_a_type_that_is_never_masked(copied: Path) -> None:
    edit(copied / "config.json", lambda config: config.update(architectures=None))
    with pytest.raises(ModelError, match=r"can't load .* as a masked language model of type 'gpt2'"):
        loaded(copied, "masked")


def test_a_bidirectional_model_is_no_causal_one(bert_directory: Path, tmp_path: Path) -> None:
    """A BERT that does not name its architecture loads as BertLMHeadModel, and sees the answers."""
    directory = Path(shutil.copytree(bert_directory, tmp_path / "bert"))
    edit(directory / "config.json", lambda config: config.update(architectures=None))
    with pytest.raises(
        ModelError, match="sees later tokens, so it is no causal language model; set `objective: masked`"
    ):
        loaded(directory)
    edit(directory / "config.json", lambda config: config.update(is_decoder=True))
    assert loaded(directory).objective == "causal"
    with pytest.raises(
        ModelError, match="sees earlier tokens only, so it fills no gaps; set `objective: causal`"
    ):
        loaded(directory, "masked")


def test_a_network_that_cannot_be_run(gpt2_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forward(*given: Any, **named: Any) -> None:
        raise RuntimeError("needs pixel values")

    monkeypatch.setattr(transformers.GPT2LMHeadModel, "forward", forward)
    with pytest.raises(ModelError, match="can't be run on a few tokens: RuntimeError: needs pixel values"):
        loaded(gpt2_directory)


def test_another_models_tokenizer(gpt2_directory: Path, llama_directory: Path) -> None:
    with pytest.raises(
        ModelError, match=r"has token ids up to 559, but the model in .* knows 400; it is another"
    ):
        loaded(gpt2_directory, tokenizer=str(llama_directory))


def test_another_directorys_tokenizer_is_read(copied: Path, gpt2_directory: Path, tmp_path: Path) -> None:
    (copied / "tokenizer.json").unlink()
    with pytest.raises(DataError, match=r"has no tokenizer \(tokenizer\.json\)|only in its slow form"):
        loaded(copied)
    document = Document(doc_id="d", text="O gato viu.")
    ours = loaded(copied, tokenizer=str(gpt2_directory)).score([document])[0]
    assert ours.logprob.tolist() == loaded(gpt2_directory).score([document])[0].logprob.tolist()


def test_context_and_stride_fit_the_model(gpt2_directory: Path, bert_directory: Path) -> None:
    with pytest.raises(
        ConfigError, match="option `context` must be at most 48, which the model was made for, got 49"
    ):
        loaded(gpt2_directory, context=49)
    with pytest.raises(ConfigError, match="option `stride` must be at most the context, 48, got 50"):
        loaded(gpt2_directory, stride=50)
    with pytest.raises(ConfigError, match="option `context` must leave room for a token beside 2, got 2"):
        loaded(bert_directory, "masked", context=2)
    model = loaded(gpt2_directory, context=10)
    assert (model.facts["context"], model.facts["stride"]) == (10, 5)


def test_a_model_without_a_limit_needs_one(tmp_path: Path) -> None:
    config = transformers.BloomConfig(vocab_size=400, hidden_size=32, n_layer=1, n_head=2)
    checkpoints.save_network(transformers.BloomForCausalLM(config), tmp_path)
    checkpoints.save_tokenizer(checkpoints.byte_level(), tmp_path)
    with pytest.raises(ConfigError, match="the model states no longest context; set the option `context`"):
        loaded(tmp_path)
    assert loaded(tmp_path, context=1024).facts["context"] == 1024


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_the_dtype_is_the_one_asked_for(gpt2_directory: Path, dtype: str) -> None:
    assert loaded(gpt2_directory, dtype=dtype).facts["dtype"] == dtype


def test_auto_is_the_dtype_that_was_stored(copied: Path) -> None:
    transformers.AutoModelForCausalLM.from_pretrained(copied).to(torch.bfloat16).save_pretrained(copied)
    assert loaded(copied).facts["dtype"] == "bfloat16"
    assert loaded(copied, dtype="float32").facts["dtype"] == "float32"


@pytest.mark.skipif(torch.cuda.is_available(), reason="SKIPPED: there is a GPU here")
def test_a_gpu_that_is_not_there(gpt2_directory: Path) -> None:
    with pytest.raises(ConfigError, match="option `device` is cuda, but torch finds no GPU here"):
        loaded(gpt2_directory, device="cuda")


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigError) as caught:
        require_extra("kind 'k'")
    assert str(caught.value) == (
        "kind 'k' needs torch and transformers, which are not installed; run `pip install 'rig[hf]'`"
    )

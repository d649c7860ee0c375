"""Which files a checkpoint is made of, and which are refused before anything of it runs."""

import json
from pathlib import Path
from typing import Any

import pytest
from hf_files import write_checkpoint

from rig.core.errors import DataError
from rig.models.hf.checkpoint import open_checkpoint


def test_the_files_are_those_that_are_loaded(tmp_path: Path) -> None:
    directory = write_checkpoint(tmp_path)
    for name in (
        "README.md",
        "training_args.bin",
        "generation_config.json",
        "modeling_mine.py",
        "vocab.json",
    ):
        (directory / name).write_text("x")
    files = open_checkpoint(directory, objective="causal").files
    assert sorted(files) == [
        "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.json",
    ]  # fmt: skip
    assert all(path == directory / name for name, path in files.items())


def test_another_tokenizer_has_names_of_its_own(tmp_path: Path) -> None:
    directory, other = write_checkpoint(tmp_path / "model"), write_checkpoint(tmp_path / "other")
    checkpoint = open_checkpoint(directory, objective="causal", tokenizer=other)
    assert checkpoint.tokenizer == other
    assert sorted(checkpoint.files) == [
        "config.json", "model.safetensors", "tokenizer/config.json", "tokenizer/tokenizer.json",
        "tokenizer/tokenizer_config.json",
    ]  # fmt: skip


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match="nowhere' is no directory with a checkpoint; check the option `model`"
    ):
        open_checkpoint(tmp_path / "nowhere", objective="causal")
    with pytest.raises(DataError, match=r"is no checkpoint: it has no config\.json"):
        open_checkpoint(tmp_path, objective="causal")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(DataError, match="names no `model_type`"):
        open_checkpoint(tmp_path, objective="causal")


@pytest.mark.parametrize("text", ["", "{'a': 1}", "\x00", "[" * 100_000])
def test_a_damaged_config_is_refused(tmp_path: Path, text: str) -> None:
    (write_checkpoint(tmp_path) / "config.json").write_text(text)
    with pytest.raises(DataError, match=r"config\.json' is no JSON"):
        open_checkpoint(tmp_path, objective="causal")


@pytest.mark.parametrize(
    "config",
    [
        {"auto_map": {"AutoModelForCausalLM": "modeling_mine.Mine"}},
        {"text_config": {"auto_map": {"AutoConfig": "configuration_mine.Mine"}}},
    ],
)
def test_a_checkpoints_own_code_is_refused(tmp_path: Path, config: dict[str, Any]) -> None:
    write_checkpoint(tmp_path, **config)
    with pytest.raises(
        DataError, match=r"asks for code of the checkpoint's own \(`auto_map`\), which is never"
    ):
        open_checkpoint(tmp_path, objective="causal")


@pytest.mark.parametrize("config", [{"_target_": "os.system"}, {"layers": [{"_target_": "os.system"}]}])
def test_a_config_that_names_code_is_refused(tmp_path: Path, config: dict[str, Any]) -> None:
    write_checkpoint(tmp_path, **config)
    with pytest.raises(DataError, match="holds `_target_`, which names code to run"):
        open_checkpoint(tmp_path, objective="causal")


def test_a_tokenizers_own_code_is_refused(tmp_path: Path) -> None:
    directory = write_checkpoint(tmp_path)
    (directory / "tokenizer_config.json").write_text('{"auto_map": {"AutoTokenizer": ["mine.Mine", null]}}')
    with pytest.raises(DataError, match=r"tokenizer_config\.json' asks for code of the checkpoint's own"):
        open_checkpoint(tmp_path, objective="causal")


def test_an_empty_auto_map_names_nothing(tmp_path: Path) -> None:
    assert (
        open_checkpoint(write_checkpoint(tmp_path, auto_map={}), objective="causal").config["auto_map"] == {}
    )


def test_a_missing_tokenizer_is_refused(tmp_path: Path) -> None:
    directory = write_checkpoint(tmp_path)
    (directory / "tokenizer.json").unlink()
    with pytest.raises(
        DataError, match=r"has no tokenizer \(tokenizer\.json\); save it there too, or name its"
    ):
        open_checkpoint(directory, objective="causal")
    with pytest.raises(DataError, match="nowhere' is no directory with a tokenizer"):
        open_checkpoint(directory, objective="causal", tokenizer=tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["tokenizer.model", "vocab.txt", "vocab.json"])
def test_a_slow_tokenizer_is_refused(tmp_path: Path, name: str) -> None:
    directory = write_checkpoint(tmp_path)
    (directory / "tokenizer.json").rename(directory / name)
    with pytest.raises(DataError, match=rf"only in its slow form \({name}\).*AutoTokenizer\.from_pretrained"):
        open_checkpoint(directory, objective="causal")


@pytest.mark.parametrize(
    ("objective", "architecture", "other"),
    [("causal", "BertForMaskedLM", "masked"), ("masked", "GPT2LMHeadModel", "causal"),
     ("masked", "LlamaForCausalLM", "causal")],
)  # fmt: skip
def test_the_other_objective_is_refused(
    tmp_path: Path, objective: str, architecture: str, other: str
) -> None:
    write_checkpoint(tmp_path, architectures=[architecture])
    with pytest.raises(DataError) as caught:
        open_checkpoint(tmp_path, objective=objective)
    assert f"was saved as {architecture}, a {other} language model" in str(caught.value)
    assert f"its kind says `objective: {objective}`; set `objective: {other}`" in str(caught.value)


@pytest.mark.parametrize("architectures", [None, [], ["GPT2Model"]])
def test_a_checkpoint_may_leave_its_architecture_open(
    tmp_path: Path, architectures: list[str] | None
) -> None:
    write_checkpoint(tmp_path, architectures=architectures)
    assert open_checkpoint(tmp_path, objective="causal").config["architectures"] == architectures


def test_an_encoder_with_a_decoder_is_refused(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, is_encoder_decoder=True, model_type="t5")
    with pytest.raises(DataError, match=r"is an encoder with a decoder \(t5\); only causal and masked"):
        open_checkpoint(tmp_path, objective="causal")


def test_weights_are_looked_at_too(tmp_path: Path) -> None:
    directory = write_checkpoint(tmp_path)
    (directory / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(DataError, match=r"model\.safetensors' is no safetensors file or was cut off"):
        open_checkpoint(directory, objective="causal")
    assert json.loads((directory / "config.json").read_text())["model_type"] == "gpt2"

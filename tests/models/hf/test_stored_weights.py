"""Safetensors only, whole only; a pickle is never opened."""

import json
import pickle
import struct
from pathlib import Path

import pytest
from hf_files import write_safetensors

from rig.core.errors import DataError
from rig.models.hf.stored_weights import check_whole, weight_files


def test_one_file(tmp_path: Path) -> None:
    path = write_safetensors(tmp_path / "model.safetensors")
    assert weight_files(tmp_path) == {"model.safetensors": path}


def test_shards_come_with_their_index(tmp_path: Path) -> None:
    names = ["model-00002-of-00002.safetensors", "model-00001-of-00002.safetensors"]
    for name in names:
        write_safetensors(tmp_path / name)
    index = {"weight_map": {"a": names[0], "b": names[1], "c": names[0]}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    assert list(weight_files(tmp_path)) == ["model.safetensors.index.json", *sorted(names)]

    (tmp_path / names[0]).unlink()
    with pytest.raises(DataError, match=f"lacks the shard '{names[0]}' that its index names"):
        weight_files(tmp_path)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ("{", "is no JSON"),
        ("[]", "must hold a JSON object, got list"),
        ('{"weight_map": {}}', "is no index of shards"),
        ('{"weight_map": {"a": "../elsewhere.safetensors"}}', "is no safetensors file beside it"),
        ('{"weight_map": {"a": "pytorch_model.bin"}}', "names 'pytorch_model.bin', which is no safetensors"),
    ],
)
def test_a_wrong_index_is_refused(tmp_path: Path, index: str, message: str) -> None:
    (tmp_path / "model.safetensors.index.json").write_text(index)
    with pytest.raises(DataError, match=message):
        weight_files(tmp_path)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "weights.pth", "last.ckpt"])
def test_a_pickle_is_refused_and_not_opened(tmp_path: Path, name: str) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (str(tmp_path / "ran"),))

    (tmp_path / name).write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(DataError, match=rf"only as a pickle \({name}\), which can run any code"):
        weight_files(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_no_weights_at_all(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"has no weights: neither model\.safetensors nor"):
        weight_files(tmp_path)


def test_an_adapter_is_no_model(tmp_path: Path) -> None:
    """Transformers would fetch its base model from somewhere else."""
    write_safetensors(tmp_path / "model.safetensors")
    (tmp_path / "adapter_config.json").write_text("{}")
    with pytest.raises(DataError, match=r"holds an adapter .* merge it into its base model"):
        weight_files(tmp_path)


def test_a_whole_file_passes(tmp_path: Path) -> None:
    path = write_safetensors(tmp_path / "a.safetensors", n_bytes=64)
    check_whole(path)
    assert path.stat().st_size > 64


@pytest.mark.parametrize("kept", [0, 5, 20, -1])
def test_a_file_that_was_cut_off_is_refused(tmp_path: Path, kept: int) -> None:
    path = write_safetensors(tmp_path / "a.safetensors", n_bytes=64)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(DataError, match=r"a\.safetensors' (is no safetensors file|has \d+ bytes where)"):
        check_whole(path)


@pytest.mark.parametrize(
    "header", [b"[1, 2]", b"{]", b'{"w": 3}', b'{"w": {"data_offsets": [0]}}', b"\xff\xfe"]
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, header: bytes) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header)
    with pytest.raises(DataError, match="is no safetensors file: its header can't be read"):
        check_whole(path)

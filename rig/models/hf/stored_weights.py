"""A checkpoint's weight files, looked at without loading them: safetensors, whole, and nothing else.

A safetensors file is eight bytes of length, that many bytes of JSON naming each tensor's place, and the
tensors. A pickle (.bin, .pt, .ckpt) is a program that its reader runs, so none is ever opened.
"""

import json
import struct
from pathlib import Path
from typing import Any

from rig.core.errors import DataError
from rig.models.hf.json_object import read_object

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"

_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
_LENGTH = struct.Struct("<Q")
_MAX_HEADER_BYTES = 100_000_000  # the format's own limit


def weight_files(directory: Path) -> dict[str, Path]:
    """The files that hold a checkpoint's weights, by name; an index and its shards where it has some.

    Raises:
        DataError: There is none, only pickled ones or an adapter's, a shard is missing, or one is damaged.
    """
    if (directory / "adapter_config.json").exists():
        raise DataError(
            f"'{directory}' holds an adapter (adapter_config.json), which is no whole model; merge it into "
            "its base model (`merge_and_unload`) and save that"
        )
    if (directory / WEIGHTS).is_file():
        names = [WEIGHTS]
    elif (directory / INDEX).is_file():
        names = [INDEX, *_shards(directory)]
    else:
        raise DataError(_none_there(directory))
    for name in names:
        if name != INDEX:
            check_whole(directory / name)
    return {name: directory / name for name in names}


def check_whole(path: Path) -> None:
    """Refuse a safetensors file that is cut off or is something else.

    Raises:
        DataError: It is.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(_LENGTH.size)
        n_header = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else size
        if n_header > min(size, _MAX_HEADER_BYTES):
            raise DataError(f"'{path}' is no safetensors file or was cut off; copy or save it again")
        try:
            header: Any = json.loads(file.read(n_header))
            ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
        except (ValueError, TypeError, KeyError, AttributeError, IndexError):
            raise DataError(f"'{path}' is no safetensors file: its header can't be read") from None
    due = _LENGTH.size + n_header + max(ends, default=0)
    if size != due:
        raise DataError(f"'{path}' has {size} bytes where its header says {due}; copy or save it again")


def _shards(directory: Path) -> list[str]:
    path = directory / INDEX
    weight_map = read_object(path).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise DataError(f"'{path}' is no index of shards: it needs a `weight_map` from tensor to file")
    names = sorted({str(name) for name in weight_map.values()})
    for name in names:
        if Path(name).name != name or not name.endswith(".safetensors"):
            raise DataError(f"'{path}' names {name!r}, which is no safetensors file beside it")
        if not (directory / name).is_file():
            raise DataError(f"'{directory}' lacks the shard '{name}' that its index names; copy it too")
    return names


def _none_there(directory: Path) -> str:
    pickled = sorted(path.name for path in directory.iterdir() if path.suffix in _PICKLES)
    if pickled:
        return (
            f"'{directory}' has its weights only as a pickle ({pickled[0]}), which can run any code when it "
            "is read; load it where you trust it and save it with `save_pretrained`, which writes "
            f"{WEIGHTS}"
        )
    return f"'{directory}' has no weights: neither {WEIGHTS} nor {INDEX}"

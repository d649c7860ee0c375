"""The files of a checkpoint, as far as they are looked at without torch."""

import json
import struct
from pathlib import Path
from typing import Any


def write_safetensors(path: Path, *, n_bytes: int = 8) -> Path:
    """A file with one tensor of zeros, written after the format's description."""
    header = json.dumps(
        {"w": {"dtype": "F32", "shape": [n_bytes // 4], "data_offsets": [0, n_bytes]}}
    ).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(n_bytes))
    return path


def write_checkpoint(directory: Path, **config: Any) -> Path:
    """A directory that looks like a checkpoint of a GPT-2."""
    directory.mkdir(parents=True, exist_ok=True)
    described = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], **config}
    (directory / "config.json").write_text(json.dumps(described))
    (directory / "tokenizer.json").write_text("{}")
    (directory / "tokenizer_config.json").write_text("{}")
    write_safetensors(directory / "model.safetensors")
    return directory

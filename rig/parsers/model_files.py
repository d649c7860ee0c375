"""The files of a UDPipe model: which ones an option names, and their hash."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from rig.core.errors import ConfigError, DataError

SHIPPED_MODELS = Path(__file__).parent / "models"
"""Models inside the package; an option names them without folder and ending."""


def model_paths(model: str | Sequence[str]) -> tuple[Path, ...]:
    """The files that an option names: a shipped model's, one path's, or a chain's three."""
    if isinstance(model, str):
        shipped = SHIPPED_MODELS / f"{model}.udpipe"
        return (shipped if shipped.is_file() else Path(model),)
    if len(model) not in {1, 3}:
        raise ConfigError(
            "`parser.model` must be one UDPipe model, or three (tokenizer, tagger, parser), "
            f"got {len(model)} paths"
        )
    return tuple(Path(path) for path in model)


def files_sha256(paths: Sequence[Path]) -> str:
    """The SHA-256 over the bytes of all files, in order, 64 hex digits.

    Raises:
        DataError: A file is missing.
    """
    digest = hashlib.sha256()
    for path in paths:
        if not path.is_file():
            shipped = ", ".join(sorted(file.stem for file in SHIPPED_MODELS.glob("*.udpipe")))
            raise DataError(f"UDPipe model '{path}' is not a file; give a path or a shipped model: {shipped}")
        digest.update(path.read_bytes())
    return digest.hexdigest()

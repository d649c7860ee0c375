"""Identity: a value's canonical JSON and its SHA-256.

Two values are the same if their canonical JSON is. The encoder refuses what has no stable text (callables,
sets of unlike things, objects with a default repr, NaN), so that a key can't silently depend on an address or
on PYTHONHASHSEED. Floats are written by `repr`, which round-trips; 3 and 3.0 stay different, so only values
of typed configs should be hashed.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_CHUNK_BYTES = 1 << 20


def canonical_json(value: Any) -> str:
    """The one JSON text of a value: sorted keys, no spaces, exact floats, UTF-8 characters as they are.

    Args:
        value: None, bool, int, float, str, and lists, tuples and string-keyed mappings of those.

    Returns:
        JSON text without a trailing newline.

    Raises:
        TypeError: The value holds something without a stable text.
        ValueError: The value holds a float that is not finite.
    """
    _refuse_unstable(value, "value")
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def fingerprint(value: Any) -> str:
    """The SHA-256 of a value's canonical JSON, 64 hex digits."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, 64 hex digits, read in chunks."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def flatten(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A nested mapping as dotted keys and leaves, in order: ``{"train": {"lr": 1}}`` is ``{"train.lr": 1}``.

    Lists are leaves. An empty mapping is a leaf too, so that removing its last key is seen.
    """
    flat: dict[str, Any] = {}
    for key, item in value.items():
        name = f"{prefix}{key}"
        if isinstance(item, Mapping) and item:
            flat.update(flatten(item, f"{name}."))
        else:
            flat[name] = item
    return flat


def _refuse_unstable(value: Any, where: str) -> None:
    match value:
        case None | bool() | int() | str():
            return
        case float():
            if not math.isfinite(value):
                raise ValueError(f"{where} must be finite to be hashed or written, got {value!r}")
        case list() | tuple():
            for index, item in enumerate(value):
                _refuse_unstable(item, f"{where}[{index}]")
        case Mapping():
            for key, item in value.items():
                if not isinstance(key, str):
                    raise TypeError(f"{where} must have text keys to be hashed, got {key!r}")
                _refuse_unstable(item, f"{where}.{key}")
        case _:
            raise TypeError(
                f"{where} has no stable text and can't be hashed: {type(value).__name__}; "
                "use numbers, text, lists and mappings of them"
            )

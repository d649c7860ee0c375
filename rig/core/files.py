"""Files that are either whole or absent, whatever is killed.

Write to a temporary file in the same directory, flush, fsync, then rename (replace) or link (publish once).
A reader never sees half a file; of several publishers the first wins and the others are told.
"""

import contextlib
import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rig.core.fingerprint import canonical_json


@contextlib.contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """A temporary path to write to, renamed to `path` when the block ends without an error.

    The temporary name begins with a dot and ends in `.tmp`; after an error it is removed, after a kill it
    may stay, and nothing reads it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.tmp")
    try:
        yield temporary
        fsync(temporary)
        os.replace(temporary, path)
        fsync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically, with line feeds as line ends everywhere."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: Path, value: Any) -> None:
    """Write a value as readable JSON (sorted keys, indent 1, exact floats, trailing newline), atomically.

    Raises:
        TypeError: The value holds something without a stable text.
        ValueError: The value holds a float that is not finite.
    """
    write_text(path, readable_json(value))


def readable_json(value: Any) -> str:
    """The text that `write_json` writes. A file that holds it is diffable and its floats are exact."""
    canonical_json(value)  # refuses what has no stable text
    return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def publish_once(path: Path, text: str) -> bool:
    """Create `path` with this text unless it exists; whole or not at all, and the first publisher wins.

    Returns:
        True if this call created it, False if it was already there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        fsync(temporary)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
        except OSError:
            # A network file system may lose the reply to a link that was made: two links tell the truth.
            if temporary.stat().st_nlink != 2:
                raise
        fsync(path.parent)
        return True
    finally:
        temporary.unlink(missing_ok=True)


def fsync(path: Path) -> None:
    """Ask the kernel to put a file, or a directory's entries, on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

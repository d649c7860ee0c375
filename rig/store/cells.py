"""A cell's directory: who wrote what, and when it counts as done.

    <runs>/cells/<kind>/<key16>-s<seed>/
        cell.json                 the resolved config and every hash, written before the cell starts
        attempts/<uuid>/          one attempt's own files; attempts share none
        DONE.json                 published once, by link: the winning attempt's files and their hashes
        quarantine-<uuid>.json    a DONE.json whose files don't hash to what it says, set aside

Only DONE.json makes a cell done, whoever ran it and whatever a scheduler said. Readers check every hash. Of
two attempts that finish, the first wins and the other is discarded. Nothing is ever deleted.
"""

import json
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from rig.core.errors import StoreError
from rig.core.files import fsync, publish_once, readable_json, write_json
from rig.core.fingerprint import file_sha256, fingerprint

CELL_SCHEMA = "rig.cell/1"
DONE_SCHEMA = "rig.done/1"
KEY_DIGITS = 16


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CellSpec:
    """One kind at one seed under one resolved config: a pure value."""

    kind: str
    seed: int | None
    """None for a kind that is not seeded: it is one cell."""
    identity: Mapping[str, Any]
    """Everything that the result depends on: `config`, `data` (content hashes), `code` (hash)."""
    where: Mapping[str, Any]
    """Where the data lie on this machine; not part of the key."""

    @property
    def key(self) -> str:
        """SHA-256 of kind, seed and identity, 64 hex digits."""
        return fingerprint(
            {"schema": CELL_SCHEMA, "kind": self.kind, "seed": self.seed, "identity": self.identity}
        )

    @property
    def cell_id(self) -> str:
        """`<kind>/<key16>-s<seed>`, as tables show it; seed 0 for a kind that is not seeded."""
        return f"{self.kind}/{self.key[:KEY_DIGITS]}-s{self.seed or 0}"

    def to_json(self) -> dict[str, Any]:
        """The content of cell.json."""
        return {
            "schema": CELL_SCHEMA,
            "key": self.key,
            "kind": self.kind,
            "seed": self.seed,
            "identity": self.identity,
            "where": self.where,
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DoneCell:
    """A finished cell whose files were found whole."""

    directory: Path
    attempt: Path
    result: Mapping[str, Any]
    """result.json: status, counts, facts, task columns; the same for equal cells."""
    timing: Mapping[str, Any]
    """timing.json: seconds and memory; differs from run to run."""


def cell_directory(runs: Path, spec: CellSpec) -> Path:
    """Where a cell lives under a runs directory."""
    return runs / "cells" / spec.cell_id


def plan_cell(runs: Path, spec: CellSpec) -> Path:
    """Write a cell's cell.json, unless the same stands there.

    Returns:
        The cell's directory.

    Raises:
        StoreError: Another cell stands there under the same sixteen digits.
    """
    directory = cell_directory(runs, spec)
    path = directory / "cell.json"
    content = spec.to_json()
    if path.exists():
        held = read_json(path)
        if held.get("key") != spec.key:
            raise StoreError(f"{path} holds another cell's key {held.get('key')}; move the directory away")
        if held == content:
            return directory
    write_json(path, content)
    return directory


def read_spec(directory: Path) -> CellSpec:
    """The spec in a cell's directory.

    Raises:
        StoreError: cell.json is missing, damaged, or does not hash to its key.
    """
    path = directory / "cell.json"
    held = read_json(path)
    try:
        spec = CellSpec(kind=held["kind"], seed=held["seed"], identity=held["identity"], where=held["where"])
    except KeyError as error:
        raise StoreError(f"{path} lacks the field {error}") from error
    if held.get("key") != spec.key:
        raise StoreError(f"{path} was changed after it was written: its key is not that of its content")
    return spec


def new_attempt(directory: Path) -> Path:
    """A directory of its own for one attempt at a cell."""
    attempt = directory / "attempts" / uuid.uuid4().hex[:12]
    attempt.mkdir(parents=True)
    return attempt


def publish(directory: Path, attempt: Path, files: tuple[str, ...]) -> bool:
    """Declare an attempt's files the cell's result, unless another attempt already is.

    Args:
        directory: The cell's directory.
        attempt: The attempt's directory, inside it.
        files: Names of the files that make the result; each must exist and be whole.

    Returns:
        True if this attempt is the result now, False if another was first.
    """
    for name in files:
        fsync(attempt / name)
    fsync(attempt)
    done = {
        "schema": DONE_SCHEMA,
        "key": read_json(directory / "cell.json")["key"],
        "attempt": attempt.name,
        "files": {name: file_sha256(attempt / name) for name in sorted(files)},
    }
    return publish_once(directory / "DONE.json", readable_json({**done, "self_sha256": fingerprint(done)}))


def read_done(directory: Path) -> DoneCell | None:
    """The cell's result with every file's hash checked, or None if it is not done.

    A damaged result is set aside (DONE.json renamed `quarantine-*.json`), so that the cell runs again; ask
    `quarantined` what was.
    """
    path = directory / "DONE.json"
    if not path.exists():
        return None
    try:
        return check_done(directory)
    except StoreError:
        os.replace(path, directory / f"quarantine-{uuid.uuid4().hex[:12]}.json")
        return None


def is_done(directory: Path) -> bool:
    """Whether the cell has a whole result; sets nothing aside."""
    try:
        check_done(directory)
    except StoreError:
        return False
    return True


def check_done(directory: Path) -> DoneCell:
    """The cell's result, read without setting anything aside.

    Raises:
        StoreError: DONE.json is missing or damaged, or a file does not hash to what it says.
    """
    path = directory / "DONE.json"
    done = read_json(path)
    claimed = {name: value for name, value in done.items() if name != "self_sha256"}
    if done.get("self_sha256") != fingerprint(claimed):
        raise StoreError(f"{path} was changed after it was written")
    if done.get("key") != read_spec(directory).key:
        raise StoreError(f"{path} is of another cell")
    attempt = directory / "attempts" / str(done["attempt"])
    for name, sha256 in done["files"].items():
        if not (attempt / name).is_file():
            raise StoreError(f"{attempt / name} is missing")
        if file_sha256(attempt / name) != sha256:
            raise StoreError(f"{attempt / name} was changed after the cell was finished")
    return DoneCell(
        directory=directory,
        attempt=attempt,
        result=read_json(attempt / "result.json"),
        timing=read_json(attempt / "timing.json"),
    )


def quarantined(directory: Path) -> tuple[Path, ...]:
    """Results of this cell that were found damaged and set aside."""
    return tuple(sorted(directory.glob("quarantine-*.json")))


def n_attempts(directory: Path) -> int:
    """How often the cell was started."""
    return sum(1 for _ in (directory / "attempts").glob("*")) if directory.exists() else 0


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file.

    Raises:
        StoreError: The file is missing, damaged, or holds something else.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StoreError(f"{path} is missing") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise StoreError(f"{path} can't be read as JSON: {error}") from error
    if not isinstance(value, dict):
        raise StoreError(f"{path} must hold a JSON object, got {type(value).__name__}")
    return value

"""A lock as a file, `conf/locks/<sweep>/<data>/<kind>.json`: the chosen value and where it comes from.

Committed with conf/. It holds the whole curve, so that the choice can be derived again from the lock alone,
and what it was chosen for, so that a change can be named. Its hash covers all but `created`.
"""

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from rig.core.errors import ConfigError, LockError, LockTamperedError, StoreError, VerificationError
from rig.core.files import readable_json, write_text
from rig.core.fingerprint import file_sha256, fingerprint
from rig.experiment.curve import RESERVED, RULE, Choice, CurvePoint, check_choice, read_curve
from rig.experiment.lock_subject import Subject
from rig.experiment.sealed import check_seal, read_object, self_sha256
from rig.experiment.sweep_record import SweepRecord

SCHEMA = "rig.lock/1"
ID_DIGITS = 12
_FILE_NAME = re.compile(r"[A-Za-z0-9_][\w.-]*", re.ASCII)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LockFile:
    """The content of a lock."""

    name: str
    """The sweep's name, for example `lr`."""
    variable: str
    """Dotted key of the setting that is locked, for example `train.lr`."""
    kind: str
    data_name: str
    choice: Choice
    curve: tuple[CurvePoint, ...]
    protocol: Mapping[str, Any]
    robustness: Mapping[str, Any]
    sweep_id: str
    record_sha256: str
    """Hash of the sweep's record."""
    subject: Subject
    """What the value was chosen for, or has been accepted for since."""
    edge_allowed: str
    """Empty, or who allowed a choice at the grid's edge: `--allow-edge` or `sweep.edge`."""
    accepted: tuple[Mapping[str, Any], ...]
    """Changes that someone took responsibility for: who, when, reason, changes, was, now."""
    created: str

    @property
    def sha256(self) -> str:
        """The lock's hash of itself, 64 hex digits."""
        return self_sha256(self._sealed())

    @property
    def lock_id(self) -> str:
        """The first digits of the hash, as rows show it."""
        return self.sha256[:ID_DIGITS]

    @property
    def protocol_sha256(self) -> str:
        """Equal for kinds that were tuned on equal terms."""
        return fingerprint({"name": self.name, "protocol": self.protocol})

    def to_json(self) -> dict[str, Any]:
        """The content of the file."""
        return {**self._sealed(), "created": self.created, "self_sha256": self.sha256}

    def _sealed(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "name": self.name,
            "variable": self.variable,
            "kind": self.kind,
            "data": self.data_name,
            "chosen": self.choice.to_json(self.name),
            "rule": RULE,
            "edge_allowed": self.edge_allowed,
            "sweep": {
                "id": self.sweep_id,
                "record_sha256": self.record_sha256,
                "protocol": self.protocol,
                "curve": [point.to_json(self.name) for point in self.curve],
                "robustness": self.robustness,
            },
            "subject": self.subject.to_json(),
            "accepted": [dict(entry) for entry in self.accepted],
        }


def lock_path(conf_path: Path, *, name: str, data_name: str, kind: str) -> Path:
    """Where a lock lies under a conf folder.

    Raises:
        ConfigError: A name can't be part of a path.
    """
    for what, text in (("the sweep's name", name), ("`data.name`", data_name), ("`kind.name`", kind)):
        if not _FILE_NAME.fullmatch(text):
            raise ConfigError(
                f"{what} names folders and must be letters, digits, `_`, `-` and `.`, got '{text}'"
            )
    if name in RESERVED:
        raise ConfigError(f"a sweep can't be called '{name}': the word has a meaning in its record")
    return conf_path / "locks" / name / data_name / f"{kind}.json"


def lock_of(record: SweepRecord, *, created: str, edge_allowed: str) -> LockFile:
    """The lock that a sweep's record gives."""
    return LockFile(
        name=record.name,
        variable=record.variable,
        kind=record.kind,
        data_name=record.data_name,
        choice=record.choice,
        curve=record.curve,
        protocol=record.protocol,
        robustness=record.robustness,
        sweep_id=record.sweep_id,
        record_sha256=record.sha256,
        subject=record.subject,
        edge_allowed=edge_allowed if record.choice.at_edge else "",
        accepted=(),
        created=created,
    )


def check_lock_file(path: Path) -> LockFile:
    """Read a lock under conf/locks and derive again what can be; `check_place` says if the place is its own.

    Raises:
        LockTamperedError: It can't be read, or contradicts itself.
    """
    return read_lock(path)


def check_place(path: Path, lock: LockFile) -> None:
    """A lock under `locks/` speaks of the sweep, data set and kind that its path names.

    Raises:
        LockTamperedError: It is another's, copied or moved there.
    """
    if (path.parents[1].name, path.parent.name, path.stem) != (lock.name, lock.data_name, lock.kind):
        raise _tampered(path, f"it is the {lock.name} lock of kind '{lock.kind}' on data '{lock.data_name}'")


def read_lock(path: Path) -> LockFile:
    """Read a lock, wherever it was copied, and derive again its hash, and the choice from its curve.

    Raises:
        LockTamperedError: It can't be read, is no lock, or contradicts itself; names the first item.
    """
    try:
        content = read_object(path, SCHEMA)
        lock = _parse(content)
        if lock.to_json().keys() != content.keys():
            unknown = sorted(lock.to_json().keys() ^ content.keys())
            raise VerificationError(f"the field '{unknown[0]}' is missing or unknown")
        check_seal(path, content)
        if self_sha256(content) != lock.sha256:
            raise VerificationError("it holds fields that no lock has")
    except (StoreError, VerificationError) as error:
        raise _tampered(path, str(error)) from error
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise _tampered(path, f"it is no lock: {error!r}") from error
    return lock


def check_against_record(path: Path, lock: LockFile, record: SweepRecord) -> None:
    """Compare a lock with the record of its sweep, item by item.

    Raises:
        LockTamperedError: They differ; names the first item.
    """
    expected = lock_of(record, created=lock.created, edge_allowed=lock.edge_allowed)
    first = lock.accepted[0]["was"] if lock.accepted else lock.subject.sha256
    for what, held, derived in (
        ("sweep.id", lock.sweep_id, expected.sweep_id),
        ("variable", lock.variable, expected.variable),
        ("sweep.protocol", lock.protocol, expected.protocol),
        ("sweep.curve", lock.curve, expected.curve),
        ("chosen", lock.choice, expected.choice),
        ("sweep.robustness", lock.robustness, expected.robustness),
        ("sweep.record_sha256", lock.record_sha256, expected.record_sha256),
        ("subject", first, expected.subject.sha256),
    ):
        if held != derived:
            raise _tampered(path, f"`{what}` differs from the sweep's record {record.sweep_id}")


def accept_changes(lock: LockFile, now: Subject, entry: Mapping[str, Any]) -> LockFile:
    """The lock with another subject and a line more in `accepted`.

    Args:
        lock: The lock as it stands.
        now: The subject that the value shall be used for.
        entry: who, when, reason, changes.
    """
    line = {**entry, "was": lock.subject.sha256, "now": now.sha256, "lock_was": lock.sha256}
    return replace(lock, subject=now, accepted=(*lock.accepted, line))


def lock_token(path: Path) -> str | None:
    """What stands at a lock's place now: the hash of its bytes, or None."""
    return file_sha256(path) if path.is_file() else None


def replace_lock(path: Path, lock: LockFile, *, seen: str | None) -> None:
    """Write a lock, if its place still holds what was seen there; leave it alone if it holds the same lock.

    Of several writers that saw the same, one wins and the others are refused. A kill at any moment leaves the
    old lock or the new one. Writers wait for each other by `flock`; on a file system where that does nothing,
    two at the same instant may both believe that they won, and the file is one of the two, whole.

    Args:
        path: The lock's place.
        lock: The new lock.
        seen: `lock_token` of the place when the work on the new lock began.

    Raises:
        LockError: The place holds another lock now.
    """
    with _alone(path):
        if _holds(path, lock):
            return
        if lock_token(path) != seen:
            raise _moved(path)
        write_text(path, readable_json(lock.to_json()))


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait for other writers of a lock; the system lets go when a process ends, however it ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # The folder itself is what they wait for: a guard file would have to be left behind.
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _holds(path: Path, lock: LockFile) -> bool:
    try:
        return check_lock_file(path).sha256 == lock.sha256
    except LockTamperedError:
        return False


def _moved(path: Path) -> LockError:
    return LockError(
        f"{path} changed while this sweep ran, so it was left as it is; the sweep's record is kept: "
        "run the same command again to lock its choice, which computes nothing anew"
    )


def _parse(content: Mapping[str, Any]) -> LockFile:
    name, sweep = content["name"], content["sweep"]
    if not all(isinstance(content[field], str) for field in ("name", "variable", "kind", "data", "created")):
        raise TypeError("a name is no text")
    curve = read_curve(sweep["curve"], name)
    subject = Subject.from_json(content["subject"])
    accepted = tuple(dict(entry) for entry in content["accepted"])
    for entry, following in zip(
        accepted, [entry["was"] for entry in accepted[1:]] + [subject.sha256], strict=False
    ):
        if entry["now"] != following:
            raise VerificationError("`accepted` does not lead from the sweep's subject to the lock's")
    return LockFile(
        name=name,
        variable=content["variable"],
        kind=content["kind"],
        data_name=content["data"],
        choice=check_choice(content["chosen"], curve, name),
        curve=curve,
        protocol=dict(sweep["protocol"]),
        robustness=dict(sweep["robustness"]),
        sweep_id=sweep["id"],
        record_sha256=sweep["record_sha256"],
        subject=subject,
        edge_allowed=content["edge_allowed"],
        accepted=accepted,
        created=content["created"],
    )


def _tampered(path: Path, why: str) -> LockTamperedError:
    return LockTamperedError(
        f"the lock {path} is not used, whatever the flags: {why.removeprefix(f'{path} ')}; "
        "restore it from version control, or sweep again"
    )

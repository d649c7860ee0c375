"""The state of a lock, for one kind under one configuration. Finding out raises nothing about the lock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, final

from rig.core.errors import ConfigError, LockTamperedError, StoreError, VerificationError
from rig.experiment.config import at
from rig.experiment.datasets import PreparedData
from rig.experiment.lock_file import LockFile, check_against_record, check_lock_file, check_place, lock_path
from rig.experiment.lock_subject import (
    CODE,
    Change,
    Subject,
    changes,
    check_transfer,
    split_transfers,
    subject_of,
)
from rig.experiment.sweep_record import check_sweep_record, sweep_folder

State = Literal["OK", "MISSING", "STALE", "STALE (code only)", "TAMPERED", "OVERRIDE", "NOT APPLICABLE"]
SEVERITY: tuple[State, ...] = (
    "NOT APPLICABLE",
    "OK",
    "STALE (code only)",
    "STALE",
    "OVERRIDE",
    "MISSING",
    "TAMPERED",
)
"""The states, from the harmless to the worst."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A lock as it was found."""

    name: str
    """The sweep's name."""
    kind: str
    data_name: str
    state: State
    path: Path
    lock: LockFile | None = None
    """None where it is missing, tampered with or not applicable."""
    now: Subject | None = None
    """What the value would be used for."""
    changed: tuple[Change, ...] = ()
    """What differs from what it was chosen for, undeclared."""
    transferred: tuple[Change, ...] = ()
    """What differs and is declared in conf's lock.transfer."""
    sweep_folder: Path | None = None
    """The sweep's record, where it is on this machine."""
    error: LockTamperedError | None = None
    """For TAMPERED: what was found."""

    @property
    def reason(self) -> str:
        """The state as a row's label has it: `stale: train.steps, data.words`."""
        if self.state == "STALE":
            return f"stale: {', '.join(change.field for change in self.changed)}"
        return self.state.lower()


def examine(
    name: str,
    config: Mapping[str, Any],
    *,
    conf_path: Path,
    data: PreparedData,
    overrides: Sequence[str],
    runs: Path,
) -> Finding:
    """Find the state of the lock that sweep `name` made for a kind.

    TAMPERED comes before all else; a lock whose setting is overridden is OVERRIDE, stale or not.

    Args:
        name: The sweep's name.
        config: The kind's full configuration, its locked setting as conf has it.
        conf_path: The conf folder; locks lie below it.
        data: The prepared data set.
        overrides: `key=value` texts of the command line.
        runs: The runs directory, where the sweep's record may lie; or it lies in `runs/` beside conf/.

    Raises:
        ConfigError: `lock.transfer` or a name is wrong.
    """
    kind = config["kind"]["name"]
    transfer = check_transfer(config)
    path = lock_path(conf_path, name=name, data_name=data.name, kind=kind)
    if not path.exists():
        return Finding(name=name, kind=kind, data_name=data.name, state="MISSING", path=path)
    try:
        lock = check_lock_file(path)
        check_place(path, lock)
        folder = _check_record(path, lock, (runs, conf_path.parent / "runs"))
    except LockTamperedError as error:
        return Finding(name=name, kind=kind, data_name=data.name, state="TAMPERED", path=path, error=error)
    _require_setting(config, lock, path)
    now = subject_of(config, lock.variable, data)
    changed, transferred = split_transfers(changes(lock.subject, now), transfer)
    return Finding(
        name=name,
        kind=kind,
        data_name=data.name,
        state=_state(lock, changed, overrides),
        path=path,
        lock=lock,
        now=now,
        changed=changed,
        transferred=transferred,
        sweep_folder=folder,
    )


def _state(lock: LockFile, changed: tuple[Change, ...], overrides: Sequence[str]) -> State:
    if any(_overrides(text.partition("=")[0], lock.variable) for text in overrides):
        return "OVERRIDE"
    if not changed:
        return "OK"
    return "STALE (code only)" if all(change.field == CODE for change in changed) else "STALE"


def _require_setting(config: Mapping[str, Any], lock: LockFile, path: Path) -> None:
    try:
        at(config, lock.variable)
    except ConfigError as error:
        raise ConfigError(
            f"{path} locks `{lock.variable}`, which kind '{lock.kind}' no longer has ({error}); "
            "delete the lock"
        ) from error


def _overrides(key: str, variable: str) -> bool:
    """True for the variable itself or a mapping that holds it; a group's choice (`train=long`) is none."""
    return key == variable or ("." in key and variable.startswith(f"{key}."))


def _check_record(path: Path, lock: LockFile, places: Sequence[Path]) -> Path | None:
    """The folder of the lock's sweep if it is on this machine, compared with the lock.

    A committed record lies in the runs folder beside conf/, whatever runs folder this command writes to.
    """
    folders = [sweep_folder(runs, lock.sweep_id) for runs in places]
    folder = next((folder for folder in folders if (folder / "sweep.json").exists()), None)
    if folder is None:
        return None
    try:
        record = check_sweep_record(folder / "sweep.json")
    except (StoreError, VerificationError) as error:
        raise LockTamperedError(
            f"the lock {path} is not used, whatever the flags: its sweep's record is damaged: {error}; "
            "restore the record from version control, or sweep again"
        ) from error
    check_against_record(path, lock, record)
    return folder

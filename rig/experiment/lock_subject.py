"""What a locked value was chosen for: the settings, data and code that a training depends on.

Not in it: the swept setting itself, seeds, scoring, tasks, paths, engine. A change in any of them leaves the
choice as it was. A change in the subject makes a lock stale, and the difference is named field by field.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, final

from rig.cell import training_roots
from rig.core.errors import ConfigError, did_you_mean
from rig.core.fingerprint import canonical_json, file_sha256, fingerprint, flatten
from rig.experiment.config import with_value
from rig.experiment.datasets import PreparedData
from rig.models.catalog import build_kind
from rig.store.code import code_fingerprint

SETTINGS = ("kind", "model", "tokenizer", "train", "morphology")
"""The config groups that a trained model depends on."""
CODE = "code"
ABSENT = "(absent)"
_OPEN_SETTINGS = ("kind.options.", "morphology.")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One field of a subject that is not what it was."""

    field: str
    """`train.steps`, `data.words`, `code`."""
    was: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.field}: lock {_short(self.was)} -> now {_short(self.now)}"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Settings, data and code under which a value was chosen, or is to be used."""

    settings: Mapping[str, Any]
    """The groups of `SETTINGS`, without the swept setting and the kind's description."""
    data: Mapping[str, str]
    """Table of the annotations to SHA-256 of its rows."""
    code: str
    """SHA-256 of the modules that training and scoring import, and of the scripts that a kind names."""

    @property
    def sha256(self) -> str:
        """One hash of it all."""
        return fingerprint(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """As records and locks hold it."""
        return {"settings": dict(self.settings), "data": dict(self.data), CODE: self.code}

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> "Subject":
        """The inverse of `to_json`; KeyError, TypeError or ValueError for anything else."""
        if set(held) != {"settings", "data", CODE}:
            raise ValueError(f"a subject has the fields {', '.join(sorted(held))}")
        return cls(settings=dict(held["settings"]), data=dict(held["data"]), code=str(held[CODE]))


def subject_of(config: Mapping[str, Any], variable: str, data: PreparedData) -> Subject:
    """The subject of a value of `variable` under a configuration.

    Args:
        config: A full configuration.
        variable: Dotted key of the swept setting, in one of the groups of `SETTINGS`.
        data: The prepared data set.

    Raises:
        ConfigError: The variable lies elsewhere, where a training does not depend on it.
    """
    group = variable.partition(".")[0]
    if group not in SETTINGS:
        raise ConfigError(
            f"`sweep.variable` is `{variable}`: a model's training does not depend on it; "
            f"it must lie in one of {', '.join(SETTINGS)}"
        )
    settings: dict[str, Any] = {name: config[name] for name in SETTINGS}
    settings["kind"] = {name: value for name, value in config["kind"].items() if name != "description"}
    return Subject(
        settings=_without(settings, variable),
        data=dict(data.content),
        code=_code(config),
    )


def _code(config: Mapping[str, Any]) -> str:
    """One hash of the modules that a training imports, and of the scripts that a kind names."""
    modules = code_fingerprint(training_roots(config))
    scripts = build_kind(config).inputs(config["sweep"]["seed"])
    if not scripts:
        return modules
    return fingerprint({"modules": modules, **{name: file_sha256(path) for name, path in scripts.items()}})


def changes(was: Subject, now: Subject) -> tuple[Change, ...]:
    """Every field that differs, settings first, then data, then code; a field on one side only counts."""
    return (
        *_differences(flatten(was.settings), flatten(now.settings), ""),
        *_differences(was.data, now.data, "data."),
        *_differences({CODE: was.code}, {CODE: now.code}, ""),
    )


def split_transfers(
    found: tuple[Change, ...], transfer: Collection[str]
) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """Changes that were not declared in conf's lock.transfer, and those that were."""
    return (
        tuple(change for change in found if change.field not in transfer),
        tuple(change for change in found if change.field in transfer),
    )


def check_transfer(config: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings that conf's lock.transfer declares as variable.

    Raises:
        ConfigError: One of them is no setting of a subject, so the declaration would have no effect.
    """
    declared = tuple(config["lock"]["transfer"])
    known = sorted(flatten({name: config[name] for name in SETTINGS}))
    for name in declared:
        if name not in known and not name.startswith(_OPEN_SETTINGS):
            raise ConfigError(f"`lock.transfer` names `{name}`. {did_you_mean(name, known)}")
    return declared


def keep_transfers(now: Subject, transfers: tuple[Change, ...]) -> Subject:
    """A subject in which the transferred settings keep the values that they had in the sweep."""
    settings = dict(now.settings)
    for change in transfers:
        if ABSENT not in (change.was, change.now):
            settings = with_value(settings, change.field, change.was)
    return replace(now, settings=settings)


def _differences(was: Mapping[str, Any], now: Mapping[str, Any], prefix: str) -> tuple[Change, ...]:
    return tuple(
        Change(field=f"{prefix}{name}", was=was.get(name, ABSENT), now=now.get(name, ABSENT))
        for name in sorted({*was, *now})
        if name not in was or name not in now or canonical_json(was[name]) != canonical_json(now[name])
    )


def _without(settings: Mapping[str, Any], dotted: str) -> dict[str, Any]:
    head, _, rest = dotted.partition(".")
    if not rest:
        return {name: value for name, value in settings.items() if name != head}
    return {**settings, head: _without(settings[head], rest)}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    is_hash = len(text) == 64 and all(digit in "0123456789abcdef" for digit in text)
    return f"sha256:{text[:8]}" if is_hash else text if len(text) <= 60 else f"{text[:57]}..."

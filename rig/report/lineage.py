"""The kinds, and the settings in which they differ."""

from collections.abc import Mapping, Sequence
from typing import Any

from rig.core.fingerprint import flatten
from rig.report.build import Report
from rig.report.content import Cell, Figure, Section, Table
from rig.report.families import reads
from rig.report.numbers import EMPTY

_NEVER_SHOWN = ("kind.name", "kind.description", "train.lr")
_GROUPS = ("kind", "model", "tokenizer", "train", "score", "morphology")
_OF_FAMILIES = ("model", "tokenizer", "train")
"""Groups that not every family reads; a kind has a dash where it does not."""


def kinds_section(report: Report, figures: Mapping[str, Figure]) -> Section:
    """What each kind is, the settings that differ, how training went."""
    descriptions = {
        kind["name"]: kind["config"]["kind"].get("description", "") for kind in report.record["kinds"]
    }
    return Section(
        title="Kinds",
        bullets=tuple(f"{name}: {description}" for name, description in descriptions.items() if description),
        tables=_settings_table(report),
        figures=(figures["training"],) if "training" in figures else (),
    )


def _settings_table(report: Report) -> tuple[Table, ...]:
    """One row a setting that differs between kinds, one column a kind."""
    kinds = report.record["kinds"]
    settings = [_settings(kind) for kind in kinds]
    names = list(dict.fromkeys(name for held in settings for name in held))
    differing = [name for name in names if _differs(name, kinds, settings)]
    if not differing:
        return ()
    body = [
        (Cell(text=name), *(Cell(text=_setting(held.get(name))) for held in settings)) for name in differing
    ]
    return (
        Table(
            caption="Settings that differ, but for learning rates; those that all share are under Held fixed",
            header=("setting", *(kind["name"] for kind in kinds)),
            rows=tuple(body),
            n_text_columns=1 + len(kinds),
        ),
    )


def _differs(name: str, kinds: Sequence[Mapping[str, Any]], settings: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the kinds that read a setting have it otherwise; what a kind does not read is no difference."""
    group = name.partition(".")[0]
    held = [
        own.get(name, EMPTY)
        for kind, own in zip(kinds, settings, strict=True)
        if group not in _OF_FAMILIES or reads(kind, group)
    ]
    return any(value != held[0] for value in held)


def _settings(kind: Mapping[str, Any]) -> dict[str, Any]:
    config = kind["config"]
    shown = {
        group: config[group]
        for group in _GROUPS
        if group in config and (group not in _OF_FAMILIES or reads(kind, group))
    }
    return {name: value for name, value in flatten(shown).items() if name not in _NEVER_SHOWN}


def _setting(value: Any) -> str:
    if value is None:
        return EMPTY
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

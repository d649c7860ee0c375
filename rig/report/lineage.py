"""The kinds, how each differs, and the lock and sweep behind its learning rate."""

from collections.abc import Mapping
from typing import Any

from rig.core.fingerprint import flatten
from rig.report.build import Report
from rig.report.content import Cell, Figure, Section, Table
from rig.report.labels import kind_label, table_stamp
from rig.report.numbers import EMPTY, lr_text

_NEVER_SHOWN = ("kind.name", "kind.description", "train.lr")
_GROUPS = ("kind", "model", "tokenizer", "train", "score", "morphology")


def kinds_section(report: Report, figures: Mapping[str, Figure]) -> Section:
    """The hyperparameters that differ, with links, and the curves of their learning rates."""
    bullets = []
    for kind in report.record["kinds"]:
        description = kind["config"]["kind"].get("description", "")
        if description:
            bullets.append(f"{kind['name']}: {description}")
        bullets += [f"{kind['name']}: {note}" for note in kind["lock"]["notes"]]
    paragraphs = (
        "Each kind's learning rate was chosen by its own sweep on the validation split, with a seed that is "
        "not among those reported; the lock and the sweep are in this folder.",
    )
    is_locked = any(kind["lock"]["lock_id"] for kind in report.record["kinds"])
    return Section(
        title="Kinds and their learning rates",
        paragraphs=paragraphs if is_locked else (),
        bullets=tuple(bullets),
        tables=(_lock_table(report), *_settings_table(report)),
        figures=tuple(figures[name] for name in ("lr_curves", "training") if name in figures),
    )


def _lock_table(report: Report) -> Table:
    body = []
    for kind in report.record["kinds"]:
        lock = kind["lock"]
        link = f"locks/{kind['name']}.json" if lock["lock_id"] else ""
        sweep_link = f"sweeps/{lock['sweep_id']}/index.md" if lock["sweep_id"] else ""
        body.append(
            (
                Cell(text=kind_label(report.record, kind["name"])),
                Cell(text=lr_text(lock["value"]), sort=lock["value"]),
                Cell(text=lock["label"]),
                Cell(text=lock["lock_id"] or EMPTY, link=link),
                Cell(text=lock["sweep_id"] or EMPTY, link=sweep_link),
            )
        )
    return Table(
        caption=f"Learning rates, with the lock and the sweep behind each{table_stamp(report.record)}",
        header=("kind", "lr", "state", "lock", "sweep"),
        rows=tuple(body),
        n_text_columns=5,
    )


def _settings_table(report: Report) -> tuple[Table, ...]:
    """One row a setting that differs between kinds, one column a kind."""
    kinds = report.record["kinds"]
    settings = [_settings(kind["config"]) for kind in kinds]
    names = list(dict.fromkeys(name for held in settings for name in held))
    differing = [
        name
        for name in names
        if any(held.get(name, EMPTY) != settings[0].get(name, EMPTY) for held in settings)
    ]
    if not differing:
        return ()
    body = [
        (Cell(text=name), *(Cell(text=_setting(held.get(name))) for held in settings)) for name in differing
    ]
    return (
        Table(
            caption="Settings that differ between kinds; those that all share are under Held fixed",
            header=("setting", *(kind["name"] for kind in kinds)),
            rows=tuple(body),
            n_text_columns=1 + len(kinds),
        ),
    )


def _settings(config: Mapping[str, Any]) -> dict[str, Any]:
    shown = {group: config[group] for group in _GROUPS if group in config}
    return {name: value for name, value in flatten(shown).items() if name not in _NEVER_SHOWN}


def _setting(value: Any) -> str:
    if value is None:
        return EMPTY
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

"""Where each kind's learning rate comes from: its lock and sweep, its loss there, how much it matters."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rig.experiment.lock_file import LockFile, read_lock
from rig.metrics.catalog import METRICS
from rig.report.build import Report
from rig.report.content import Cell, Figure, Section, Table
from rig.report.families import has_no_lr_of_ours
from rig.report.labels import kind_label, short_state, table_stamp
from rig.report.numbers import EMPTY, fixed_text, lr_text

Locks = Mapping[str, LockFile]
"""Kind to the lock that its learning rate is from; a kind that ran on another value has none."""


def read_locks(record: Mapping[str, Any], folder: Path) -> Locks:
    """The locks that a report's folder holds copies of, of the kinds that ran on their locks.

    Raises:
        LockTamperedError: A copy can't be read or contradicts itself.
    """
    paths = {
        kind["name"]: folder / "locks" / f"{kind['name']}.json"
        for kind in record["kinds"]
        if kind["lock"]["lock_id"]
    }
    return {name: read_lock(path) for name, path in paths.items() if path.exists()}


def learning_rates_section(report: Report, locks: Locks, figures: Mapping[str, Figure]) -> Section | None:
    """How the learning rates were chosen, a row a kind, and the curves; None where no kind has one."""
    kinds = report.record["kinds"]
    if not any(kind["config"]["kind"]["has_lr"] for kind in kinds):
        return None
    bullets = [f"{kind['name']}: {note}" for kind in kinds for note in kind["lock"]["notes"]]
    bullets += [
        f"{kind['name']}: `{other['variable']}` is {other['value']} from the lock {other['lock_id']} too."
        for kind in kinds
        for other in kind["lock"].get("others", {}).values()
    ]
    return Section(
        title="Learning rates",
        paragraphs=tuple(_how_chosen(kinds, locks)),
        bullets=tuple(bullets),
        tables=(_table(report, locks),),
        figures=(figures["lr_curves"],) if "lr_curves" in figures else (),
    )


def _how_chosen(kinds: Sequence[Mapping[str, Any]], locks: Locks) -> list[str]:
    """A sentence a protocol, and what the last column means."""
    if not locks:
        return ["No kind ran at a learning rate that a valid lock holds, so none is known to be tuned."]
    protocols: dict[str, list[LockFile]] = {}
    for lock in locks.values():
        protocols.setdefault(lock.protocol_sha256, []).append(lock)
    without = [kind["name"] for kind in kinds if has_no_lr_of_ours(kind)]
    but = f" but {', '.join(without)}, to which none of this project's applies" if without else ""
    sentences = [f"The learning rate is not held fixed: each kind has its own{but}."]
    is_every_one = len(protocols) == 1 and len(locks) + len(without) == len(kinds)
    for same in protocols.values():
        lock = same[0]
        given = lock.protocol
        was = "was" if is_every_one or len(same) == 1 else "were each"
        whose = "Each" if is_every_one else ", ".join(one.kind for one in same)
        seed = "without a seed"
        if given["seed"] is not None:
            seed = f"at one seed ({given['seed']}, not among those reported)"
        sentences.append(
            f"{whose} {was} chosen by a sweep of the kind's own: {given['points']} values from "
            f"{given['low']:g} to {given['high']:g}, {given['steps']} steps, {seed}; the lowest "
            f"{given['metric']} on the {given['split']} split won."
        )
    thresholds = {(lock.robustness["threshold"], lock.robustness["unit"]) for lock in locks.values()}
    least = " or ".join(f"{threshold:g} {unit}" for threshold, unit in sorted(thresholds))
    sentences.append(
        "Another seed could have chosen another value. The column `near the best` says how much that would "
        f"matter: robust if the loss stays within 1% of the best over at least {least}, else fragile."
    )
    return [" ".join(sentences)]


def _table(report: Report, locks: Locks) -> Table:
    body = []
    for kind in report.record["kinds"]:
        entry, lock = kind["lock"], locks.get(kind["name"])
        body.append(
            (
                Cell(text=kind_label(report.record, kind["name"])),
                Cell(text=lr_text(entry["value"]), sort=entry["value"]),
                _best_loss(lock),
                Cell(text=EMPTY if lock is None else _near_the_best(lock.robustness)),
                Cell(text=short_state(entry["label"])),
                Cell(
                    text=entry["lock_id"] or EMPTY,
                    link=f"locks/{kind['name']}.json" if entry["lock_id"] else "",
                ),
                Cell(
                    text=entry["sweep_id"] or EMPTY,
                    link=f"sweeps/{entry['sweep_id']}/index.md" if entry["sweep_id"] else "",
                ),
            )
        )
    return Table(
        caption=f"Learning rates, with the lock and the sweep behind each{table_stamp(report.record)}",
        header=("kind", "lr", "best validation loss", "near the best", "state", "lock", "sweep"),
        rows=tuple(body),
        n_text_columns=7,
    )


def _best_loss(lock: LockFile | None) -> Cell:
    if lock is None:
        return Cell(text=EMPTY)
    metric = METRICS[lock.protocol["metric"]]
    name = f"{metric.name} ({metric.unit})" if metric.unit else metric.name
    return Cell(text=f"{fixed_text(lock.choice.loss, 4)} {name}", sort=lock.choice.loss)


def _near_the_best(held: Mapping[str, Any]) -> str:
    """`robust: within 1% over 0.62 decades`."""
    at_least = "at least " if held["reaches_grid_end"] else ""
    return (
        f"{held['verdict']}: within {held['tolerance']:.0%} over {at_least}{held['width']:.2f} {held['unit']}"
    )

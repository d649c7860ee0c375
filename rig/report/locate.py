"""Which folder a user means by a report: an id under `runs/reports/`, a path, or the newest."""

from dataclasses import dataclass
from pathlib import Path
from typing import final

from rig.core.errors import StoreError, UsageError, did_you_mean
from rig.experiment.sweep_record import sweep_folder
from rig.report.write import Lineage
from rig.store.cells import read_json


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A report's folder, and the runs directory that its cells are in."""

    folder: Path
    runs: Path


def locate(report: str | None, runs: Path) -> Located:
    """Find a report.

    Args:
        report: An id, a path to a report's folder, or None for the newest.
        runs: The runs directory; a path that lies in another one's `reports` brings its own.

    Raises:
        UsageError: There is no such report.
    """
    reports = runs / "reports"
    if report is None:
        latest = reports / "latest"
        if not latest.exists():
            raise UsageError(f"{reports} holds no report; run `rig tier1` first, or name one")
        report = latest.read_text(encoding="utf-8").strip()
    if Path(report).name == report and (reports / report / "report.json").exists():
        return Located(folder=reports / report, runs=runs)
    path = Path(report)
    if (path / "report.json").exists():
        folder = path.resolve()
        return Located(folder=path, runs=folder.parent.parent if folder.parent.name == "reports" else runs)
    known = [entry.parent.name for entry in sorted(reports.glob("*/report.json"))]
    raise UsageError(f"There is no report '{report}'. {did_you_mean(report, known)}")


def kept_lineage(located: Located) -> Lineage:
    """The copies of locks and sweeps that a report's folder holds, by kind.

    A sweep without a copy there is looked for under the runs directory; its id names its content.

    Raises:
        StoreError: The record says that a kind was locked, and the copy is missing.
    """
    folder = located.folder
    found: dict[str, tuple[Path | None, Path | None]] = {}
    for kind in read_json(folder / "report.json")["kinds"]:
        name, entry = kind["name"], kind["lock"]
        lock = folder / "locks" / f"{name}.json"
        if entry["lock_id"] and not lock.exists():
            raise StoreError(f"{lock} is missing, though {name} ran with lock {entry['lock_id']}")
        found[name] = (lock if lock.exists() else None, _sweep(located, entry["sweep_id"]))
    return found


def _sweep(located: Located, sweep_id: str | None) -> Path | None:
    if not sweep_id:
        return None
    places = (located.folder / "sweeps" / sweep_id, sweep_folder(located.runs, sweep_id))
    return next((place for place in places if (place / "sweep.json").exists()), None)

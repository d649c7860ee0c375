"""A report's folder: the record, the tables, the pages, and copies of the locks and sweeps behind it.

Everything is written into a folder beside the final one and renamed, so that a report is whole or absent; a
report of the same id is replaced.
"""

import contextlib
import os
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path

from rig.core.files import write_json, write_text
from rig.report.build import Report
from rig.report.figures import draw_figures
from rig.report.markdown import markdown
from rig.report.sections import page
from rig.report.tables import AGGREGATE_COLUMNS, COMPARISON_COLUMNS, write_table


def write_report(report: Report, runs: Path, lineage: Mapping[str, tuple[Path | None, Path | None]]) -> Path:
    """Write a report's folder under `runs/reports/` and name it in `latest`.

    Args:
        report: The report.
        runs: The runs directory.
        lineage: Kind to its lock file and its sweep's folder, copied into the report; None if there is none.

    Returns:
        The report's folder.
    """
    folder = runs / "reports" / str(report.record["id"])
    draft = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}.tmp")
    draft.mkdir(parents=True)
    try:
        _fill(draft, report, lineage)
        _replace(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    write_text(runs / "reports" / "latest", f"{folder.name}\n")
    return folder


def _fill(draft: Path, report: Report, lineage: Mapping[str, tuple[Path | None, Path | None]]) -> None:
    write_json(draft / "report.json", report.record)
    write_table(draft, "per_seed", report.per_seed, report.per_seed_columns)
    write_table(draft, "aggregate", report.aggregate, AGGREGATE_COLUMNS)
    write_table(draft, "comparisons", report.comparison_rows, COMPARISON_COLUMNS)
    for kind, (lock, sweep) in lineage.items():
        if lock is not None:
            (draft / "locks").mkdir(exist_ok=True)
            shutil.copyfile(lock, draft / "locks" / f"{kind}.json")
        if sweep is not None and not (draft / "sweeps" / sweep.name).exists():
            shutil.copytree(sweep, draft / "sweeps" / sweep.name)
    figures = draw_figures(report, draft)
    write_text(draft / "report.md", markdown(page(report, figures)))


def _replace(draft: Path, folder: Path) -> None:
    """Put the draft in the folder's place; the old one is moved away first, then removed."""
    old = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}.old")
    with contextlib.suppress(FileNotFoundError):
        os.replace(folder, old)
    try:
        os.replace(draft, folder)
    except OSError:
        if not folder.exists():
            raise
        # Another run of the same job was first; its report is the same.
    shutil.rmtree(old, ignore_errors=True)

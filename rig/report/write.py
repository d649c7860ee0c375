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
from rig.report.figures.draw import draw_figures
from rig.report.html import html
from rig.report.latex import latex
from rig.report.learning_rates import read_locks
from rig.report.markdown import markdown
from rig.report.sections import page, paper_tables
from rig.report.tables import AGGREGATE_COLUMNS, COMPARISON_COLUMNS, write_table

Lineage = Mapping[str, tuple[Path | None, Path | None]]
"""Kind to its lock file and its sweep's folder, copied into the report; None if there is none."""


def write_report(report: Report, runs: Path, lineage: Lineage) -> Path:
    """Write a report's folder under `runs/reports/` and name it in `latest`.

    Returns:
        The report's folder.
    """
    folder = runs / "reports" / str(report.record["id"])
    write_folder(report, folder, lineage)
    write_text(runs / "reports" / "latest", f"{folder.name}\n")
    return folder


def write_folder(report: Report, folder: Path, lineage: Lineage) -> None:
    """Write a report's folder; one that stands there is replaced, whole."""
    draft = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}.tmp")
    draft.mkdir(parents=True)
    try:
        _fill(draft, report, lineage)
        _replace(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _fill(draft: Path, report: Report, lineage: Lineage) -> None:
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
    whole = page(report, figures, read_locks(report.record, draft))
    pictures = {figure.path: (draft / figure.path).read_text(encoding="utf-8") for figure in figures.values()}
    write_text(draft / "report.md", markdown(whole))
    write_text(draft / "report.html", html(whole, pictures))
    write_text(draft / "tables.tex", latex(paper_tables(report), whole.stamps))


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

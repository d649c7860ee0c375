"""`rig verify`: derive every number and hash of a report again."""

from pathlib import Path

import click

from rig.core.errors import UsageError
from rig.report.verification import verify as derive


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("report", type=click.Path(path_type=Path), required=False)
@click.option(
    "--runs-dir",
    type=click.Path(path_type=Path),
    default=None,
    help="The runs directory with the cells (default: the one that the report lies in, or runs).",
)
def verify(report: Path | None, runs_dir: Path | None) -> int:
    """Derive REPORT again: every hash, lock, sum and table cell. REPORT is a folder; the latest by default.

    Exits 1 at the first item that differs. What is not on this machine is said, and is no mismatch.
    """
    folder = report if report is not None else latest_report(runs_dir or Path("runs"))
    if not (folder / "report.json").is_file():
        raise UsageError(f"{folder} is not a report's folder: it has no report.json")
    runs = runs_dir if runs_dir is not None else folder.resolve().parents[1]
    n_verified = n_absent = 0
    for item in derive(folder, runs):
        if item.note:
            n_absent += 1
            click.echo(f"not present  {item.what}: {item.note}")
        else:
            n_verified += 1
            click.echo(f"verified     {item.what}")
    click.echo(f"{folder.name}: {n_verified} verified, {n_absent} not present here, no mismatch")
    return 0


def latest_report(runs: Path) -> Path:
    """The folder of the newest report.

    Raises:
        UsageError: There is none.
    """
    pointer = runs / "reports" / "latest"
    if not pointer.is_file():
        raise UsageError(f"{pointer} does not exist; name a report's folder, or run `rig tier1` first")
    return runs / "reports" / pointer.read_text(encoding="utf-8").strip()

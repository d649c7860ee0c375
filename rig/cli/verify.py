"""`rig verify`: derive every number and hash of a report again."""

from pathlib import Path

import click

from rig.cli.options import runs_dir_option
from rig.report.locate import locate
from rig.report.verification import verify as derive


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("report", required=False)
@runs_dir_option
def verify(report: str | None, runs_dir: Path) -> int:
    """Derive REPORT again: every hash, lock, sum and table cell.

    REPORT is an id, or a folder, which brings its own runs directory; the newest by default. Exits 1 at the
    first item that differs. What is not on this machine is said, and is no mismatch.
    """
    located = locate(report, runs_dir)
    n_verified = n_absent = 0
    for item in derive(located.folder, located.runs):
        if item.note:
            n_absent += 1
            click.echo(f"not present  {item.what}: {item.note}")
        else:
            n_verified += 1
            click.echo(f"verified     {item.what}")
    name = located.folder.resolve().name
    click.echo(f"{name}: {n_verified} verified, {n_absent} not present here, no mismatch")
    return 0

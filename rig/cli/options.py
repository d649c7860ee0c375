"""Options that several commands share, each written once."""

import os
from pathlib import Path

import click

from rig.core.errors import UsageError
from rig.experiment.runner import ENGINES

runs_dir_option = click.option(
    "--runs-dir",
    type=click.Path(path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Where cells, sweeps and reports lie.",
)
conf_dir_option = click.option(
    "--conf-dir", type=click.Path(path_type=Path), default=None, help="Another conf folder."
)
plugin_option = click.option(
    "--plugin",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE.py",
    help="Your own kinds, families and tasks; runs the file. May be repeated.",
)
jobs_option = click.option(
    "--jobs", type=int, default=None, metavar="N", help="Cells at once (default: the cores)."
)
engine_option = click.option("--engine", type=click.Choice(ENGINES), default="local", show_default=True)


def n_jobs(jobs: int | None) -> int:
    """Cells at once: what was asked for, else the cores.

    Raises:
        UsageError: Less than one.
    """
    if jobs is None:
        return os.cpu_count() or 1
    if jobs < 1:
        raise UsageError(f"--jobs must be at least 1, got {jobs}")
    return jobs

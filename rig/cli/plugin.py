"""The option `--plugin`, for every command that plans cells."""

from pathlib import Path

import click

plugin_option = click.option(
    "--plugin",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE.py",
    help="Your own kinds, families and tasks; runs the file. May be repeated.",
)

"""The `rig` command: one group, a file for each family of subcommands."""

import sys

import click

from rig import __version__
from rig.cli.audit import audit
from rig.cli.data import data
from rig.cli.export_template import export_template
from rig.cli.import_text import import_text
from rig.cli.lock import lock
from rig.cli.loss_report import loss_report
from rig.cli.make_agreement import make_agreement
from rig.cli.parser import parser
from rig.cli.power import power
from rig.cli.report import report
from rig.cli.run import run
from rig.cli.sweep import sweep
from rig.cli.tier1 import tier1
from rig.cli.verify import verify


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="rig")
def rig() -> None:
    """Compare language models: is a variant better, where, and how sure is that?

    Exit codes: 0 done, 1 a cell, check or verification failed, 2 the command or config is wrong, 3 a lock is
    missing, stale or overridden, 4 a lock was tampered with. `--traceback` anywhere shows an error whole.
    """


for command in (import_text, make_agreement):
    data.add_command(command)
for command in (
    tier1, report, power, verify, audit, sweep, lock, data, export_template, parser, loss_report,
):  # fmt: skip
    rig.add_command(command)


def main() -> None:
    """Entry point of the `rig` script."""
    sys.exit(run(rig))

"""The `rig` command: one group, a file for each family of subcommands."""

import click

from rig import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="rig")
def main() -> None:
    """Compare language models: is a variant better, where, and how sure is that?"""

"""`rig loss-report`: the loss done right and wrong, side by side."""

from pathlib import Path

import click

from rig.core.files import write_json, write_text
from rig.reference import loss_report as report_module


@click.command("loss-report")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for loss_report.json and loss_report.md; made if it isn't there.",
)
def loss_report(out: Path) -> None:
    """Write the reference loss report: the log's order, the shift, the padding and the base of the log."""
    report = report_module.loss_report()
    write_json(out / "loss_report.json", report)
    write_text(out / "loss_report.md", report_module.render_markdown(report))
    click.echo(f"{out / 'loss_report.json'}\n{out / 'loss_report.md'}")

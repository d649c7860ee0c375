"""What the main job prints when it is done: the tables per seed and over seeds, then the answer."""

from pathlib import Path

import click

from rig.metrics.catalog import METRICS
from rig.report.answer import answer_sentences, stamps, warnings
from rig.report.build import Report
from rig.report.markdown import table_text
from rig.report.sections import per_seed_tables
from rig.report.value_tables import aggregate_table, per_seed_table

_SHORT = ("bpc", "ppl", "pppl_l2r", "mlm_accuracy")
"""What a terminal shows over seeds, beside the primary metric and the tasks; the page has more."""


def print_report(report: Report, folder: Path) -> None:
    """Print a report's stamps, tables, answer and warnings to standard output, and where the rest is."""
    tasks = tuple(name for name in report.catalog if name not in METRICS)
    blocks = [f"! {stamp}" for stamp in stamps(report)]
    blocks += [table_text(table) for table in per_seed_tables(report).values()]
    if tasks:
        blocks.append(table_text(per_seed_table(report, tasks, caption="Tasks per seed")))
    shown = dict.fromkeys((report.record["stats"]["primary"], *_SHORT, *tasks))
    blocks.append(table_text(aggregate_table(report, [*shown], "Over seeds")))
    blocks += answer_sentences(report)
    blocks.append("\n".join(f"- {warning}" for warning in warnings(report)))
    blocks.append(f"Report: {folder / 'report.md'}")
    click.echo("\n\n".join(blocks).replace("**", ""))

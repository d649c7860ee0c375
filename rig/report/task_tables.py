"""What the tasks measured, between what levels, why a column is empty, and what each task says of itself."""

from rig.metrics.catalog import METRICS
from rig.report.build import Report
from rig.report.content import Section
from rig.report.empty import empty_sentences
from rig.report.fact_tables import number_tables, task_facts, text_blocks
from rig.report.task_levels import levels_table


def task_names(report: Report) -> list[str]:
    """The columns that tasks fill, in table order."""
    return [name for name in report.catalog if name not in METRICS]


def tasks_section(report: Report) -> Section:
    """Definitions and reasons, the levels between which to read the values, each task's facts."""
    names = task_names(report)
    if not names:
        return Section(title="Tasks", paragraphs=("No task was asked for (`tasks=[]`).",))
    bullets = [f"{name}: {report.catalog[name].definition}" for name in names]
    bullets += empty_sentences(report, names.__contains__, lambda row: row.kind)
    facts = task_facts(report)
    levels = levels_table(report, names, facts)
    return Section(
        title="Tasks",
        bullets=tuple(bullets),
        tables=(
            *([] if levels is None else [levels]),
            *(table for held in facts for table in number_tables(report, held)),
        ),
        blocks=tuple(block for held in facts for block in text_blocks(held)),
    )

"""The sections of a report page, each a function of the report; the order is the reader's."""

import shlex
from collections.abc import Mapping

from rig.metrics.catalog import METRICS
from rig.report.answer import answer_sentences, stamps, warnings
from rig.report.audit import audit_section, audit_verdict
from rig.report.build import Report
from rig.report.class_tables import CLASSES, class_tables, mixed_sentence, strata_tables
from rig.report.comparison_detail import comparison_section
from rig.report.content import Figure, Page, Section, Table
from rig.report.empty import empty_sentences
from rig.report.held_fixed import held_fixed_section
from rig.report.labels import row_name
from rig.report.learning_rates import Locks, learning_rates_section
from rig.report.lineage import kinds_section
from rig.report.not_tested import not_tested_section
from rig.report.numbers import (
    EMPTY,
    level_text,
    value_text,
)
from rig.report.task_tables import task_names, tasks_section
from rig.report.value_tables import aggregate_table, cost_table, per_seed_table

_LEADING = ("bpc", "bpb", "ce", "ppl", "word_ppl", "pppl_l2r", "pppl", "word_pppl_l2r", "mlm_accuracy")
_PER_SEED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "causal": (
        "Perplexity and bits per character per seed",
        ("ppl", "bpc", *(f"ppl_{name}" for name in CLASSES)),
    ),
    "masked": (
        "Masked accuracy and pseudo-perplexity per seed",
        ("mlm_accuracy", "pppl", "pppl_l2r", *(f"pppl_l2r_{name}" for name in CLASSES)),
    ),
}
"""Objective to the caption and the columns of its table."""
_CLASS_DIFFERENCES = (("bpc", "bits per character"), ("wpppl_l2r", "pseudo-perplexity per word"))


def page(report: Report, figures: Mapping[str, Figure], locks: Locks) -> Page:
    """The whole page.

    Args:
        report: What it shows.
        figures: Those that were drawn, by name.
        locks: The locks that kinds ran on, by kind.
    """
    record = report.record
    kinds = ", ".join(kind["name"] for kind in record["kinds"])
    sections = (
        Section(
            title="Answer",
            paragraphs=(*answer_sentences(report), *audit_verdict(report)),
            bullets=tuple(warnings(report)),
        ),
        learning_rates_section(report, locks, figures),
        _aggregate(report, figures),
        _per_seed(report),
        _word_classes(report, figures),
        tasks_section(report),
        comparison_section(report),
        not_tested_section(report, locks),
        kinds_section(report, figures),
        audit_section(report),
        held_fixed_section(report),
        _provenance(report),
        _samples(report),
    )
    return Page(
        title=f"{kinds} on {record['data']['name']}",
        stamps=tuple(stamps(report)),
        sections=tuple(section for section in sections if section is not None),
    )


def leading_names(report: Report) -> list[str]:
    """The metrics of the first table: those asked for, else the usual ones and the tasks'."""
    asked = report.record.get("shown_metrics")
    names = asked or [*_LEADING, *task_names(report)]
    primary = report.record["stats"]["primary"]
    return [name for name in dict.fromkeys((primary, *names)) if name in report.catalog]


def paper_tables(report: Report) -> list[tuple[str, Table]]:
    """The tables for a paper, by label."""
    tables = [
        ("over-seeds", aggregate_table(report, leading_names(report), aggregate_caption(report))),
        *(
            ("per-seed" if objective == "causal" else f"per-seed-{objective}", table)
            for objective, table in per_seed_tables(report).items()
        ),
    ]
    if tasks := task_names(report):
        tables.append(("tasks-per-seed", per_seed_table(report, tasks, caption="Tasks per seed")))
    return tables


def aggregate_caption(report: Report) -> str:
    """Of the first table."""
    level = level_text(report.record["stats"]["confidence_level"])
    return f"Mean and standard deviation over seeds, paired t, {level} bootstrap interval"


def _aggregate(report: Report, figures: Mapping[str, Figure]) -> Section:
    stats = report.record["stats"]
    declared = (
        f"Declared beforehand: primary metric {stats['primary']}; family {', '.join(stats['family'])}; "
        f"smallest effect of interest {_declared(stats['sesoi'])}; margin {_declared(stats['margin'])} "
        f"(sha256 {report.record['stats_sha256'][:12]}). Every other metric is exploratory."
    )
    reading = (
        f"Δ is variant minus {report.record['baseline']}; std has ddof 1; p is not adjusted here. "
        "Means, std, Δ and the bootstrap interval are of the values as shown; t and p of a perplexity are "
        "those of its logarithm."
    )
    return Section(
        title="Kinds over seeds",
        paragraphs=(declared, reading),
        tables=(aggregate_table(report, leading_names(report), aggregate_caption(report)),),
        figures=_drawn(figures, "forest", "slopes"),
    )


def _per_seed(report: Report) -> Section:
    tasks = task_names(report)
    return Section(
        title="Each seed",
        paragraphs=(
            "Every column, with exact values, is in per_seed.csv and per_seed.parquet. "
            f"A dash ({EMPTY}) stands where nothing was scored, and where nothing is known, never 0.",
        ),
        bullets=tuple(empty_sentences(report, METRICS.__contains__, row_name)),
        tables=(
            *per_seed_tables(report).values(),
            *((per_seed_table(report, tasks, caption="Tasks per seed"),) if tasks else ()),
            cost_table(report),
        ),
    )


def per_seed_tables(report: Report) -> dict[str, Table]:
    """Objective to the table of its kinds' likelihoods, one row a kind and seed."""
    objectives = {kind["config"]["kind"]["objective"] for kind in report.record["kinds"]}
    return {
        objective: per_seed_table(report, names, caption, objective)
        for objective, (caption, names) in _PER_SEED.items()
        if objective in objectives
    }


def _word_classes(report: Report, figures: Mapping[str, Figure]) -> Section:
    return Section(
        title="By word class",
        paragraphs=(
            "Three readings of the same sums. Per token is the usual one, but it compares nouns of many "
            "pieces with articles of one and moves with the tokenizer; per word and per character do not. "
            "AUX, ADP, DET, PRON, NUM, PUNCT and the rest are OUTROS; a multiword token counts with its "
            "outermost word.",
            mixed_sentence(report),
        ),
        tables=(
            *class_tables(report),
            *_class_differences(report),
            *strata_tables(report),
        ),
        figures=_drawn(figures, "by_class"),
    )


def _class_differences(report: Report) -> list[Table]:
    tested = {comparison.column.name for comparison in report.comparisons if comparison.tested is not None}
    readings = {what: [f"{prefix}_{name}" for name in CLASSES] for prefix, what in _CLASS_DIFFERENCES}
    return [
        aggregate_table(report, names, f"Differences in {what} by class (exploratory)")
        for what, names in readings.items()
        if tested.intersection(names)
    ]


def _provenance(report: Report) -> Section:
    record = report.record
    environment, git = record["environment"], record["git"]
    packages = ", ".join(f"{name} {version}" for name, version in environment["packages"].items())
    commit = f"{git['commit'][:12]}{' (with uncommitted changes)' if git['dirty'] else ''}" if git else "none"
    return Section(
        title="Provenance",
        bullets=(
            f"Report {record['id']}; rig {environment['rig']}, git {commit}, Python {environment['python']}",
            environment["platform"],
            packages,
            f"BLAS {environment['blas']['name']} {environment['blas']['version']}; one thread a cell",
            f"Configs from {record['conf']['origin']} (sha256 {record['conf']['sha256'][:12]})",
            "`rig verify` with this report's folder derives every number again from the cells' files.",
        ),
        blocks=(shlex.join(record["command"]),),
    )


def _samples(report: Report) -> Section | None:
    blocks = []
    shown = set()
    for row in report.rows:
        if row.done is None or row.kind in shown:
            continue
        texts = [text for task in row.done.result["tasks"].values() for text in task["samples"]]
        if texts:
            shown.add(row.kind)
            blocks.append(f"{row_name(row)}\n\n" + "\n\n".join(texts[:3]))
    return Section(title="Samples", blocks=tuple(blocks)) if blocks else None


def _drawn(figures: Mapping[str, Figure], *names: str) -> tuple[Figure, ...]:
    return tuple(figures[name] for name in names if name in figures)


def _declared(value: float | None) -> str:
    return "not declared" if value is None else value_text(value)

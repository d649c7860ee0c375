"""The sections of a report page, each a function of the report; the order is the reader's."""

import json
import shlex
from collections.abc import Mapping
from typing import Any

from rig.metrics.catalog import METRICS
from rig.report.answer import answer_sentences, stamps, warnings
from rig.report.audit import audit_section, audit_verdict
from rig.report.build import Report
from rig.report.class_tables import CLASSES, READINGS, class_table, mixed_sentence, strata_tables
from rig.report.comparison_detail import comparison_section
from rig.report.content import Cell, Figure, Page, Section, Table
from rig.report.labels import row_name, shortened, unit_name
from rig.report.learning_rates import Locks, learning_rates_section
from rig.report.lineage import kinds_section
from rig.report.not_tested import not_tested_section
from rig.report.numbers import (
    EMPTY,
    count_text,
    delta_text,
    fixed_text,
    level_text,
    share_text,
    value_text,
)
from rig.report.task_tables import task_names, tasks_section
from rig.report.value_tables import aggregate_table, cost_table, per_seed_table

_LEADING = ("bpc", "bpb", "ce", "ppl", "word_ppl")
_PER_SEED = ("ppl", "bpc", *(f"ppl_{name}" for name in CLASSES))


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
        _held_fixed(report),
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
        ("per-seed", per_seed_table(report, _PER_SEED)),
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
            f"A dash ({EMPTY}) stands where nothing was scored, never 0.",
        ),
        bullets=tuple(_why_empty(report)),
        tables=(
            per_seed_table(report, _PER_SEED),
            *((per_seed_table(report, tasks, caption="Tasks per seed"),) if tasks else ()),
            cost_table(report),
        ),
    )


def _why_empty(report: Report) -> list[str]:
    """The likelihood metrics that are empty somewhere, those of one reason and the same rows together."""
    rows: dict[tuple[str, str], list[str]] = {}
    for row in report.rows:
        for name, reason in row.reasons.items():
            if name in METRICS:
                rows.setdefault((name, reason), []).append(row_name(row))
    names: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (name, reason), found in rows.items():
        names.setdefault((reason, tuple(found)), []).append(name)
    return [
        f"{shortened(metrics)} {'is' if len(metrics) == 1 else 'are'} empty: {reason} ({', '.join(found)})."
        for (reason, found), metrics in names.items()
    ]


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
            *(class_table(report, prefix, sums, caption) for prefix, sums, caption in READINGS),
            *_class_differences(report),
            *strata_tables(report),
        ),
        figures=_drawn(figures, "by_class"),
    )


def _class_differences(report: Report) -> list[Table]:
    if not report.comparisons:
        return []
    names = [f"bpc_{name}" for name in CLASSES]
    return [aggregate_table(report, names, "Differences in bits per character by class (exploratory)")]


def _held_fixed(report: Report) -> Section:
    record = report.record
    data, config = record["data"], record["kinds"][0]["config"]
    overlap = data["overlap"]
    bullets = [
        f"Data {data['name']}: documents {data['content'].get('documents', '')[:12]}, "
        f"words {data['content'].get('words', '')[:12]} (sha256 of content).",
        f"{overlap['n_overlapping']} of {overlap['n_test']} test sentences ({share_text(overlap['share'])}) "
        "also stand in the train split; none was removed.",
        f"Every token of a document is scored once, given BOS; EOS is not scored. Windows of "
        f"{config['model']['context']} tokens, {config['score']['stride']} apart.",
    ]
    done = next((row.done for row in report.rows if row.done is not None), None)
    if done is not None:
        bullets.append(
            f"Scored: {count_text(done.result['n_documents'])} documents, "
            f"{count_text(done.result['n_chars'])} characters, {count_text(done.result['n_bytes'])} bytes, "
            f"{count_text(done.result['n_units'])} words of the {done.result['split']} split."
        )
    if any(kind["config"]["kind"]["has_lr"] for kind in record["kinds"]):
        bullets.append("Not held fixed: the learning rate, which is each kind's own.")
    shared = {group: config[group] for group in ("model", "tokenizer", "train", "score")}
    shared["train"] = {name: value for name, value in shared["train"].items() if name != "lr"}
    tables = [] if data["exact"] is None else [_distance_table(report, data["exact"])]
    return Section(
        title="Held fixed",
        bullets=tuple(bullets),
        tables=tuple(tables),
        blocks=("\n".join(f"{group}: {json.dumps(values)}" for group, values in shared.items()),),
    )


def _distance_table(report: Report, exact: Mapping[str, Any]) -> Table:
    floor = exact["bits_per_character"]
    means = {row["kind"]: row.get("mean") for row in report.aggregate if row["metric"] == "bpc"}
    body = [
        (Cell(text=kind), Cell(text=fixed_text(mean, 4), sort=mean), Cell(text=delta_text(mean - floor, 4)))
        for kind, mean in means.items()
        if mean is not None
    ]
    return Table(
        caption=(
            "Distance from the language's exact cross-entropy, "
            f"{fixed_text(floor, 4)} {unit_name('bits/char')}: no model can do better on average"
        ),
        header=("kind", "bpc", "above exact"),
        rows=tuple(body),
    )


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

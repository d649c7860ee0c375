"""The sections of a report page, each a function of the report; the order is the reader's."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rig.core.documents import WORD_CLASSES
from rig.metrics.catalog import METRICS
from rig.report.answer import answer_sentences, stamps, unit_name, warnings
from rig.report.build import Report
from rig.report.comparison import Comparison
from rig.report.content import Cell, Figure, Page, Section, Table, text_cells
from rig.report.numbers import (
    EMPTY,
    count_text,
    decimals_for,
    delta_text,
    fixed_text,
    interval_text,
    lr_text,
    p_text,
    seconds_text,
    share_text,
    value_text,
)
from rig.report.rows import SeedRow

_LEADING = ("bpc", "bpb", "ce", "ppl", "word_ppl")
_CLASSES = tuple(name.lower() for name in WORD_CLASSES)


def page(report: Report, figures: Mapping[str, Figure]) -> Page:
    """The whole page. `figures` are those that were drawn, by name."""
    record = report.record
    kinds = ", ".join(kind["name"] for kind in record["kinds"])
    sections = (
        Section(title="Answer", paragraphs=tuple(answer_sentences(report)), bullets=tuple(warnings(report))),
        _aggregate(report, figures),
        _per_seed(report),
        _word_classes(report, figures),
        _tasks(report),
        _kinds(report, figures),
        _held_fixed(report),
        _provenance(report),
        _samples(report),
    )
    return Page(
        title=f"{kinds} on {record['data']['name']}",
        stamps=tuple(stamps(report)),
        sections=tuple(section for section in sections if section is not None),
    )


def _aggregate(report: Report, figures: Mapping[str, Figure]) -> Section:
    stats = report.record["stats"]
    level = f"{stats['confidence_level']:.0%}"
    tasks = _task_names(report)
    names = [name for name in (*_LEADING, *tasks) if name in report.catalog]
    return Section(
        title="Kinds over seeds",
        paragraphs=(
            f"Declared beforehand: primary metric {stats['primary']}; family {', '.join(stats['family'])}; "
            f"smallest effect of interest {_declared(stats['sesoi'])}; margin {_declared(stats['margin'])} "
            f"(sha256 {report.record['stats_sha256'][:12]}). "
            f"Delta is variant minus {report.record['baseline']}. std has ddof 1. "
            "t and p of a perplexity are those of its logarithm.",
        ),
        tables=(
            aggregate_table(report, names, f"Mean and standard deviation over seeds, {level} intervals"),
        ),
        figures=tuple(figures[name] for name in ("forest", "slopes") if name in figures),
    )


def aggregate_table(report: Report, names: Sequence[str], caption: str) -> Table:
    """mean, std, delta, paired t, p, bootstrap interval, verdict of each kind on these metrics."""
    rows = {(row["kind"], row["metric"]): row for row in report.aggregate}
    verdicts = {(c.kind, c.column.name): c for c in report.comparisons}
    body = []
    for name in names:
        for kind in report.record["kinds"]:
            row = rows.get((kind["name"], name))
            if row is not None:
                body.append(_aggregate_row(row, verdicts.get((kind["name"], name))))
    header = (
        "metric",
        "kind",
        "n",
        "mean",
        "std",
        "Δ",
        "paired t",
        "p",
        "bootstrap [Δ_low, Δ_high]",
        "verdict",
    )
    return Table(caption=caption, header=header, rows=tuple(body), n_text_columns=2)


def _aggregate_row(row: Mapping[str, Any], comparison: Comparison | None) -> tuple[Cell, ...]:
    spread = row["std"] if row["std"] else None
    decimals = decimals_for(spread, least=3)
    delta, low, high = row.get("delta_mean"), row.get("boot_low"), row.get("boot_high")
    delta_decimals = decimals_for(abs(high - low) / 4 if low is not None else None, least=3)
    verdict = ""
    if comparison is not None:
        verdict = str(comparison.verdict) if comparison.verdict else comparison.not_compared
    return (
        Cell(text=row["metric"]),
        Cell(text=row["kind"]),
        Cell(text=EMPTY if row["n_seeds"] is None else str(row["n_seeds"])),
        Cell(text=fixed_text(row["mean"], decimals), sort=row["mean"]),
        Cell(text=fixed_text(row["std"], decimals), sort=row["std"]),
        Cell(text=delta_text(delta, delta_decimals), sort=delta),
        Cell(text=fixed_text(row.get("paired_t"), 2), sort=row.get("paired_t")),
        Cell(text=p_text(row.get("p")), sort=row.get("p")),
        Cell(text=interval_text(low, high, delta_decimals)),
        Cell(text=verdict),
    )


def _per_seed(report: Report) -> Section:
    tasks = _task_names(report)
    return Section(
        title="Each seed",
        paragraphs=("Every column, with exact values, is in per_seed.csv and per_seed.parquet.",),
        tables=(
            per_seed_table(report, ("ppl", "bpc", *(f"ppl_{name}" for name in _CLASSES))),
            *((per_seed_table(report, tasks, caption="Tasks per seed"),) if tasks else ()),
            _cost_table(report),
        ),
    )


def per_seed_table(
    report: Report, names: Sequence[str], caption: str = "Perplexity and bits per character per seed"
) -> Table:
    """Values of these metrics, one row a kind and seed."""
    body = []
    for row in report.rows:
        cells = [Cell(text=row.kind), Cell(text=EMPTY if row.seed is None else str(row.seed))]
        cells += [Cell(text=value_text(row.values.get(name)), sort=row.values.get(name)) for name in names]
        body.append(tuple(cells))
    return Table(caption=caption, header=("kind", "seed", *names), rows=tuple(body), n_text_columns=2)


def _cost_table(report: Report) -> Table:
    body = []
    for row in report.rows:
        body.append(
            (
                Cell(text=row.kind),
                Cell(text=EMPTY if row.seed is None else str(row.seed)),
                Cell(text=count_text(row.facts.get("n_params"))),
                Cell(text=count_text(row.facts.get("train_tokens"))),
                Cell(text=seconds_text(row.facts.get("train_s"))),
                Cell(text=lr_text(row.lineage["lr"])),
                Cell(text=row.lineage["lock_state"], link=lock_link(row)),
                Cell(text=row.status),
                Cell(text=row.lineage["cell"]),
            )
        )
    header = ("kind", "seed", "parameters", "tokens trained on", "training", "lr", "lock", "status", "cell")
    return Table(
        caption="What each cost, and where it comes from", header=header, rows=tuple(body), n_text_columns=2
    )


def lock_link(row: SeedRow) -> str:
    """Address of the lock's copy in the report, or empty."""
    return f"locks/{row.kind}.json" if row.lineage["lock_id"] else ""


def _word_classes(report: Report, figures: Mapping[str, Figure]) -> Section:
    names = [f"{prefix}_{name}" for prefix in ("wppl", "bpc") for name in _CLASSES]
    return Section(
        title="By word class",
        paragraphs=(
            "wppl is per surface word, bpc per character; ppl per token (in the table above) compares "
            "nouns of many pieces with articles of one and moves with the tokenizer. A multiword token "
            "counts with its outermost word.",
        ),
        tables=(
            aggregate_table(report, names, "Perplexity per word and bits per character by class"),
            *_strata_tables(report),
        ),
        figures=tuple(figures[name] for name in ("by_class",) if name in figures),
    )


def _strata_tables(report: Report) -> list[Table]:
    """Nats per surface unit by each further annotation column, pooled over seeds by kind."""
    columns: dict[str, dict[str, None]] = {}
    for row in report.rows:
        for name in row.sums.names if row.sums is not None else ():
            if name.startswith("wce["):
                column, _, label = name[4:-1].partition("=")
                columns.setdefault(column, {})[label] = None
    return [_strata_table(report, column, list(labels)) for column, labels in columns.items()]


def _strata_table(report: Report, column: str, labels: Sequence[str]) -> Table:
    kinds = [kind["name"] for kind in report.record["kinds"]]
    body = []
    for label in labels:
        cells = [Cell(text=label)]
        n_units = 0.0
        for kind in kinds:
            pairs = [
                row.sums.pooled(f"wce[{column}={label}]")
                for row in report.rows
                if row.kind == kind and row.sums is not None
            ]
            weight = sum(pair[1] for pair in pairs)
            n_units = max(n_units, *(pair[1] for pair in pairs)) if pairs else n_units
            value = sum(pair[0] for pair in pairs) / weight if weight else None
            cells.append(Cell(text=fixed_text(value, 3), sort=value))
        body.append((n_units, (*cells, Cell(text=count_text(round(n_units)), sort=n_units))))
    body.sort(key=lambda item: -item[0])
    return Table(
        caption=f"Nats per word by {column}, pooled over seeds",
        header=(column, *kinds, "words"),
        rows=tuple(cells for _, cells in body),
    )


def _tasks(report: Report) -> Section | None:
    tasks = _task_names(report)
    if not tasks:
        return Section(title="Tasks", paragraphs=("No task was asked for (`tasks=[]`).",))
    bullets = [f"{name}: {report.catalog[name].definition}" for name in tasks]
    reasons: dict[str, str] = {}
    for row in report.rows:
        for name, reason in row.reasons.items():
            if name in report.catalog:
                reasons.setdefault(f"{name} is empty: {reason}.", row.kind)
    bullets += [f"{text} ({kind})" for text, kind in reasons.items()]
    blocks = []
    for row in report.rows:
        if row.done is not None and row.seed in (None, report.record["seeds"][0]):
            facts = {name: task["facts"] for name, task in row.done.result["tasks"].items() if task["facts"]}
            if facts:
                seed = "" if row.seed is None else f" seed {row.seed}"
                blocks.append(f"{row.kind}{seed}\n" + _facts_text(facts))
    return Section(title="Tasks", bullets=tuple(bullets), blocks=tuple(blocks))


def _facts_text(facts: Mapping[str, Any], indent: str = "  ") -> str:
    lines = []
    for name, value in facts.items():
        if isinstance(value, Mapping) and any(isinstance(item, Mapping) for item in value.values()):
            lines.append(f"{indent}{name}")
            lines.append(_facts_text(value, indent + "  "))
        elif isinstance(value, Mapping):
            inner = ", ".join(f"{key} {_fact(item)}" for key, item in value.items())
            lines.append(f"{indent}{name}: {inner}")
        else:
            lines.append(f"{indent}{name}: {_fact(value)}")
    return "\n".join(lines)


def _fact(value: Any) -> str:
    if isinstance(value, float):
        return value_text(value)
    if isinstance(value, list):
        return ", ".join(_fact(item) for item in value)
    return EMPTY if value is None else str(value)


def _kinds(report: Report, figures: Mapping[str, Figure]) -> Section:
    body = []
    bullets = []
    for kind in report.record["kinds"]:
        config, lock = kind["config"], kind["lock"]
        lock_text = f"lock {lock['lock_id']}" if lock["lock_id"] else lock["label"]
        link = f"locks/{kind['name']}.json" if lock["lock_id"] else ""
        sweep_link = f"sweeps/{lock['sweep_id']}/index.md" if lock["sweep_id"] else ""
        options = ", ".join(f"{name} {value}" for name, value in config["kind"]["options"].items())
        body.append(
            (
                *text_cells(kind["name"], config["kind"]["family"], options or EMPTY),
                Cell(text=lr_text(lock["value"])),
                Cell(text=lock_text, link=link),
                Cell(text=lock["sweep_id"] or EMPTY, link=sweep_link),
            )
        )
        bullets.append(f"{kind['name']}: {config['kind']['description']}")
        bullets += [f"{kind['name']}: {note}" for note in lock["notes"]]
    config = report.record["kinds"][0]["config"]
    shared = {group: config[group] for group in ("model", "tokenizer", "train", "score")}
    shared["train"] = {name: value for name, value in shared["train"].items() if name != "lr"}
    return Section(
        title="Kinds and their learning rates",
        bullets=tuple(bullets),
        tables=(
            Table(
                caption="Hyperparameters that differ; each learning rate links to its lock and its sweep",
                header=("kind", "family", "options", "lr", "lock", "sweep"),
                rows=tuple(body),
                n_text_columns=6,
            ),
        ),
        figures=tuple(figures[name] for name in ("lr_curves", "training") if name in figures),
        blocks=("\n".join(f"{group}: {json.dumps(values)}" for group, values in shared.items()),),
    )


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
            f"{count_text(done.result['n_units'])} words of the test split."
        )
    tables = []
    if data["exact"] is not None:
        tables.append(_distance_table(report, data["exact"]))
    return Section(title="Held fixed", bullets=tuple(bullets), tables=tuple(tables))


def _distance_table(report: Report, exact: Mapping[str, Any]) -> Table:
    floor = exact["bits_per_character"]
    means = {row["kind"]: row["mean"] for row in report.aggregate if row["metric"] == "bpc"}
    body = [
        (Cell(text=kind), Cell(text=fixed_text(mean, 4)), Cell(text=delta_text(mean - floor, 4)))
        for kind, mean in means.items()
    ]
    exact_text = f"{fixed_text(floor, 4)} {unit_name('bits/char')}"
    return Table(
        caption=f"Distance from the language's exact cross-entropy, {exact_text}",
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
            f"rig {environment['rig']}, git {commit}, Python {environment['python']}",
            environment["platform"],
            packages,
            f"BLAS {environment['blas']['name']} {environment['blas']['version']}; one thread a cell",
            f"Configs from {record['conf']['origin']} (sha256 {record['conf']['sha256'][:12]})",
            "`rig verify` with this report's folder derives every number again from the cells' files.",
        ),
        blocks=(" ".join(record["command"]),),
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
            seed = "" if row.seed is None else f" seed {row.seed}"
            blocks.append(f"{row.kind}{seed}\n\n" + "\n\n".join(texts[:3]))
    return Section(title="Samples", blocks=tuple(blocks)) if blocks else None


def _task_names(report: Report) -> list[str]:
    return [name for name in report.catalog if name not in METRICS]


def _declared(value: float | None) -> str:
    return "not declared" if value is None else value_text(value)

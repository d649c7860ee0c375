"""The tables by word class: a column a class, then each variant's differences, then further strata."""

from collections.abc import Sequence

from rig.core.documents import WORD_CLASSES
from rig.report.build import Report
from rig.report.content import Cell, Table
from rig.report.labels import kind_label, table_stamp
from rig.report.numbers import EMPTY, count_text, fixed_text, share_text, table_decimals
from rig.report.rows import SeedRow

CLASSES: tuple[str, ...] = tuple(name.lower() for name in WORD_CLASSES)
_READINGS: tuple[tuple[str, str, str, str], ...] = (
    ("causal", "ppl", "ce", "Perplexity per token by class"),
    ("causal", "wppl", "wce", "Perplexity per word by class"),
    ("causal", "bpc", "bpc", "Bits per character by class"),
    ("masked", "pppl_l2r", "pll_l2r", "Pseudo-perplexity per token by class, word left to right"),
    ("masked", "wpppl_l2r", "wpll_l2r", "Pseudo-perplexity per word by class, word left to right"),
)
"""Objective, prefix of the metric, prefix of its sums, caption."""
_COUNTED = {"bpc": "characters", "ce": "tokens", "pll_l2r": "tokens"}
_STRATA: tuple[tuple[str, str], ...] = (
    ("wce", "Nats per word"),
    ("wpll_l2r", "Nats of pseudo-likelihood per word, word left to right,"),
)
"""Prefix of the sums of further strata, and what they are."""


def class_tables(report: Report) -> list[Table]:
    """Each reading of the objectives that the report's kinds have."""
    objectives = {kind["config"]["kind"]["objective"] for kind in report.record["kinds"]}
    return [
        _class_table(report, objective, prefix, sums, caption)
        for objective, prefix, sums, caption in _READINGS
        if objective in objectives
    ]


def _class_table(report: Report, objective: str, prefix: str, sums: str, caption: str) -> Table:
    """Mean and standard deviation over seeds, a row a kind, a column a class; below them what was counted."""
    rows = {(row["kind"], row["metric"]): row for row in report.aggregate}
    body = []
    for kind in report.record["kinds"]:
        if kind["config"]["kind"]["objective"] != objective:
            continue
        cells = [Cell(text=kind_label(report.record, kind["name"]))]
        for name in CLASSES:
            row = rows.get((kind["name"], f"{prefix}_{name}"), {})
            cells.append(_mean_and_std(row.get("mean"), row.get("std")))
        body.append(tuple(cells))
    body += _counts(report, sums)
    return Table(
        caption=f"{caption}, mean ± std over seeds{table_stamp(report.record)}",
        header=("kind", *WORD_CLASSES),
        rows=tuple(body),
    )


def _mean_and_std(mean: float | None, std: float | None) -> Cell:
    decimals = table_decimals(mean, std)
    spread = "" if std is None else f" ± {fixed_text(std, decimals)}"
    return Cell(text=f"{fixed_text(mean, decimals)}{spread}", sort=mean)


def _counts(report: Report, sums: str) -> list[tuple[Cell, ...]]:
    """Tokens, words or characters of each class; the first kind's, whose tokens others may cut otherwise."""
    first = next((row for row in report.rows if row.sums is not None and sums in row.sums.names), None)
    if first is None or first.sums is None:
        return []
    counts = [first.sums.pooled(f"{sums}_{name}")[1] for name in CLASSES]
    counted = _COUNTED.get(sums, "words")
    label = Cell(text=f"{counted} ({first.kind})" if counted == "tokens" else counted)
    return [(label, *(Cell(text=count_text(round(count)), sort=count) for count in counts))]


def mixed_sentence(report: Report) -> str:
    """How many tokens lie in blocks of more than one class."""
    shares: dict[str, float] = {}
    for row in report.rows:
        share = row.values.get("mixed_share")
        if share is not None:
            shares.setdefault(row.kind, share)
    told = ", ".join(f"{kind} {share_text(share)}" for kind, share in shares.items())
    return (
        "Tokens that lie in words of more than one class (`mixed`) count in the total and in no class; "
        f"their share: {told or EMPTY}."
    )


def strata_tables(report: Report) -> list[Table]:
    """Nats per surface unit by each further annotation column, pooled over seeds by kind."""
    columns: dict[tuple[str, str, str], dict[str, None]] = {}
    for prefix, what in _STRATA:
        for row in report.rows:
            for name in row.sums.names if row.sums is not None else ():
                if name.startswith(f"{prefix}["):
                    column, _, label = name[len(prefix) + 1 : -1].partition("=")
                    columns.setdefault((prefix, what, column), {})[label] = None
    return [_strata_table(report, *which, list(labels)) for which, labels in columns.items()]


def _strata_table(report: Report, prefix: str, what: str, column: str, labels: Sequence[str]) -> Table:
    have = {row.kind for row in report.rows if row.sums is not None and prefix in row.sums.names}
    kinds = [kind["name"] for kind in report.record["kinds"] if kind["name"] in have]
    body = []
    for label in labels:
        cells = [Cell(text=label)]
        n_units = 0.0
        for kind in kinds:
            total, weight, most = _pooled(report.rows, kind, f"{prefix}[{column}={label}]")
            n_units = max(n_units, most)
            value = total / weight if weight else None
            cells.append(Cell(text=fixed_text(value, 3), sort=value))
        body.append((n_units, (*cells, Cell(text=count_text(round(n_units)), sort=n_units))))
    body.sort(key=lambda item: -item[0])
    return Table(
        caption=f"{what} by {column}, pooled over seeds{table_stamp(report.record)}",
        header=(column, *(kind_label(report.record, kind) for kind in kinds), "words"),
        rows=tuple(cells for _, cells in body),
    )


def _pooled(rows: Sequence[SeedRow], kind: str, name: str) -> tuple[float, float, float]:
    """Total and weight over a kind's seeds, and the largest weight of one seed."""
    pairs = [row.sums.pooled(name) for row in rows if row.kind == kind and row.sums is not None]
    weights = [weight for _, weight in pairs]
    return sum(total for total, _ in pairs), sum(weights), max(weights, default=0.0)

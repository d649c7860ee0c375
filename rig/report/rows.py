"""Finished cells to the rows of the per-seed table: every number is made here, from sums and items.

A perplexity is exp of pooled nats over pooled weights; a task's column is the declared function of its items.
Nothing is read from a stored mean.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, final

from rig.core.errors import StoreError
from rig.core.fingerprint import fingerprint
from rig.core.sums import Sums
from rig.metrics.catalog import METRICS, Direction, Metric, metrics_of
from rig.report.families import is_built_in
from rig.store.cells import DoneCell, check_done
from rig.store.tables import read_sums

Status = Literal["ok", "diverged", "failed"]

LIKELIHOOD: tuple[str, ...] = tuple(metrics_of("causal"))
MASKED: tuple[str, ...] = ("mlm_accuracy", "n_masked", "pppl", "pppl_l2r")
TASKS: tuple[str, ...] = ("tree_valid_rate", "parse_rate", "tree_depth", "sv_agreement", "sim_assin2")
FACTS: tuple[str, ...] = ("n_tokens", "n_chars", "n_params", "train_tokens", "train_s")
LINEAGE: tuple[str, ...] = ("lr", "lock_state", "lock_id", "sweep_id", "status", "cell")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What is known of a metric beside its values."""

    name: str
    unit: str
    direction: Direction
    is_log_scale: bool
    """True if tests are made on the logarithm (perplexities)."""
    definition: str


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SeedRow:
    """One kind at one seed: what the per-seed table shows, and the sums it is made of."""

    kind: str
    seed: int | None
    objective: str
    values: Mapping[str, float | None]
    """Metric to value; None where nothing was scored."""
    test_values: Mapping[str, float | None]
    """Metric to its value on the scale of tests: nats or bits, the logarithm of a perplexity."""
    reasons: Mapping[str, str]
    """Metric to why it is empty."""
    facts: Mapping[str, Any]
    """n_tokens, n_chars, n_params, train_tokens, train_s."""
    lineage: Mapping[str, Any]
    status: Status
    error: str
    sums: Sums | None = field(repr=False, default=None)
    done: DoneCell | None = field(repr=False, default=None)


def seed_rows(record: Mapping[str, Any], runs: Path) -> list[SeedRow]:
    """The rows of a report, kinds and seeds in the record's order.

    Args:
        record: report.json.
        runs: The runs directory that holds the cells.

    Raises:
        StoreError: A finished cell is not there, or was changed since.
    """
    return [_seed_row(kind, entry, runs) for kind in record["kinds"] for entry in kind["cells"]]


def column_catalog(rows: Sequence[SeedRow]) -> dict[str, Column]:
    """Every metric that some row could have: those of the rows' objectives, then the tasks' columns."""
    objectives = {row.objective for row in rows}
    catalog = {
        metric.name: Column(
            name=metric.name,
            unit=metric.unit,
            direction=metric.direction,
            is_log_scale=metric.is_exp,
            definition=metric.definition,
        )
        for metric in METRICS.values()
        if not objectives.isdisjoint(metric.objectives)
    }
    for row in rows:
        for column in _task_columns(row.done):
            catalog.setdefault(
                column["name"],
                Column(
                    name=column["name"],
                    unit=column["unit"],
                    direction=column["direction"],
                    is_log_scale=False,
                    definition=column["definition"],
                ),
            )
    return catalog


def metric_names(rows: Sequence[SeedRow]) -> list[str]:
    """The metrics of a report in the contract's order; others that a row has follow the known ones."""
    known = (*LIKELIHOOD, *MASKED, *TASKS)
    present = {name for row in rows for name in row.values}
    further = [name for name in METRICS if name in present and name not in known]
    return [*known, *further, *sorted(present - {*known, *further})]


def column_names(rows: Sequence[SeedRow]) -> list[str]:
    """The per-seed table's columns in the contract's order."""
    return ["kind", "seed", "objective", *metric_names(rows), *FACTS, *LINEAGE]


def as_mapping(row: SeedRow, names: Sequence[str]) -> dict[str, Any]:
    """A row as column to value, None where empty."""
    own = {"kind": row.kind, "seed": row.seed, "objective": row.objective}
    merged = {**row.values, **row.facts, **row.lineage, **own}
    return {name: merged.get(name) for name in names}


def _seed_row(kind: Mapping[str, Any], entry: Mapping[str, Any], runs: Path) -> SeedRow:
    lock = kind["lock"]
    common: dict[str, Any] = {
        "kind": kind["name"],
        "seed": entry["seed"],
        "objective": kind["config"]["kind"]["objective"],
        "status": entry["status"],
        "error": entry["error"],
        "lineage": {
            "lr": lock["value"],
            "lock_state": lock["label"],
            "lock_id": lock["lock_id"],
            "sweep_id": lock["sweep_id"],
            "status": entry["status"],
            "cell": entry["cell"],
        },
    }
    if entry["status"] != "ok":
        return SeedRow(**common, values={}, test_values={}, reasons={}, facts={})
    done = check_done(runs / "cells" / entry["cell"])
    if fingerprint(done.result) != entry["result_sha256"]:
        raise StoreError(f"cell {entry['cell']} holds another result than the one this report was made from")
    sums = read_sums(done.attempt / "sums.parquet")
    if common["objective"] == "masked":
        values, test_values, reasons = _pseudo_likelihood(sums)
    else:
        values, test_values, reasons = _likelihood(sums, is_code_length=done.result["is_code_length"])
    for column in _task_columns(done):
        values[column["name"]] = test_values[column["name"]] = column["value"]
        if column["value"] is None:
            reasons[column["name"]] = column["reason"] or "not defined on these items"
    facts = {name: done.result[name] for name in FACTS if name in done.result}
    if not is_built_in(kind):
        # A file of scores says nothing of its model: 0 parameters would be a claim.
        facts["n_params"] = facts.get("n_params") or None
    facts["train_s"] = done.timing["train_s"]
    if common["objective"] == "masked":
        facts["n_masked"] = int(sums.pooled("mlm_accuracy")[1])
    return SeedRow(
        **common,
        values=values,
        test_values=test_values,
        reasons=reasons,
        facts=facts,
        sums=sums,
        done=done,
    )


_Values = tuple[dict[str, float | None], dict[str, float | None], dict[str, str]]
"""Values, values on the scale of tests, reasons of empty ones; each by metric."""


def _likelihood(sums: Sums, *, is_code_length: bool) -> _Values:
    def why_empty(metric: Metric) -> str:
        is_per_text = metric.sums.startswith(("bpc", "bpb")) and not is_code_length
        return "unknown tokens are not charged their spelling" if is_per_text else "nothing of it in the text"

    return _values(sums, metrics_of("causal").values(), why_empty, too_large="too large for a number; see ce")


def _pseudo_likelihood(sums: Sums) -> _Values:
    """A likelihood's columns are empty for one reason; without `score.pseudo_likelihood` pppl's are too."""
    metrics = metrics_of("masked")
    absent = {
        name: "a masked model's pseudo-likelihood is not a likelihood"
        for name in METRICS
        if name not in metrics
    }
    if sums.names and "pll" not in sums.names:
        unasked = [name for name, metric in metrics.items() if metric.sums not in sums.names]
        absent |= dict.fromkeys(unasked, "score.pseudo_likelihood is false")
    measured = [metric for name, metric in metrics.items() if name not in absent]
    values, test_values, reasons = _values(sums, measured, lambda _: "nothing of it in the text")
    both = {**absent, **reasons}
    return values, test_values, {name: both[name] for name in METRICS if name in both}


def _values(
    sums: Sums,
    metrics: Iterable[Metric],
    why_empty: Callable[[Metric], str],
    *,
    too_large: str = "too large for a number; its logarithm is in the cell's sums",
) -> _Values:
    values: dict[str, float | None] = {}
    test_values: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    for metric in metrics:
        ratio = sums.ratio(metric.sums)
        values[metric.name] = metric.value(ratio)
        test_values[metric.name] = ratio
        if ratio is None:
            reasons[metric.name] = why_empty(metric)
        elif values[metric.name] is None:
            reasons[metric.name] = too_large
    return values, test_values, reasons


def _task_columns(done: DoneCell | None) -> list[dict[str, Any]]:
    if done is None:
        return []
    return [column for task in done.result["tasks"].values() for column in task["columns"]]

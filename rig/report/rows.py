"""Finished cells to the rows of the per-seed table: every number is made here, from sums and items.

A perplexity is exp of pooled nats over pooled weights; a task's column is the declared function of its items.
Nothing is read from a stored mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, final

from rig.core.sums import Sums
from rig.experiment.lock import LockDecision
from rig.experiment.runner import Outcome
from rig.metrics.catalog import METRICS
from rig.store.tables import read_sums

Status = Literal["ok", "diverged", "failed"]

_LIKELIHOOD = list(METRICS)
_MASKED = ["mlm_accuracy", "n_masked", "pppl", "pppl_l2r"]
_TASKS = ["tree_valid_rate", "parse_rate", "tree_depth", "sv_agreement", "sim_assin2"]
_FACTS = ["n_tokens", "n_chars", "n_params", "train_tokens", "train_s"]
_LINEAGE = ["lr", "lock_state", "lock_id", "sweep_id", "status", "cell"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SeedRow:
    """One kind at one seed: what the per-seed table shows, and the sums it is made of."""

    kind: str
    seed: int | None
    objective: str
    values: Mapping[str, float | None]
    """Column to value; None where nothing was scored."""
    directions: Mapping[str, tuple[str, str]]
    """Task column to (unit, direction)."""
    reasons: Mapping[str, str]
    """Column to why it is empty."""
    facts: Mapping[str, Any]
    """n_tokens, n_chars, n_params, train_tokens, train_s."""
    lr: float | None
    lock: LockDecision
    status: Status
    error: str
    cell: str
    sums: Sums | None = field(repr=False, default=None)


def seed_row(outcome: Outcome, *, lr: float | None, lock: LockDecision) -> SeedRow:
    """The row of one cell; a failed or diverged one has no values, and its status says so."""
    spec, done = outcome.spec, outcome.done
    status: Status = "failed" if done is None else done.result["status"]
    common: dict[str, Any] = {
        "kind": spec.kind,
        "seed": spec.seed,
        "objective": spec.identity["config"]["kind"]["objective"],
        "lr": lr,
        "lock": lock,
        "status": status,
        "cell": spec.cell_id,
    }
    if done is None or status != "ok":
        error = outcome.error if done is None else str(done.result["reason"])
        return SeedRow(**common, values={}, directions={}, reasons={}, facts={}, error=error)
    sums = read_sums(done.attempt / "sums.parquet")
    values: dict[str, float | None] = {
        name: metric.value(sums.ratio(metric.sums)) for name, metric in METRICS.items()
    }
    reasons: dict[str, str] = {}
    directions: dict[str, tuple[str, str]] = {}
    if not done.result["is_code_length"]:
        reasons["bpc"] = reasons["bpb"] = "unknown tokens are not charged their spelling"
    for task in done.result["tasks"].values():
        for column in task["columns"]:
            values[column["name"]] = column["value"]
            directions[column["name"]] = (column["unit"], column["direction"])
            if column["value"] is None:
                reasons[column["name"]] = column["reason"] or "not defined on these items"
    facts = {name: done.result[name] for name in _FACTS if name in done.result}
    facts["train_s"] = done.timing["train_s"]
    return SeedRow(
        **common, values=values, directions=directions, reasons=reasons, facts=facts, error="", sums=sums
    )


def columns(rows: Sequence[SeedRow]) -> list[str]:
    """The per-seed table's columns in the contract's order; further tasks' columns follow the known ones."""
    known = {*_LIKELIHOOD, *_MASKED, *_TASKS}
    further = sorted({name for row in rows for name in row.values} - known)
    return ["kind", "seed", "objective", *_LIKELIHOOD, *_MASKED, *_TASKS, *further, *_FACTS, *_LINEAGE]


def cells_of(row: SeedRow, names: Sequence[str]) -> dict[str, Any]:
    """A row as column to value, None where empty."""
    own = {
        "kind": row.kind,
        "seed": row.seed,
        "objective": row.objective,
        "lr": row.lr,
        "lock_state": row.lock.state,
        "lock_id": row.lock.lock_id,
        "sweep_id": row.lock.sweep_id,
        "status": row.status,
        "cell": row.cell,
    }
    merged = {**row.values, **row.facts, **own}
    return {name: merged.get(name) for name in names}


def value_on_test_scale(row: SeedRow, name: str) -> float | None:
    """A metric's value where tests are made: nats, bits, log perplexity, or a task's own value."""
    if row.status != "ok" or row.sums is None:
        return None
    if name in METRICS:
        return row.sums.ratio(METRICS[name].sums)
    return row.values.get(name)

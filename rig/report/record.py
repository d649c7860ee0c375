"""report.json: what was asked and declared, and which cells answered. Every table is derived from these.

A report is rendered, rendered again and verified from this record and the cells' files alone.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rig.audit.finding import failed_checks
from rig.core.errors import StoreError
from rig.core.fingerprint import fingerprint
from rig.core.plugins import all_plugins
from rig.data.description import sentence_overlap
from rig.data.nano_pt import corpus
from rig.experiment.job import Job
from rig.experiment.lock import LockDecision
from rig.experiment.runner import Outcome
from rig.store.cells import read_json
from rig.store.provenance import command_line, environment, git_state

REPORT_SCHEMA = "rig.report/1"


def make_record(job: Job, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The record of a job that has run.

    Args:
        job: The checked request.
        outcomes: One a cell of the job, in its order.
    """
    by_cell = {outcome.spec.cell_id: outcome for outcome in outcomes}
    overlap = sentence_overlap(job.data.annotations)
    return {
        "schema": REPORT_SCHEMA,
        "id": job.report_id,
        "command": command_line(),
        "baseline": job.baseline,
        "seeds": list(job.seeds),
        "stats": dict(job.stats),
        "stats_sha256": job.stats_sha256,
        "conf": {
            "origin": job.conf.origin,
            "sha256": job.conf.sha256(),
            "kinds": job.conf.names("kind"),
        },
        "data": {
            "name": job.data.name,
            "content": dict(job.data.content),
            "files": dict(job.data.file_hashes),
            "overlap": {
                "n_test": overlap.n_test,
                "n_overlapping": overlap.n_overlapping,
                "share": overlap.share,
            },
            "exact": _exact_entropy(job),
        },
        "kinds": [
            {
                "name": kind.name,
                "config": dict(kind.config),
                "lock": _lock_entry(job.locks[kind.name]),
                "cells": [_cell_entry(by_cell[spec.cell_id]) for spec in kind.cells],
            }
            for kind in job.kinds
        ],
        "plugins": [{"name": plugin.name, "sha256": plugin.sha256} for plugin in all_plugins()],
        "environment": environment(),
        "git": git_state(Path.cwd()),
    }


def read_record(folder: Path) -> dict[str, Any]:
    """The record in a report's folder.

    Raises:
        StoreError: It is missing, damaged, or of another schema.
    """
    record = read_json(folder / "report.json")
    if record.get("schema") != REPORT_SCHEMA:
        raise StoreError(
            f"{folder / 'report.json'} must have schema '{REPORT_SCHEMA}', got {record.get('schema')!r}"
        )
    return record


def _cell_entry(outcome: Outcome) -> dict[str, Any]:
    done = outcome.done
    return {
        "cell": outcome.spec.cell_id,
        "key": outcome.spec.key,
        "seed": outcome.spec.seed,
        "status": "failed" if done is None else done.result["status"],
        "error": outcome.error if done is None else str(done.result.get("reason", "")),
        "result_sha256": None if done is None else fingerprint(done.result),
        "failed_checks": [] if done is None else failed_checks(done.result),
        "n_quarantined": outcome.n_quarantined,
    }


def _lock_entry(lock: LockDecision) -> dict[str, Any]:
    return {
        "state": lock.state,
        "label": lock.label,
        "value": lock.value,
        "lock_id": lock.lock_id,
        "sweep_id": lock.sweep_id,
        "protocol_sha256": lock.protocol_sha256,
        "notes": list(lock.notes),
        "others": {
            other.name: {"variable": other.variable, "value": other.value, "lock_id": other.lock_id}
            for other in lock.others
        },
    }


def _exact_entropy(job: Job) -> Mapping[str, Any] | None:
    """The cross-entropy of the embedded language's test text under its own grammar; None for other data."""
    data = job.kinds[0].config["data"]
    if data["source"] != "nano_pt":
        return None
    exact = corpus.test_cross_entropy(data["options"])
    return {
        "bits_per_character": exact.bits_per_character,
        "nats_per_unit": exact.nats_per_unit,
        "n_units": exact.n_units,
        "n_chars": exact.n_chars,
    }

"""Reports made from numbers that a test chooses, without any training."""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rig.core.fingerprint import fingerprint
from rig.core.sums import Sums
from rig.core.units import NATS_PER_BIT
from rig.metrics.catalog import METRICS
from rig.metrics.likelihood import CLASSES
from rig.report.build import Report, report_of_rows
from rig.report.rows import SeedRow, Status
from rig.report.write import Lineage, write_folder

CHARS = np.array([100.0, 50.0, 80.0, 70.0])
"""Characters of the documents; tokens are a third, words a fifth, bytes the same."""
_DOCUMENT_EFFECT = np.array([0.07, -0.04, 0.05, 0.0])
_SHARES = {"noun": 0.3, "verb": 0.2, "adj": 0.1, "propn": 0.1, "adv": 0.05, "outros": 0.2, "mixed": 0.05}

BASE = {41: 3.512, 42: 3.498, 43: 3.530}
VARIANT = {41: 3.505, 42: 3.462, 43: 3.528}
"""A worked example: mean difference -0.0150, t(2) = -1.42, p = 0.29, interval [-0.061, +0.031]."""


def sums_of(bpc: float, *, is_code_length: bool = True) -> Sums:
    """Sums of four documents whose pooled bits per character are `bpc`, in all and in each class."""
    effect = _DOCUMENT_EFFECT - (_DOCUMENT_EFFECT * CHARS).sum() / CHARS.sum()
    bits = CHARS * (bpc + effect)
    nats, tokens, words = bits * NATS_PER_BIT, CHARS / 3.0, CHARS / 5.0
    parts: dict[str, tuple[Any, Any]] = {
        "ce": (nats, tokens),
        "wce": (nats, words),
        "unk_rate": (np.zeros(4), tokens),
        "mixed_share": (tokens * _SHARES["mixed"], tokens),
    }
    if is_code_length:
        parts |= {"bpc": (bits, CHARS), "bpb": (bits, CHARS)}
    for name in (name.lower() for name in CLASSES):
        share = _SHARES[name]
        parts[f"ce_{name}"] = (nats * share, tokens * share)
        parts[f"wce_{name}"] = (nats * share, words * share)
        if is_code_length:
            parts[f"bpc_{name}"] = (bits * share, CHARS * share)
    names = tuple(sorted(parts))
    return Sums(
        doc_ids=("a", "b", "c", "d"),
        names=names,
        total=np.stack([parts[name][0] for name in names], axis=1),
        weight=np.stack([parts[name][1] for name in names], axis=1),
    )


def row(
    kind: str,
    seed: int | None,
    bpc: float | None,
    *,
    status: Status = "ok",
    is_code_length: bool = True,
    objective: str = "causal",
    error: str = "",
) -> SeedRow:
    """A per-seed row with these bits per character; without any where the run did not finish."""
    values: dict[str, float | None] = {}
    test_values: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    sums = None
    if status == "ok" and bpc is not None:
        sums = sums_of(bpc, is_code_length=is_code_length)
        for name, metric in METRICS.items():
            ratio = sums.ratio(metric.sums)
            values[name], test_values[name] = metric.value(ratio), ratio
            if ratio is None:
                reasons[name] = "unknown tokens are not charged their spelling"
            elif values[name] is None:
                reasons[name] = "too large for a number; see ce"
    return SeedRow(
        kind=kind,
        seed=seed,
        objective=objective,
        values=values,
        test_values=test_values,
        reasons=reasons,
        facts={"n_tokens": 100, "n_chars": 300, "n_params": 1000, "train_tokens": 5000, "train_s": 1.5},
        lineage={
            "lr": 0.005, "lock_state": "OK", "lock_id": None, "sweep_id": None, "status": status,
            "cell": f"{kind}/0123456789abcdef-s{seed or 0}",
        },
        status=status,
        error=error,
        sums=sums,
    )  # fmt: skip


def record_of(
    kinds: Sequence[str],
    seeds: Sequence[int],
    *,
    unseeded: Sequence[str] = (),
    unlocked: Sequence[str] = (),
    objectives: Mapping[str, str] | None = None,
    **stats: Any,
) -> dict[str, Any]:
    """A record of these kinds, the first the baseline."""
    declared = {
        "primary": "bpc", "family": ["bpc"], "confidence_level": 0.95, "n_resamples": 1000, "boot_seed": 1,
        "sesoi": None, "margin": None, **stats,
    }  # fmt: skip
    return {
        "schema": "rig.report/1",
        "id": "tier1-0123456789ab",
        "command": ["rig", "tier1"],
        "baseline": kinds[0],
        "seeds": list(seeds),
        "stats": declared,
        "stats_sha256": fingerprint(declared),
        "conf": {"origin": "conf/", "sha256": "c" * 64},
        "data": {
            "name": "toy",
            "content": {"documents": "d" * 64, "words": "e" * 64},
            "files": {},
            "overlap": {"n_test": 4, "n_overlapping": 0, "share": 0.0},
            "exact": None,
        },
        "kinds": [
            _kind(
                name,
                seeds,
                is_seeded=name not in unseeded,
                is_unlocked=name in unlocked,
                objective=(objectives or {}).get(name, "causal"),
            )
            for name in kinds
        ],
        "environment": {
            "rig": "0", "python": "3", "platform": "toy", "machine": "toy", "packages": {"numpy": "2"},
            "blas": {"name": "toy", "version": "1", "simd": ""},
        },
        "git": {},
    }  # fmt: skip


def _kind(
    name: str, seeds: Sequence[int], *, is_seeded: bool, is_unlocked: bool, objective: str
) -> dict[str, Any]:
    return {
        "name": name,
        "config": {
            "kind": {
                "name": name, "description": f"The kind {name}.", "family": "transformer",
                "objective": objective, "seeded": is_seeded, "has_lr": True, "options": {},
            },
            "data": {"name": "toy"},
            "model": {"context": 64},
            "tokenizer": {"type": "bpe", "vocab_size": 400},
            "train": {"steps": 20, "lr": 0.005},
            "score": {"split": "test", "stride": 32},
            "tasks": [],
        },
        "lock": {
            "state": "MISSING" if is_unlocked else "OK",
            "label": "UNLOCKED (missing)" if is_unlocked else "OK",
            "value": 0.005, "lock_id": None, "sweep_id": None, "notes": [],
        },
        "cells": [
            {"cell": f"{name}/0123456789abcdef-s{seed or 0}", "seed": seed, "status": "ok", "error": ""}
            for seed in (seeds if is_seeded else [None])
        ],
    }  # fmt: skip


def report_of(values: Mapping[str, Mapping[int | None, float]], **record: Any) -> Report:
    """A report of kind to seed to bits per character; seed None makes a kind unseeded."""
    seeds = sorted({seed for of_kind in values.values() for seed in of_kind if seed is not None})
    unseeded = [name for name, of_kind in values.items() if None in of_kind]
    made = record_of(list(values), seeds, unseeded=unseeded, **record)
    rows = [row(name, seed, bpc) for name, of_kind in values.items() for seed, bpc in of_kind.items()]
    return report_of_rows(made, rows)


def with_rows(report: Report, rows: Sequence[SeedRow], **record: Any) -> Report:
    """The report of other rows under the same record, with changes at its top level."""
    return report_of_rows({**copy.deepcopy(dict(report.record)), **record}, list(rows))


def written(report: Report, folder: Path, lineage: Lineage | None = None) -> Path:
    """The report's folder, written."""
    write_folder(report, folder, lineage or {})
    return folder

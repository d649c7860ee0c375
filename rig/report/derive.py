"""A report's record with another baseline, confidence level or choice of metrics: another report.

What was declared before the cells ran can't be declared again after, so a derived record names the one it
comes from and what was changed, and every page says so above everything.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rig.core.errors import UsageError, did_you_mean
from rig.core.fingerprint import fingerprint
from rig.report.rows import Column


def derive_record(
    record: Mapping[str, Any],
    catalog: Mapping[str, Column],
    *,
    baseline: str | None,
    metrics: Sequence[str],
    confidence: float | None,
) -> dict[str, Any]:
    """The record with these changes, and an id of its own; the record as it is if they change nothing.

    Args:
        record: report.json.
        catalog: The metrics that the report has.
        baseline: Another kind to compare with, or None.
        metrics: What the first table and the forest plot show beside the primary metric; empty for the usual.
        confidence: Another confidence level, or None.

    Raises:
        UsageError: A kind or metric is unknown, or the level does not lie between 0 and 1.
    """
    kinds = [kind["name"] for kind in record["kinds"]]
    if baseline is not None and baseline not in kinds:
        raise UsageError(f"--baseline '{baseline}' is not in this report. {did_you_mean(baseline, kinds)}")
    for name in metrics:
        if name not in catalog:
            raise UsageError(f"--metrics names '{name}'. {did_you_mean(name, catalog)}")
    if confidence is not None and not 0.0 < confidence < 1.0:
        raise UsageError(f"--confidence must lie between 0 and 1, got {confidence}; use 0.95")
    changes: dict[str, Any] = {
        "baseline": (record["baseline"], baseline),
        "confidence_level": (record["stats"]["confidence_level"], confidence),
        "metrics": (record.get("shown_metrics"), list(metrics) or None),
    }
    changed = {name: new for name, (old, new) in changes.items() if new is not None and new != old}
    if not changed:
        return dict(record)
    derived = dict(record)
    derived["baseline"] = changed.get("baseline", record["baseline"])
    if "confidence_level" in changed:
        derived["stats"] = {**record["stats"], "confidence_level": changed["confidence_level"]}
        derived["stats_sha256"] = fingerprint(derived["stats"])
    if "metrics" in changed:
        derived["shown_metrics"] = changed["metrics"]
    before = record.get("derived_from", {"id": record["id"], "changed": []})
    names = sorted({*before["changed"], *changed})
    derived["derived_from"] = {"id": before["id"], "changed": names}
    content = {
        "from": before["id"],
        "baseline": derived["baseline"],
        "stats": derived["stats_sha256"],
        "metrics": derived.get("shown_metrics"),
    }
    derived["id"] = f"derived-{fingerprint(content)[:12]}"
    return derived

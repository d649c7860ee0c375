"""What every kind of a report shares: data, how they are scored, settings."""

import json
from collections.abc import Mapping
from typing import Any

from rig.report.build import Report
from rig.report.content import Cell, Section, Table
from rig.report.labels import unit_name
from rig.report.numbers import count_text, delta_text, fixed_text, share_text


def held_fixed_section(report: Report) -> Section:
    """Data, overlap, scoring and settings; how far each kind is from the best possible, if that is known."""
    record = report.record
    data, config = record["data"], record["kinds"][0]["config"]
    overlap = data["overlap"]
    bullets = [
        f"Data {data['name']}: documents {data['content'].get('documents', '')[:12]}, "
        f"words {data['content'].get('words', '')[:12]} (sha256 of content).",
        f"{overlap['n_overlapping']} of {overlap['n_test']} test sentences ({share_text(overlap['share'])}) "
        "also stand in the train split; none was removed.",
        *_scoring(report),
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
    return Section(
        title="Held fixed",
        bullets=tuple(bullets),
        tables=_distance_table(report, data["exact"]),
        blocks=("\n".join(f"{group}: {json.dumps(values)}" for group, values in shared.items()),),
    )


def _scoring(report: Report) -> list[str]:
    """How texts are scored, by objective."""
    config = report.record["kinds"][0]["config"]
    objectives = {kind["config"]["kind"]["objective"] for kind in report.record["kinds"]}
    told = {
        "causal": (
            "Every token of a document is scored once, given BOS; EOS is not scored. Windows of "
            f"{config['model']['context']} tokens, {config['score']['stride']} apart."
        ),
        "masked": (
            "A masked kind's pseudo-likelihood hides every token once, alone, or with the later pieces of "
            "its word (`_l2r`). It is no likelihood and is never compared with one."
        ),
    }
    return [text for objective, text in told.items() if objective in objectives]


def _distance_table(report: Report, exact: Mapping[str, Any] | None) -> tuple[Table, ...]:
    if exact is None:
        return ()
    floor = exact["bits_per_character"]
    means = {row["kind"]: row.get("mean") for row in report.aggregate if row["metric"] == "bpc"}
    body = [
        (Cell(text=kind), Cell(text=fixed_text(mean, 4), sort=mean), Cell(text=delta_text(mean - floor, 4)))
        for kind, mean in means.items()
        if mean is not None
    ]
    table = Table(
        caption=(
            "Distance from the language's exact cross-entropy, "
            f"{fixed_text(floor, 4)} {unit_name('bits/char')}: no model can do better on average"
        ),
        header=("kind", "bpc", "above exact"),
        rows=tuple(body),
    )
    return (table,) if body else ()

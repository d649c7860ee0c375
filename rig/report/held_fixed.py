"""What every kind of a report shares: data, how they are scored, settings."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rig.report.build import Report
from rig.report.content import Cell, Section, Table
from rig.report.families import is_built_in, reads
from rig.report.labels import unit_name
from rig.report.numbers import count_text, delta_text, fixed_text, share_text
from rig.report.own_facts import facts_sentences

_OF_BUILT_IN_SCORING = ("stride", "batch_size")
"""Settings of `score` that the built-in transformer alone reads."""


def held_fixed_section(report: Report) -> Section:
    """Data, overlap, scoring and settings; how far each kind is from the best possible, if that is known."""
    record = report.record
    data = record["data"]
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
    has_lr = [kind["config"]["kind"]["has_lr"] for kind in record["kinds"]]
    if any(has_lr):
        where = "" if all(has_lr) else " where it has one"
        bullets.append(f"Not held fixed: the learning rate, which is each kind's own{where}.")
    return Section(
        title="Held fixed",
        bullets=tuple(bullets),
        tables=_distance_table(report, data["exact"]),
        blocks=("\n".join(_shared_settings(record["kinds"])),),
    )


def _scoring(report: Report) -> list[str]:
    """How texts are scored: by objective, by the windows of the built-in models, by what others say."""
    kinds = report.record["kinds"]
    causal = [kind for kind in kinds if kind["config"]["kind"]["objective"] == "causal"]
    told = []
    if causal:
        given = "given BOS; EOS is not scored."
        if not all(is_built_in(kind) for kind in causal):
            given = "given what precedes it; EOS is not scored. A built-in kind is given BOS first."
        told.append(" ".join([f"Every token of a document is scored once, {given}", *_windows(causal)]))
    if len(causal) < len(kinds):
        told.append(
            "A masked kind's pseudo-likelihood hides every token once, alone, or with the later pieces of "
            "its word (`_l2r`). It is no likelihood and is never compared with one."
        )
    return told + facts_sentences(report)


def _windows(causal: Sequence[Mapping[str, Any]]) -> list[str]:
    """The windows of the built-in models; whose they are, unless they are everyone's."""
    windows: dict[tuple[int, int], list[str]] = {}
    for kind in causal:
        if reads(kind, "model"):
            config = kind["config"]
            size = (config["model"]["context"], config["score"]["stride"])
            windows.setdefault(size, []).append(kind["name"])
    return [
        f"Windows of {context} tokens, {stride} apart{_whose(names, causal)}."
        for (context, stride), names in windows.items()
    ]


def _shared_settings(kinds: Sequence[Mapping[str, Any]]) -> list[str]:
    """`model (baseline, masha_ab): {..}`: of each group, what all kinds that read it have in common."""
    lines = []
    for group in ("model", "tokenizer", "train", "score"):
        readers = [kind for kind in kinds if reads(kind, group)]
        left_out: tuple[str, ...] = ("lr",) if group == "train" else ()
        if group == "score":
            # Every kind is scored on the same split, by the same strata; only the built-in reads the rest.
            left_out = () if len(readers) == len(kinds) else _OF_BUILT_IN_SCORING
            readers = list(kinds)
        if not readers:
            continue
        held = [kind["config"][group] for kind in readers]
        common = {
            name: value
            for name, value in held[0].items()
            if name not in left_out and all(name in other and other[name] == value for other in held)
        }
        names = [kind["name"] for kind in readers]
        lines.append(f"{group}{_whose(names, kinds)}: {json.dumps(common)}")
    return lines


def _whose(names: Sequence[str], of: Sequence[Mapping[str, Any]]) -> str:
    return "" if len(names) == len(of) else f" ({', '.join(names)})"


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

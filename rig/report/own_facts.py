"""What a kind that is not built in says of itself in its cells: context, stride, BOS, precision, others."""

from collections.abc import Mapping
from typing import Any

from rig.report.build import Report
from rig.report.families import is_built_in
from rig.report.labels import row_name
from rig.report.numbers import value_text
from rig.report.rows import SeedRow

_FIRST = ("model_type", "context", "stride", "bos", "dtype")
"""Facts that come first; the others follow as the cell has them."""


def tokenizer_hashes(report: Report, name: str) -> tuple[str, ...]:
    """The `tokenizer_sha256` of a kind's finished cells, ascending, without repeats."""
    found = (facts.get("tokenizer_sha256") for _, facts in _facts(report, name))
    return tuple(sorted({sha256 for sha256 in found if sha256}))


def fact(report: Report, name: str, key: str) -> Any:
    """A fact of a kind's first finished cell that has it, or None."""
    held = (facts.get(key) for _, facts in _facts(report, name))
    return next((value for value in held if value is not None), None)


def facts_sentences(report: Report) -> list[str]:
    """A sentence a kind that is not built in: `ours (family hf): model_type gpt2, context 64, stride 32`.

    Seeds that say the same share a sentence. Hashes are left out: they stand in the cells.
    """
    sentences = []
    for kind in report.record["kinds"]:
        if is_built_in(kind):
            continue
        told: dict[str, list[str]] = {}
        for row, facts in _facts(report, kind["name"]):
            told.setdefault(_facts_text(facts), []).append(row_name(row))
        for text, names in told.items():
            who = kind["name"] if len(told) == 1 else ", ".join(names)
            if text:
                sentences.append(f"{who} (family {kind['config']['kind']['family']}): {text}.")
    return sentences


def _facts(report: Report, name: str) -> list[tuple[SeedRow, Mapping[str, Any]]]:
    """Each finished cell of a kind with its facts."""
    return [
        (row, row.done.result["facts"])
        for row in report.rows
        if row.kind == name and row.done is not None and row.status == "ok"
    ]


def _facts_text(facts: Mapping[str, Any]) -> str:
    plain = {
        name: value
        for name, value in facts.items()
        if isinstance(value, str | int | float) and not name.endswith("_sha256")
    }
    ordered = [*(name for name in _FIRST if name in plain), *(name for name in plain if name not in _FIRST)]
    return ", ".join(f"{name} {_value(plain[name])}" for name in ordered)


def _value(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value_text(value) if isinstance(value, float) else " ".join(str(value).split())

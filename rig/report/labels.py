"""How a report calls kinds and units, wherever it names them."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rig.report.rows import SeedRow

_UNIT_NAMES = {
    "bits/char": "bits per character",
    "bits/byte": "bits per byte",
    "nats/token": "nats per token",
}
_DETAIL = re.compile(r": .*\)$", re.DOTALL)
_MASHA_OPTIONS = ("embedding", "attention_bias", "output_logits")


def unit_name(unit: str) -> str:
    """A unit as a sentence says it."""
    return _UNIT_NAMES.get(unit, unit)


def is_unlocked(kind: Mapping[str, Any]) -> bool:
    """Whether a kind of the record ran without a valid lock."""
    return "UNLOCKED" in kind["lock"]["label"]


def is_audit_failed(kind: Mapping[str, Any]) -> bool:
    """Whether a cell of a kind of the record failed a check of the model's adapter."""
    return any(cell.get("failed_checks") for cell in kind["cells"])


def kind_label(record: Mapping[str, Any], name: str) -> str:
    """A kind as every table row shows it: stamped where it has no valid lock, or its adapter is wrong."""
    by_name = {kind["name"]: kind for kind in record["kinds"]}
    stamps = [stamp for stamp, holds in _STAMPS.items() if holds(by_name[name])]
    return " ".join([name, *(f"[{stamp}]" for stamp in stamps)])


def short_state(label: str) -> str:
    """A lock's state as tables show it: `UNLOCKED (stale)`, without the list of what is stale."""
    return _DETAIL.sub(")", label)


def row_name(row: SeedRow) -> str:
    """A kind at a seed, as running text has it: `baseline seed 41`, or `ngram`."""
    return row.kind if row.seed is None else f"{row.kind} seed {row.seed}"


def shortened(names: Sequence[str]) -> str:
    """Names in a row, the first four of more than nine."""
    return ", ".join(names) if len(names) <= 9 else f"{', '.join(names[:4])} and {len(names) - 4} more"


def table_stamp(record: Mapping[str, Any]) -> str:
    """What a table's caption ends with if a kind has no valid lock or a wrong adapter, or empty."""
    stamped = {
        stamp: [kind["name"] for kind in record["kinds"] if holds(kind)] for stamp, holds in _STAMPS.items()
    }
    said = "; ".join(f"{stamp}: {', '.join(names)}" for stamp, names in stamped.items() if names)
    return f" ({said})" if said else ""


_STAMPS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "UNLOCKED": is_unlocked,
    "AUDIT FAILED": is_audit_failed,
}
"""What a kind's rows and tables are stamped with, and when."""


def is_built_in_masha(kind: Mapping[str, Any]) -> bool:
    """Whether a kind of the record uses some part of the built-in morphemic prior."""
    own = kind["config"]["kind"]
    return own["family"] == "transformer" and any(own["options"].get(name) for name in _MASHA_OPTIONS)

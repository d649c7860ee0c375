"""Every likelihood metric in one table: its sums, its unit, which way is better, what it means."""

import math
import sys
from dataclasses import dataclass
from typing import Literal, final

from rig.core.documents import WORD_CLASSES

_MAX_EXPONENT = math.log(sys.float_info.max)

Direction = Literal["lower", "higher", "none"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One column of the per-seed table that is made of sums."""

    name: str
    sums: str
    """Name of the sums whose ratio it transforms."""
    is_exp: bool
    """True for a perplexity, exp of the ratio; else the ratio itself. Tests are always made on the ratio."""
    unit: str
    direction: Direction
    """Which way is better; `none` for a description."""
    definition: str

    def value(self, ratio: float | None) -> float | None:
        """The metric's value from total / weight; None where nothing was scored or exp overflows."""
        if ratio is None:
            return None
        if not self.is_exp:
            return ratio
        return math.exp(ratio) if ratio < _MAX_EXPONENT else None


def _table() -> tuple[Metric, ...]:
    rows = [
        _plain("ce", "ce", "nats/token", "Cross-entropy: -sum of log p / scored tokens."),
        _exp("ppl", "ce", "", "Perplexity: exp(ce). Only comparable at one tokenizer."),
        _plain(
            "bpc", "bpc", "bits/char", "Bits per character: -sum of log p / (ln 2 x Unicode code points)."
        ),
        _plain("bpb", "bpb", "bits/byte", "Bits per byte: the same per UTF-8 byte of the source text."),
        _exp("word_ppl", "wce", "", "Perplexity per surface unit: exp(nats / units)."),
    ]
    for word_class in WORD_CLASSES:
        name = word_class.lower()
        rows.append(_exp(f"ppl_{name}", f"ce_{name}", "", f"Perplexity per token of {word_class} units."))
    for word_class in WORD_CLASSES:
        name = word_class.lower()
        rows.append(_exp(f"wppl_{name}", f"wce_{name}", "", f"Perplexity per unit of {word_class} units."))
    for word_class in WORD_CLASSES:
        name = word_class.lower()
        rows.append(
            _plain(f"bpc_{name}", f"bpc_{name}", "bits/char", f"Bits per character of {word_class} units.")
        )
    rows.append(
        _plain("mixed_share", "mixed_share", "share", "Tokens in blocks whose units differ in class.", "none")
    )
    rows.append(_plain("unk_rate", "unk_rate", "share", "Unknown tokens / scored tokens.", "none"))
    return tuple(rows)


def _plain(name: str, sums: str, unit: str, definition: str, direction: Direction = "lower") -> Metric:
    return Metric(name=name, sums=sums, is_exp=False, unit=unit, direction=direction, definition=definition)


def _exp(name: str, sums: str, unit: str, definition: str) -> Metric:
    return Metric(name=name, sums=sums, is_exp=True, unit=unit, direction="lower", definition=definition)


_ROWS = _table()
METRICS: dict[str, Metric] = {metric.name: metric for metric in _ROWS}
"""Name to metric, in the order of the per-seed table."""

"""Every metric that is made of sums in one table: its sums, its unit, which way is better, what it means.

A causal model's likelihood and a masked model's pseudo-likelihood never share a metric.
"""

import math
import sys
from dataclasses import dataclass
from typing import Literal, final

from rig.core.documents import WORD_CLASSES

_MAX_EXPONENT = math.log(sys.float_info.max)

Direction = Literal["lower", "higher", "none"]
Objective = Literal["causal", "masked"]


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
    objectives: tuple[Objective, ...] = ("causal",)
    """Whose models have it."""

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
    for name, sums, definition in (
        ("mixed_share", "mixed_share", "Tokens in blocks whose units differ in class."),
        ("unk_rate", "unk_rate", "Unknown tokens / scored tokens."),
    ):
        rows.append(
            Metric(
                name=name, sums=sums, is_exp=False, unit="share", direction="none", definition=definition,
                objectives=("causal", "masked"),
            )
        )  # fmt: skip
    return (*rows, *_masked_table())


def _masked_table() -> tuple[Metric, ...]:
    """Those of masked models; none of them is a likelihood."""
    l2r = "the later pieces of its word hidden too (Kauf and Ivanova 2023)"
    rows = [
        _masked(
            "mlm_accuracy", "mlm_accuracy",
            "Masked accuracy: hidden tokens whose original has the highest logit / hidden tokens.",
            is_exp=False, unit="share", direction="higher",
        ),
        _masked("pppl", "pll", "Pseudo-perplexity per token, each hidden alone (Salazar et al. 2020)."),
        _masked("pppl_l2r", "pll_l2r", f"Pseudo-perplexity per token, {l2r}."),
        _masked(
            "mlm_ce", "mlm_ce", "Cross-entropy of the tokens that masked accuracy hides.",
            is_exp=False, unit="nats/token",
        ),
        _masked("word_pppl_l2r", "wpll_l2r", f"Pseudo-perplexity per surface unit, {l2r}."),
    ]  # fmt: skip
    for prefix, sums, what in (("pppl_l2r", "pll_l2r", "token"), ("wpppl_l2r", "wpll_l2r", "unit")):
        for word_class in WORD_CLASSES:
            name = word_class.lower()
            definition = f"Pseudo-perplexity per {what} of {word_class} units, word left to right."
            rows.append(_masked(f"{prefix}_{name}", f"{sums}_{name}", definition))
    return tuple(rows)


def _masked(
    name: str,
    sums: str,
    definition: str,
    *,
    is_exp: bool = True,
    unit: str = "",
    direction: Direction = "lower",
) -> Metric:
    return Metric(
        name=name,
        sums=sums,
        is_exp=is_exp,
        unit=unit,
        direction=direction,
        definition=definition,
        objectives=("masked",),
    )


def metrics_of(objective: str) -> dict[str, Metric]:
    """Name to metric, of those that a model of this objective has, in the order of the per-seed table."""
    return {name: metric for name, metric in METRICS.items() if objective in metric.objectives}


def _plain(name: str, sums: str, unit: str, definition: str) -> Metric:
    return Metric(name=name, sums=sums, is_exp=False, unit=unit, direction="lower", definition=definition)


def _exp(name: str, sums: str, unit: str, definition: str) -> Metric:
    return Metric(name=name, sums=sums, is_exp=True, unit=unit, direction="lower", definition=definition)


_ROWS = _table()
METRICS: dict[str, Metric] = {metric.name: metric for metric in _ROWS}
"""Name to metric, in the order of the per-seed table."""

"""What a check found: a verdict, a sentence with numbers, and what the fault would do to perplexity."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, final

Status = Literal["passed", "failed", "not checked"]

_LARGEST_RATIO = 1e6


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one check says."""

    status: Status
    sentence: str
    """What was seen, with numbers."""
    effect: str = ""
    """What it does to perplexity, direction and size where they can be computed; empty unless failed."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A verdict under the name of its check."""

    check: str
    status: Status
    sentence: str
    effect: str = ""

    def as_json(self) -> dict[str, Any]:
        """As result.json holds it."""
        return asdict(self)


def passed(sentence: str) -> Verdict:
    """Nothing wrong was seen."""
    return Verdict(status="passed", sentence=sentence)


def failed(sentence: str, effect: str) -> Verdict:
    """The adapter is wrong."""
    return Verdict(status="failed", sentence=sentence, effect=effect)


def not_checked(sentence: str) -> Verdict:
    """The check could not be made; the sentence says why, and what would allow it."""
    return Verdict(status="not checked", sentence=sentence)


def failed_checks(result: Mapping[str, Any]) -> list[str]:
    """The names of the checks that a cell failed, from its result.json; none where it was not audited."""
    return [finding["check"] for finding in failures(result.get("audit", []))]


def failures(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those findings of a result.json that failed."""
    return [finding for finding in findings if finding["status"] == "failed"]


def perplexity_effect(given: float, right: float) -> str:
    """What an error does to perplexity, from two cross-entropies in nats per token.

    Args:
        given: Of the scores as the model gives them.
        right: Of the same tokens, scored rightly.

    Returns:
        For example ``perplexity would be 96 where it is 12, 8 times too high``.
    """
    direction = "high" if given > right else "low"
    change = abs(given - right)
    if change < math.log(1.1):
        size = f"{100.0 * math.expm1(change):.2g}% too {direction}"
    elif change < math.log(_LARGEST_RATIO):
        size = f"{_number(math.exp(change))} times too {direction}"
    else:
        size = f"more than {_LARGEST_RATIO:,.0f} times too {direction}"
    return f"perplexity would be {_perplexity(given)} where it is {_perplexity(right)}, {size}"


def _perplexity(ce: float) -> str:
    return _number(math.exp(ce)) if ce < math.log(_LARGEST_RATIO) else f"more than {_LARGEST_RATIO:,.0f}"


def _number(value: float) -> str:
    """Three significant digits, never an exponent."""
    decimals = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:,.{decimals}f}"

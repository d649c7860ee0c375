"""How much a sweep's variable matters near its optimum: the width of the range that is nearly as good."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

from rig.experiment.curve import Choice, CurvePoint

TOLERANCE = 0.01
"""Nearly as good: a loss at most 1% above the best."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Robustness:
    """The range around the chosen value whose loss is within `TOLERANCE` of the best."""

    low: float
    """Lower end of the range, a value of the variable."""
    high: float
    width: float
    """Decades on a log scale, log10(high / low); else high - low."""
    unit: Literal["decades", "units"]
    reaches_grid_end: bool
    """The range is cut by the grid: the width is at least this."""
    threshold: float
    """The width from which the result counts as robust; conf's sweep.robust_width."""

    @property
    def verdict(self) -> Literal["robust", "fragile"]:
        """`robust` if the range is at least as wide as the threshold."""
        return "robust" if self.width >= self.threshold else "fragile"

    def to_json(self) -> dict[str, Any]:
        """As records and locks hold it."""
        return {
            "low": self.low,
            "high": self.high,
            "width": self.width,
            "unit": self.unit,
            "reaches_grid_end": self.reaches_grid_end,
            "tolerance": TOLERANCE,
            "threshold": self.threshold,
            "verdict": self.verdict,
        }

    def sentence(self, name: str) -> str:
        """The verdict in words, with the threshold stated."""
        at_least = "at least " if self.reaches_grid_end else ""
        unit = self.unit if self.unit == "decades" else f"units of {name}"
        return (
            f"{self.verdict} to {name}: losses stay within {TOLERANCE:.0%} of the best over {at_least}"
            f"{self.width:.2f} {unit}, {self.low:.3g} to {self.high:.3g} "
            f"(robust from {self.threshold:g} {unit})"
        )


def robustness(points: Sequence[CurvePoint], choice: Choice, *, scale: str, threshold: float) -> Robustness:
    """Measure the range around the choice on the curve, drawn straight between neighbouring points.

    Args:
        points: The curve, ascending.
        choice: The chosen point.
        scale: `log`: straight lines and width in log10 of the variable; `linear`: in the variable.
        threshold: The width that counts as robust.

    Returns:
        The range. It ends where the curve crosses the limit, at the last good point before one that
        diverged, or at the end of the grid.
    """
    is_log = scale == "log"
    places = [math.log10(point.value) if is_log else float(point.value) for point in points]
    limit = choice.loss + TOLERANCE * abs(choice.loss)
    low, is_cut_below = _end(points, places, choice.index, limit, step=-1)
    high, is_cut_above = _end(points, places, choice.index, limit, step=1)
    return Robustness(
        low=10.0**low if is_log else low,
        high=10.0**high if is_log else high,
        width=high - low,
        unit="decades" if is_log else "units",
        reaches_grid_end=is_cut_below or is_cut_above,
        threshold=threshold,
    )


def _end(
    points: Sequence[CurvePoint], places: Sequence[float], start: int, limit: float, *, step: int
) -> tuple[float, bool]:
    """Where the range ends in one direction, and whether the grid ended it."""
    here = start
    while 0 <= here + step < len(points):
        inner, outer = points[here].loss, points[here + step].loss
        if outer is None or inner is None:
            return places[here], False
        if outer > limit:
            share = (limit - inner) / (outer - inner)
            return places[here] + share * (places[here + step] - places[here]), False
        here += step
    return places[here], True

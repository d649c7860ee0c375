"""A sweep's curve: one point a value, and the rule by which one of them is chosen."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, final

from rig.core.errors import VerificationError

RULE = "lowest val_loss among points with status ok; of equal ones the smaller value"
RESERVED = frozenset({"index", "val_loss", "status", "cell", "at_edge"})
"""Keys of a point and of a choice beside the swept value, which is filed under the sweep's name."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """One value of the grid and what training with it came to."""

    index: int
    """Place in the grid, from 0."""
    value: float | int
    """The value of the swept setting."""
    loss: float | None
    """The sweep's metric on the validation split; None where training diverged."""
    status: Literal["ok", "diverged"]
    """A diverged point is finished: it says that the value is too large. A failed one makes no curve."""
    cell: str
    """`<kind>/<key16>-s<seed>`."""

    def to_json(self, name: str) -> dict[str, Any]:
        """As records and locks hold it; the value under the sweep's name."""
        return {
            "index": self.index,
            name: self.value,
            "val_loss": self.loss,
            "status": self.status,
            "cell": self.cell,
        }

    @classmethod
    def from_json(cls, held: Mapping[str, Any], name: str) -> "CurvePoint":
        """The inverse of `to_json`; KeyError, TypeError or ValueError for anything else."""
        if set(held) != {"index", name, "val_loss", "status", "cell"}:
            raise ValueError(f"a curve point has the fields {', '.join(sorted(held))}")
        is_ok = held["status"] == "ok"
        if held["status"] not in ("ok", "diverged") or is_ok == (held["val_loss"] is None):
            raise ValueError(f"point {held['index']} is '{held['status']}' with val_loss {held['val_loss']}")
        return cls(
            index=held["index"],
            value=_number(held[name]),
            loss=_number(held["val_loss"]) if is_ok else None,
            status="ok" if is_ok else "diverged",
            cell=str(held["cell"]),
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The point that the rule takes."""

    value: float | int
    loss: float
    index: int
    at_edge: bool
    """True for the first or last value of the grid: the optimum may lie outside."""

    def to_json(self, name: str) -> dict[str, Any]:
        """As records and locks hold it; the value under the sweep's name."""
        return {name: self.value, "val_loss": self.loss, "index": self.index, "at_edge": self.at_edge}


def choose(points: Sequence[CurvePoint]) -> Choice | None:
    """The point with the lowest loss, of equal ones the smallest value; None if every point diverged."""
    finite = [(point.loss, point.index) for point in points if point.loss is not None]
    if not finite:
        return None
    loss, index = min(finite)
    return Choice(value=points[index].value, loss=loss, index=index, at_edge=index in (0, len(points) - 1))


def read_curve(held: Sequence[Mapping[str, Any]], name: str) -> tuple[CurvePoint, ...]:
    """A stored curve, in the order of its grid; KeyError, TypeError or ValueError if it is none."""
    points = tuple(CurvePoint.from_json(point, name) for point in held)
    if [point.index for point in points] != list(range(len(points))):
        raise ValueError("the curve's points are not numbered 0, 1, 2, ...")
    if any(later.value <= earlier.value for earlier, later in itertools.pairwise(points)):
        raise ValueError(f"the curve's values of {name} do not ascend")
    return points


def check_choice(held: Mapping[str, Any], points: Sequence[CurvePoint], name: str) -> Choice:
    """Derive the choice from the curve again and compare it with the one stored.

    Returns:
        The choice.

    Raises:
        VerificationError: They differ; names the first field that does.
    """
    choice = choose(points)
    if choice is None:
        raise VerificationError("a value was chosen from a curve on which every point diverged")
    derived = choice.to_json(name)
    for field, value in derived.items():
        if held.get(field, None) != value or isinstance(held[field], bool) != isinstance(value, bool):
            raise VerificationError(
                f"chosen.{field} is {held.get(field)!r}, but the curve says {value!r} ({RULE})"
            )
    if extra := sorted(set(held) - set(derived)):
        raise VerificationError(f"chosen has the unknown field '{extra[0]}'")
    return choice


def _number(value: Any) -> float | int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return value

"""Holm's adjustment over a declared family of tests."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from rig.core.errors import DataError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Holm:
    """Adjusted p values, and the family that they belong to."""

    p: tuple[float | None, ...]
    """In the order given; None where None was given."""
    m: int
    """Tests in the family: the p values that are not None."""
    n_excluded: int
    """Undefined tests, left out of the family."""


def holm(p_values: Sequence[float | None]) -> Holm:
    """Holm's step-down adjustment (1979): controls the chance of any false rejection in the family.

    The i-th smallest of m is multiplied by m - i + 1, made monotone and capped at 1. Undefined tests (None)
    are left out and counted; statsmodels keeps a NaN in the family, which makes the others too large.

    Args:
        p_values: One a test, in [0, 1], or None where the test is undefined.

    Returns:
        The adjusted values in the same order.

    Raises:
        DataError: A value is NaN or outside [0, 1].
    """
    for position, p in enumerate(p_values):
        if p is not None and (math.isnan(p) or not 0.0 <= p <= 1.0):
            raise DataError(f"`p_values[{position}]` must lie in [0, 1] or be None, got {p}")
    ranked = sorted((p, position) for position, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, position) in enumerate(ranked):
        largest = max(largest, min(1.0, p * (len(ranked) - rank)))
        adjusted[position] = largest
    return Holm(p=tuple(adjusted), m=len(ranked), n_excluded=len(p_values) - len(ranked))

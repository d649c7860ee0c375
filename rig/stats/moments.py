"""Mean and sample standard deviation over seeds, safe at the ends of the float range.

One rule of the whole package lives here: when a spread is no more than rounding.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

_ROUNDING_ULPS = 8.0
"""A difference of two nearby floats carries a few rounding errors of the floats, not of the difference."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Moments of each column."""

    n: int
    """Rows: seeds."""
    mean: npt.NDArray[np.float64]
    """(n_tests,)"""
    std: npt.NDArray[np.float64]
    """(n_tests,) with ddof 1; 0 where `is_constant`. With one row all 0, and no test may use it."""
    is_constant: npt.NDArray[np.bool_]
    """(n_tests,) True where all values are equal to within rounding."""


def column_moments(values: npt.NDArray[np.float64], scale: npt.NDArray[np.float64]) -> Moments:
    """Mean and standard deviation (ddof 1) of each column, and whether the column is constant.

    A column is constant if its standard deviation is at most 8 eps times `scale`. Equality with 0 would not
    do: differences of 3-decimal losses that are all 0.25 on paper differ in their last bits, and a t test
    on them gives p = 0 (scipy issue #14418).

    Columns are scaled by a power of two first, which is exact, so that squares neither overflow nor vanish.

    Args:
        values: (n, n_tests), finite, n >= 1.
        scale: (n_tests,) the largest magnitude of the numbers that the values were computed from.

    Returns:
        The moments, in the values' unit.
    """
    n = len(values)
    exponent = np.frexp(np.abs(values).max(axis=0))[1]
    scaled = np.ldexp(values, -exponent)
    mean = scaled.mean(axis=0)
    std = np.zeros_like(mean) if n == 1 else scaled.std(axis=0, ddof=1)
    mean, std = np.ldexp(mean, exponent), np.ldexp(std, exponent)
    is_constant = std <= _ROUNDING_ULPS * np.finfo(np.float64).eps * scale
    return Moments(n=n, mean=mean, std=np.where(is_constant, 0.0, std), is_constant=is_constant)

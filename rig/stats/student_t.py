"""The one-sample Student t test and interval: of paired differences, or of one kind's values."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
from scipy import special

from rig.stats.moments import Moments, column_moments

ONE_SEED = "one seed has no spread"
ZERO_VARIANCE = "zero variance"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class StudentT:
    """Mean, spread, t test against 0 and interval of n values; None where undefined, and `reason` why."""

    n: int
    mean: float
    std: float | None
    """Sample standard deviation, ddof 1; 0 if the values are equal to within rounding; None for n = 1."""
    t: float | None
    """mean / (std / sqrt n)."""
    df: int | None
    """n - 1."""
    p: float | None
    """Two-sided, of mean 0."""
    low: float | None
    high: float | None
    """The interval of the mean; never of zero width."""
    reason: str | None
    """Why t, p and the interval are None."""


def student_t(
    values: npt.NDArray[np.float64], *, scale: npt.NDArray[np.float64], confidence_level: float
) -> tuple[StudentT, ...]:
    """One-sample t test of mean 0 and the interval mean +- t(n-1) s / sqrt(n), for each column.

    Equal to `scipy.stats.ttest_1samp` (on differences: `ttest_rel`) where that is defined. At zero variance
    scipy gives p = 0 or NaN; here t, p and the interval are None with the reason.

    Args:
        values: (n, n_tests), finite, n >= 1.
        scale: (n_tests,) largest magnitude that the values were computed from; decides what is constant.
        confidence_level: For example 0.95.

    Returns:
        One result a column.
    """
    moments = column_moments(values, scale)
    if moments.n == 1:
        return tuple(_undefined(moments, j, None, ONE_SEED) for j in range(len(moments.mean)))
    df = moments.n - 1
    se = moments.std / np.sqrt(moments.n)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = moments.mean / se
    p = 2.0 * special.stdtr(df, -np.abs(t))
    half_width = special.stdtrit(df, 0.5 + confidence_level / 2.0) * se
    return tuple(
        _undefined(moments, j, 0.0, ZERO_VARIANCE)
        if moments.is_constant[j]
        else StudentT(
            n=moments.n,
            mean=float(moments.mean[j]),
            std=float(moments.std[j]),
            t=float(t[j]),
            df=df,
            p=float(p[j]),
            low=float(moments.mean[j] - half_width[j]),
            high=float(moments.mean[j] + half_width[j]),
            reason=None,
        )
        for j in range(len(t))
    )


def _undefined(moments: Moments, column: int, std: float | None, reason: str) -> StudentT:
    df = moments.n - 1 if moments.n > 1 else None
    mean = float(moments.mean[column])
    return StudentT(
        n=moments.n, mean=mean, std=std, t=None, df=df, p=None, low=None, high=None, reason=reason
    )

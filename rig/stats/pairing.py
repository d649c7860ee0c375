"""Does pairing by seed pay: the correlation over seeds, where it breaks even, and the unpaired test."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
from scipy import special

from rig.stats.moments import column_moments


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Welch:
    """Welch's unpaired t test on all runs of both kinds: a sensitivity line, never instead of the paired."""

    n_base: int
    n_variant: int
    difference: float
    """Mean of the variant's runs minus mean of the baseline's."""
    t: float
    df: float
    p: float
    low: float
    high: float


def seed_correlation(
    base: npt.NDArray[np.float64], variant: npt.NDArray[np.float64]
) -> tuple[float | None, ...]:
    """Pearson correlation over seeds of the two kinds' values, for each column.

    Args:
        base: (n_pairs, n_tests), finite.
        variant: (n_pairs, n_tests), finite.

    Returns:
        In [-1, 1]; None for fewer than 3 pairs (with 2 it is always +-1) or a kind without spread.
    """
    if len(base) < 3:
        return tuple(None for _ in range(base.shape[1]))
    parts = []
    for values in (base, variant):
        scale = np.abs(values).max(axis=0)
        moments = column_moments(values, scale)
        std = np.where(moments.is_constant, np.nan, moments.std)
        parts.append((values - moments.mean) / std)
    r = (parts[0] * parts[1]).sum(axis=0) / (len(base) - 1)
    return tuple(None if np.isnan(value) else float(np.clip(value, -1.0, 1.0)) for value in r)


def break_even_correlation(n_pairs: int, *, confidence_level: float) -> float | None:
    """The seed correlation above which the paired interval is narrower than the unpaired one, on average.

    1 - (t(2n-2) / t(n-1))^2: 0.885, 0.584, 0.409, 0.310 at n = 2, 3, 4, 5 and 95%. Below it the lost degrees
    of freedom cost more than the correlation gives. None for fewer than 2 pairs.
    """
    if n_pairs < 2:
        return None
    level = 0.5 + confidence_level / 2.0
    return float(1.0 - (special.stdtrit(2 * n_pairs - 2, level) / special.stdtrit(n_pairs - 1, level)) ** 2)


def welch(
    base: npt.NDArray[np.float64], variant: npt.NDArray[np.float64], *, confidence_level: float
) -> Welch | None:
    """Welch's t test of one metric, on all runs there are, paired or not.

    Equal to `scipy.stats.ttest_ind(variant, base, equal_var=False)`.

    Args:
        base: (n_base,), finite.
        variant: (n_variant,), finite.
        confidence_level: Of the interval, for example 0.95.

    Returns:
        The test; None if a kind has fewer than 2 runs or neither has any spread.
    """
    if min(len(base), len(variant)) < 2:
        return None
    scale = np.array([max(np.abs(base).max(), np.abs(variant).max())])
    moments = [column_moments(values[:, None], scale) for values in (base, variant)]
    # In units of the larger standard error, whose square neither overflows nor vanishes.
    se = np.array([m.std[0] / np.sqrt(m.n) for m in moments])
    largest = se.max()
    if largest == 0.0:
        return None
    part = (se / largest) ** 2
    df = float(part.sum() ** 2 / (part**2 / np.array([len(base) - 1, len(variant) - 1])).sum())
    error = float(np.sqrt(part.sum()) * largest)
    difference = float(moments[1].mean[0] - moments[0].mean[0])
    t = difference / error
    half_width = float(special.stdtrit(df, 0.5 + confidence_level / 2.0)) * error
    return Welch(
        n_base=len(base),
        n_variant=len(variant),
        difference=difference,
        t=t,
        df=df,
        p=2.0 * float(special.stdtr(df, -abs(t))),
        low=difference - half_width,
        high=difference + half_width,
    )

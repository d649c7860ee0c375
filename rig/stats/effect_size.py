"""Standardised paired effects: d_z, its small-sample correction g_z, and their noncentral-t interval."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
from scipy import special

from rig.stats.noncentral_t import noncentrality_interval


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSize:
    """The mean difference in standard deviations of the differences.

    Not d_av, which divides by the standard deviation of the kinds' own values and which some packages print
    under the same name for paired data.
    """

    d_z: float
    """mean / std of the differences, ddof 1."""
    g_z: float | None
    """J(n - 1) d_z, the unbiased estimate (Hedges 1981); None for 2 pairs, where J is not defined."""
    d_z_low: float
    d_z_high: float
    """Interval of the population d_z, from the noncentral t distribution."""


def small_sample_correction(df: int) -> float | None:
    """J(df) = Gamma(df/2) / (sqrt(df/2) Gamma((df-1)/2)), exact; None for df = 1.

    0.564, 0.724, 0.798 at df = 2, 3, 4; the usual 1 - 3 / (4 df - 1) gives 0.571, 0.727, 0.800.
    """
    if df < 2:
        return None
    return float(np.exp(special.gammaln(df / 2.0) - special.gammaln((df - 1) / 2.0)) / np.sqrt(df / 2.0))


def effect_sizes(
    d_z: npt.NDArray[np.float64], n_pairs: int, *, confidence_level: float
) -> tuple[EffectSize, ...]:
    """The effect sizes that belong to observed d_z values.

    Args:
        d_z: (n_tests,) finite.
        n_pairs: Pairs behind each, >= 2.
        confidence_level: Of the interval, for example 0.95.

    Returns:
        One effect size a value.
    """
    root = np.sqrt(n_pairs)
    low, high = noncentrality_interval(d_z * root, n_pairs - 1, confidence_level=confidence_level)
    correction = small_sample_correction(n_pairs - 1)
    return tuple(
        EffectSize(
            d_z=float(d),
            g_z=None if correction is None else correction * float(d),
            d_z_low=float(a),
            d_z_high=float(b),
        )
        for d, a, b in zip(d_z, low / root, high / root, strict=True)
    )

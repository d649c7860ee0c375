"""What n seeds can detect, and how many seeds an effect needs: the two-sided paired t test's power.

Observed power is not computed: it restates p. A declared smallest effect of interest has power worth knowing.
"""

from functools import lru_cache

import numpy as np
from scipy import optimize, special

from rig.core.errors import DataError
from rig.stats.noncentral_t import noncentral_t_cdf

MAX_SEEDS_SEARCHED = 10_000


def power_of_paired_t(d_z: float, n_pairs: int, *, alpha: float) -> float:
    """Probability that the two-sided paired t test at `alpha` rejects 0 when the true effect is `d_z`.

    Both tails count. Equal to `statsmodels.stats.power.TTestPower.power`.

    Args:
        d_z: Mean over standard deviation of the differences.
        n_pairs: Pairs, >= 2.
        alpha: Two-sided level, in (0, 1).

    Returns:
        Power in [alpha, 1].
    """
    df = n_pairs - 1
    critical = -float(special.stdtrit(df, alpha / 2.0))
    at = noncentral_t_cdf(np.array([-critical, critical]), df, d_z * np.sqrt(n_pairs))
    return float(at[0] + (1.0 - at[1]))


@lru_cache(maxsize=1024)
def minimum_detectable_d_z(n_pairs: int, *, alpha: float, power: float = 0.8) -> float | None:
    """The smallest true d_z that the two-sided paired t test finds with probability `power`.

    Times the standard deviation of the differences it is the minimum detectable difference in the metric's
    unit. At power 0.8 and alpha 0.05: 11.6, 3.26, 2.13, 1.68 for 2, 3, 4, 5 pairs.

    Args:
        n_pairs: Pairs.
        alpha: Two-sided level; alpha / m for one of m Bonferroni tests.
        power: In (alpha, 1).

    Returns:
        d_z > 0, or None for fewer than 2 pairs.

    Raises:
        DataError: `power` is not above `alpha`.
    """
    _check(alpha, power)
    if n_pairs < 2:
        return None
    # Power 1 is out of reach for any finite bound, so widen until the target is enclosed.
    high = 1.0
    while power_of_paired_t(high, n_pairs, alpha=alpha) < power:
        high *= 2.0
    root = optimize.brentq(
        lambda d: power_of_paired_t(d, n_pairs, alpha=alpha) - power, 0.0, high, xtol=1e-12, rtol=1e-12
    )
    return float(root)


@lru_cache(maxsize=4096)
def seeds_needed(d_z: float, *, alpha: float, power: float = 0.8) -> int | None:
    """The fewest seed pairs with which the two-sided paired t test finds `d_z` with probability `power`.

    34, 15, 10, 6, 5, 4, 3 for d_z = 0.5, 0.8, 1, 1.5, 2, 3, 4 at power 0.8 and alpha 0.05.

    Args:
        d_z: The effect, in standard deviations of the differences; its sign doesn't matter.
        alpha: Two-sided level.
        power: In (alpha, 1).

    Returns:
        At least 2, or None if 10,000 pairs are not enough.

    Raises:
        DataError: `power` is not above `alpha`.
    """
    _check(alpha, power)
    effect = abs(d_z)
    if power_of_paired_t(effect, MAX_SEEDS_SEARCHED, alpha=alpha) < power:
        return None
    low, high = 1, MAX_SEEDS_SEARCHED
    while high - low > 1:
        middle = (low + high) // 2
        if power_of_paired_t(effect, middle, alpha=alpha) >= power:
            high = middle
        else:
            low = middle
    return high


def std_interval_factors(n_seeds: int, *, confidence_level: float) -> tuple[float, float] | None:
    """What to multiply a sample standard deviation by for the interval of the true one (normal values).

    At 3 seeds and 95% it is 0.52 to 6.3: a minimum detectable difference from 3 seeds is itself a guess.

    Returns:
        Lower and upper factor, or None for fewer than 2 seeds.
    """
    if n_seeds < 2:
        return None
    df = n_seeds - 1
    tail = (1.0 - confidence_level) / 2.0
    return float(np.sqrt(df / special.chdtri(df, tail))), float(np.sqrt(df / special.chdtri(df, 1.0 - tail)))


def _check(alpha: float, power: float) -> None:
    if not 0.0 < alpha < power < 1.0:
        raise DataError(f"need 0 < alpha < power < 1, got alpha = {alpha}, power = {power}")

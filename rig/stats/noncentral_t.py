"""The noncentral t distribution, for power and for intervals of effect sizes.

scipy's gives NaN in far tails (n = 3 with an effect of 25) and its inverse loses digits or does not return
for |t| above about 1e5, which near-constant differences do reach.
"""

import numpy as np
import numpy.typing as npt
from scipy import special

FloatArray = npt.NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
_NEGLIGIBLE = 1e-17
_NORMAL_REACH = 9.0
"""The standard normal beyond this is below 1e-18."""
_MAX_ITERATIONS = 200


def noncentral_t_cdf(t: npt.ArrayLike, df: int, noncentrality: npt.ArrayLike) -> FloatArray:
    """P(T <= t) for T = (Z + noncentrality) / sqrt(V / df), Z standard normal, V chi-squared with df.

    For t > 0: Phi(-noncentrality) + integral over y > 0 of phi(y - noncentrality) P(V > df y^2 / t^2).
    The second factor is 1, then falls, then is 0; the first stretch is closed, the fall is integrated by
    96-point Gauss-Legendre. Absolute error below 1e-12.

    Args:
        t: Broadcast with `noncentrality`; finite.
        df: Degrees of freedom, >= 1.
        noncentrality: Finite.

    Returns:
        Probabilities, broadcast shape.
    """
    return _cdf_and_slope(np.asarray(t, dtype=np.float64), df, np.asarray(noncentrality, dtype=np.float64))[0]


def _cdf_and_slope(t: FloatArray, df: int, noncentrality: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The distribution function, and its derivative by the noncentrality (negative)."""
    t, noncentrality = np.broadcast_arrays(t, noncentrality)
    is_negative = t < 0
    # P(T <= t; delta) = 1 - P(T <= -t; -delta), whose derivative by delta has the same sign.
    t, delta = np.abs(t), np.where(is_negative, -noncentrality, noncentrality)
    half = df / 2.0
    start = t * np.sqrt(special.gammaincinv(half, _NEGLIGIBLE) / half)
    end = t * np.sqrt(special.gammainccinv(half, _NEGLIGIBLE) / half)
    left = np.clip(delta - _NORMAL_REACH, start, end)
    width = np.clip(delta + _NORMAL_REACH, start, end) - left
    y = left[..., None] + width[..., None] * (_NODES + 1.0) / 2.0
    z = y - delta[..., None]
    safe_t = np.where(t == 0, 1.0, t)[..., None]
    falling = _normal_density(z) * special.gammaincc(half, half * (y / safe_t) ** 2) * width[..., None] / 2.0
    cdf = special.ndtr(start - delta) + falling @ _WEIGHTS
    slope = (falling * z) @ _WEIGHTS - _normal_density(start - delta)
    return np.where(is_negative, 1.0 - cdf, cdf), slope


def _normal_density(z: FloatArray) -> FloatArray:
    density: FloatArray = np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
    return density


def noncentrality_interval(
    t: FloatArray, df: int, *, confidence_level: float
) -> tuple[FloatArray, FloatArray]:
    """The noncentralities whose upper and lower tails at t are (1 - level) / 2 (Steiger and Fouladi 1997).

    Args:
        t: (k,) finite.
        df: Degrees of freedom, >= 1.
        confidence_level: For example 0.95.

    Returns:
        Lower and upper bounds, each (k,).
    """
    tail = (1.0 - confidence_level) / 2.0
    return _solve(t, df, 1.0 - tail), _solve(t, df, tail)


def _solve(t: FloatArray, df: int, probability: float) -> FloatArray:
    """The noncentrality at which P(T <= t) is `probability`: Newton, halving outside a bracket."""
    reach = np.abs(t) * np.sqrt(2.0 * special.gammainccinv(df / 2.0, 1e-12) / df) + _NORMAL_REACH
    low, high = -reach, reach
    # As if V were normal: exact for many degrees of freedom, near enough for few.
    guess = np.asarray(t - special.ndtri(probability) * np.sqrt(1.0 + t**2 / (2.0 * df)))
    active = np.arange(len(t))
    for _ in range(_MAX_ITERATIONS):
        at = guess[active]
        cdf, slope = _cdf_and_slope(t[active], df, at)
        error = cdf - probability
        low[active] = np.where(error > 0, at, low[active])
        high[active] = np.where(error > 0, high[active], at)
        # Where the slope vanishes Newton leaves the bracket, and halving takes over.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            newton = at - error / slope
        is_inside = (newton > low[active]) & (newton < high[active])
        guess[active] = np.where(is_inside, newton, (low[active] + high[active]) / 2.0)
        is_found = np.abs(error) <= 1e-14
        guess[active[is_found]] = at[is_found]
        active = active[~is_found & (high[active] - low[active] > 1e-13 * reach[active])]
        if not len(active):
            break
    return guess

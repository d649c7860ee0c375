"""Correlation of a model's answers with human scores, or a reason why there is none."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

_RELATIVE_SPREAD = 1e-13
"""Values whose spread is below this share of their mean are constant up to rounding (scipy's own bound)."""


def pearson(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Pearson's product-moment correlation, the official measure of ASSIN-2.

    Equal to `scipy.stats.pearsonr(x, y).statistic` where that is defined.

    Args:
        x: (n,) answers, finite.
        y: (n,) human scores, finite, in the same order.

    Returns:
        A number in [-1, 1], or None where `undefined_because` gives a reason. Never NaN.

    Raises:
        ValueError: The lengths differ or a value is not finite.
    """
    if undefined_because(x, y) is not None:
        return None
    return float(stats.pearsonr(_vector(x), _vector(y)).statistic)


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Spearman's correlation: Pearson's of the ranks, ties at their mean rank.

    Equal to `scipy.stats.spearmanr(x, y).statistic`; arguments and errors as in `pearson`.
    """
    if undefined_because(x, y) is not None:
        return None
    return float(stats.spearmanr(_vector(x), _vector(y)).statistic)


def undefined_because(x: Sequence[float], y: Sequence[float]) -> str | None:
    """Why a correlation of these values is undefined, for the report; None if it is defined.

    A side is constant if its spread is rounding: cosines of 1 and 1 - 1e-16 carry no order.
    """
    a, b = _vector(x), _vector(y)
    if len(a) != len(b):
        raise ValueError(f"`x` and `y` must have equal lengths, got {len(a)} and {len(b)}")
    if len(a) < 2:
        return f"a correlation needs two items or more, got {len(a)}"
    for values, what in ((a, "predictions"), (b, "human scores")):
        centred = values - values.mean()
        if np.linalg.norm(centred) <= _RELATIVE_SPREAD * abs(values.mean()):
            return f"all {len(values)} {what} are equal ({values[0]:.6g})"
    return None


def _vector(values: Sequence[float]) -> npt.NDArray[np.float64]:
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"values must be one-dimensional, got shape {vector.shape}")
    if not np.isfinite(vector).all():
        raise ValueError("values must be finite")
    return vector

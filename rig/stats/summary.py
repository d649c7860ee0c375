"""One kind's values over its seeds: mean, standard deviation, interval of the mean. No test."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from rig.stats.replicates import checked_level, checked_values
from rig.stats.student_t import student_t


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SeedSummary:
    """A metric of one kind over seeds; None where it is not defined, and `reason` why."""

    n_seeds: int
    """Seeds with a value."""
    n_missing: int
    """Seeds without."""
    mean: float | None
    """None if no seed has a value."""
    std: float | None
    """Sample standard deviation, ddof 1; None for one seed."""
    low: float | None
    high: float | None
    """Student t interval of the mean over training seeds; None for one seed or at zero variance."""
    reason: str | None
    """Why the interval is None."""


def summarise(
    values: npt.ArrayLike, *, confidence_level: float, present: npt.ArrayLike | None = None
) -> tuple[SeedSummary, ...]:
    """Summarise one kind's metrics over seeds.

    Args:
        values: (n_seeds, n_metrics), one row a training seed.
        confidence_level: Of the interval, for example 0.95.
        present: (n_seeds, n_metrics) bool, False where a seed failed or has no value; None if all are there.

    Returns:
        One summary a metric.

    Raises:
        DataError: A shape is wrong, or a present value is not finite.
    """
    level = checked_level(confidence_level)
    array, mask = checked_values("values", values, present)
    return tuple(_of_one(array[mask[:, j], j], len(array), level) for j in range(array.shape[1]))


def _of_one(values: npt.NDArray[np.float64], n_rows: int, confidence_level: float) -> SeedSummary:
    n_missing = n_rows - len(values)
    if len(values) == 0:
        return SeedSummary(
            n_seeds=0,
            n_missing=n_missing,
            mean=None,
            std=None,
            low=None,
            high=None,
            reason="no seed has a value",
        )
    scale = np.array([np.abs(values).max()])
    t = student_t(values[:, None], scale=scale, confidence_level=confidence_level)[0]
    return SeedSummary(
        n_seeds=t.n, n_missing=n_missing, mean=t.mean, std=t.std, low=t.low, high=t.high, reason=t.reason
    )

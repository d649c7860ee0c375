"""Checks of what enters a statistic over seeds: shapes, finite values, missing and duplicated replicates."""

import hashlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rig.core.errors import DataError

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


def checked_level(confidence_level: float) -> float:
    """The confidence level, if it lies strictly between 0 and 1.

    Raises:
        DataError: It does not.
    """
    if not 0.0 < confidence_level < 1.0:
        raise DataError(
            f"`confidence_level` must lie strictly between 0 and 1, got {confidence_level}; use 0.95"
        )
    return confidence_level


def checked_values(
    name: str, values: npt.ArrayLike, present: npt.ArrayLike | None
) -> tuple[FloatArray, BoolArray]:
    """Values of one kind over seeds as float64, and where they are present.

    Args:
        name: How messages call the values.
        values: (n_seeds, n_tests) numbers; where not present, anything.
        present: (n_seeds, n_tests) bool, or None if nothing is missing.

    Returns:
        The values with 0 where missing, and the mask.

    Raises:
        DataError: Not 2-dimensional, no seed, shapes differ, or a present value is NaN or infinite.
    """
    array = np.array(values, dtype=np.float64)
    if array.ndim != 2 or len(array) == 0:
        raise DataError(
            f"`{name}` must have shape (n_seeds, n_tests) with at least one seed, got {array.shape}"
        )
    mask = np.ones(array.shape, dtype=np.bool_) if present is None else np.asarray(present)
    if mask.shape != array.shape or mask.dtype != np.bool_:
        raise DataError(
            f"`{name}_present` must be bool of shape {array.shape}, got {mask.dtype} of shape {mask.shape}"
        )
    bad = np.argwhere(mask & ~np.isfinite(array))
    if len(bad):
        seed, test = (int(index) for index in bad[0])
        raise DataError(
            f"`{name}` holds {array[seed, test]} at seed row {seed}, test column {test} ({len(bad)} such); "
            f"a failed seed is not a number: mark it False in `{name}_present` to drop its pair"
        )
    return np.where(mask, array, 0.0), mask


def refuse_duplicates(seeds: Sequence[int], per_document: FloatArray, *, kind: str) -> None:
    """Refuse two seeds with the same values on every document: one run counted twice.

    One duplicated seed at n = 3 lowers the t interval's coverage from 95% to 78%.

    Args:
        seeds: (n_seeds,) names of the rows.
        per_document: (n_seeds, ...) what each run gave; compared byte for byte.
        kind: How the message calls the kind.

    Raises:
        DataError: Two rows are equal, or a seed is repeated.
    """
    seen: dict[str, int] = {}
    for seed, row in zip(seeds, per_document, strict=True):
        digest = hashlib.sha256(np.ascontiguousarray(row).tobytes()).hexdigest()
        if digest in seen:
            raise DataError(
                f"kind '{kind}': seeds {seen[digest]} and {seed} have identical values on every document; "
                "they are one run, not two replicates: check the checkpoints and remove one"
            )
        seen[digest] = seed


def average_repeats(seeds: Sequence[int], values: FloatArray) -> tuple[tuple[int, ...], FloatArray]:
    """One row a seed: runs of the same kind and seed are averaged before any inference.

    Args:
        seeds: (n_runs,) the seed of each run, repeats allowed.
        values: (n_runs, n_tests).

    Returns:
        The distinct seeds in ascending order, and their means (n_seeds, n_tests).
    """
    names = np.asarray(seeds)
    distinct = np.unique(names)
    means = np.stack([values[names == seed].mean(axis=0) for seed in distinct])
    return tuple(int(seed) for seed in distinct), means

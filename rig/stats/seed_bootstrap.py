"""The required bootstrap: seeds resampled with replacement, percentile interval of the mean difference.

It is printed because the user asks for it. At few seeds it is far from its nominal level: see `coverage`.
"""

import hashlib
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.errors import DataError

_COLUMNS_AT_ONCE = 256
"""Bounds memory: n_resamples x this many float64 replicates."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SeedResamples:
    """One explicit draw: which seeds each resample holds."""

    indices: npt.NDArray[np.uint16]
    """(n_resamples, n_seeds) positions of seeds, each in [0, n_seeds)."""

    @property
    def n_resamples(self) -> int:
        """Resamples."""
        return len(self.indices)

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """(n_resamples, n_seeds) how often each seed is drawn, over n_seeds; rows sum to 1."""
        n_resamples, n_seeds = self.indices.shape
        flat = self.indices + np.arange(n_resamples, dtype=np.int64)[:, None] * n_seeds
        counts = np.bincount(flat.ravel(), minlength=n_resamples * n_seeds)
        weights: npt.NDArray[np.float64] = counts.reshape(n_resamples, n_seeds) / n_seeds
        return weights

    @property
    def sha256(self) -> str:
        """Identity of the draw: SHA-256 of the indices as little-endian uint16, row by row."""
        return hashlib.sha256(np.ascontiguousarray(self.indices, dtype="<u2").tobytes()).hexdigest()


@final
class SeedResampler:
    """Makes one draw for each number of seeds, and gives the same draw every time it is asked.

    All metrics and kinds with n pairs share the draw of n, so their replicates are joint. The draw of n
    depends on the generator's state, `n_resamples` and n only, never on which other n were asked for.
    """

    def __init__(self, n_resamples: int, *, rng: np.random.Generator) -> None:
        """Take 256 bits of `rng`; the draws are made when asked for.

        Raises:
            DataError: `n_resamples` is not positive.
        """
        if n_resamples < 1:
            raise DataError(f"`n_resamples` must be at least 1, got {n_resamples}; use 10000")
        self.n_resamples = n_resamples
        self._entropy = [int(word) for word in rng.integers(0, 2**32, size=8, dtype=np.uint64)]
        self._draws: dict[int, SeedResamples] = {}

    def draw(self, n_seeds: int) -> SeedResamples:
        """The draw for `n_seeds` seeds (1 to 65,535)."""
        if n_seeds not in self._draws:
            sequence = np.random.SeedSequence([*self._entropy, n_seeds])
            rng = np.random.Generator(np.random.PCG64(sequence))
            indices = rng.integers(0, n_seeds, size=(self.n_resamples, n_seeds), dtype=np.uint16)
            self._draws[n_seeds] = SeedResamples(indices=indices)
        return self._draws[n_seeds]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SeedBootstrap:
    """Percentile interval of the mean over seeds, with what it is worth."""

    low: float
    high: float
    n_resamples: int
    exact_low: float | None
    exact_high: float | None
    """End points by full enumeration of the resamples (no Monte Carlo); None above 7 seeds."""
    coverage: float | None
    """How often such an interval covers, for normal differences (`rig.stats.coverage`); None where the
    shipped table has no row."""
    is_degenerate: bool
    """True if all differences are equal to within rounding: the zero width is not certainty."""
    draw_sha256: str
    """`SeedResamples.sha256` of the draw that was used."""


def percentile_bounds(
    values: npt.NDArray[np.float64], resamples: SeedResamples, *, confidence_level: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Percentile bootstrap bounds of each column's mean.

    Equal to `np.quantile` (linear) of the resamples' means, computed for all columns at once: weights @
    values, then a partition. Means are kept inside the column's range, which rounding could leave.

    Args:
        values: (n_seeds, n_tests), finite.
        resamples: A draw for n_seeds seeds.
        confidence_level: For example 0.95: the 2.5% and 97.5% quantiles.

    Returns:
        Lower and upper bounds, each (n_tests,).
    """
    weights = resamples.weights.T
    tail = (1.0 - confidence_level) / 2.0
    bounds = np.empty((2, values.shape[1]))
    for start in range(0, values.shape[1], _COLUMNS_AT_ONCE):
        columns = slice(start, start + _COLUMNS_AT_ONCE)
        rows = values[:, columns].T
        means = rows @ weights
        np.clip(means, rows.min(axis=1, keepdims=True), rows.max(axis=1, keepdims=True), out=means)
        bounds[:, columns] = _quantiles(means, (tail, 1.0 - tail))
    return bounds[0], bounds[1]


def _quantiles(samples: npt.NDArray[np.float64], levels: tuple[float, ...]) -> npt.NDArray[np.float64]:
    """Linear quantiles of each row, (n_levels, n_rows); reorders `samples` in place."""
    position = np.asarray(levels) * (samples.shape[1] - 1)
    below = np.floor(position).astype(np.intp)
    above = np.minimum(below + 1, samples.shape[1] - 1)
    samples.partition(np.unique(np.concatenate([below, above])), axis=1)
    fraction = (position - below)[:, None]
    low, high = samples[:, below].T, samples[:, above].T
    # Where both neighbours are equal the result is exactly that value.
    interpolated: npt.NDArray[np.float64] = low * (1.0 - fraction) + high * fraction
    return np.where(low == high, low, interpolated)

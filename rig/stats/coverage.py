"""What a 95% seed bootstrap interval is really worth: its coverage for normal differences.

The mean of a normal sample is independent of its shape, so the coverage is an average over shapes of a
Student t probability: for residuals in units of the standard error with bootstrap bounds L and U,
P(covers) = F(-L) - F(-U), where F is of t(n-1). That needs few samples, where counting hits needs millions.
"""

import numpy as np
from scipy import special

from rig.stats.bootstrap_coverage_table import BOOTSTRAP_COVERAGE
from rig.stats.exact_bootstrap import MAX_SEEDS_ENUMERATED, exact_bounds
from rig.stats.seed_bootstrap import SeedResampler, percentile_bounds

_SAMPLES_A_DRAW = 500
"""A fresh draw of resamples for this many samples: the coverage is over draws too."""


def bootstrap_coverage(n_seeds: int, *, confidence_level: float) -> float | None:
    """Coverage of the percentile seed bootstrap of the mean, for normal differences, from the shipped table.

    Made for 10,000 resamples; more do not raise it. Heavier skew covers less.

    Args:
        n_seeds: Pairs that were resampled.
        confidence_level: The nominal level.

    Returns:
        In (0, 1), or None where the table has no row: it has 2 to 20 seeds at 0.90, 0.95 and 0.99.
    """
    row = BOOTSTRAP_COVERAGE.get(n_seeds)
    return None if row is None else row.get(confidence_level)


def simulate_coverage(
    n_seeds: int, *, confidence_level: float, n_samples: int, n_resamples: int, rng: np.random.Generator
) -> float:
    """Compute one cell of the shipped table.

    Up to 7 seeds the resamples are enumerated; above, they are drawn.

    Args:
        n_seeds: Pairs, >= 2.
        confidence_level: The nominal level.
        n_samples: Simulated samples of normal differences.
        n_resamples: Resamples of each, above 7 seeds.
        rng: Source of the samples and resamples.

    Returns:
        Coverage in (0, 1).
    """
    total = 0.0
    for start in range(0, n_samples, _SAMPLES_A_DRAW):
        n_columns = min(_SAMPLES_A_DRAW, n_samples - start)
        values = rng.standard_normal((n_seeds, n_columns))
        residuals = values - values.mean(axis=0)
        residuals /= residuals.std(axis=0, ddof=1) / np.sqrt(n_seeds)
        if n_seeds <= MAX_SEEDS_ENUMERATED:
            low, high = exact_bounds(residuals, confidence_level=confidence_level)
        else:
            draw = SeedResampler(n_resamples, rng=rng).draw(n_seeds)
            low, high = percentile_bounds(residuals, draw, confidence_level=confidence_level)
        df = n_seeds - 1
        total += float((special.stdtr(df, -low) - special.stdtr(df, -high)).sum())
    return total / n_samples

import itertools

import numpy as np
import pytest
from scipy import stats

from rig.stats.bootstrap_coverage_table import BOOTSTRAP_COVERAGE
from rig.stats.coverage import bootstrap_coverage, simulate_coverage


@pytest.mark.parametrize("n_seeds", [2, 3])
def test_two_and_three_seeds_are_known_exactly(n_seeds: int) -> None:
    # [min, max] misses if all differences fall on one side of the truth: 2 x 2^-n.
    assert bootstrap_coverage(n_seeds, confidence_level=0.95) == pytest.approx(
        1 - 2.0 ** (1 - n_seeds), abs=5e-4
    )


def test_table_has_2_to_20_seeds_at_three_levels_and_rises() -> None:
    assert sorted(BOOTSTRAP_COVERAGE) == list(range(2, 21))
    for level in (0.9, 0.95, 0.99):
        column = [BOOTSTRAP_COVERAGE[n][level] for n in range(2, 21)]
        assert all(after > before - 1e-3 for before, after in itertools.pairwise(column))
        assert column[-1] < level


@pytest.mark.parametrize(("n_seeds", "percent"), [(4, 80), (5, 84), (8, 89), (10, 90)])
def test_agrees_with_counted_hits_of_an_independent_simulation(n_seeds: int, percent: int) -> None:
    coverage = bootstrap_coverage(n_seeds, confidence_level=0.95)
    assert coverage is not None
    assert round(100 * coverage) == percent


def test_no_row_gives_none() -> None:
    assert bootstrap_coverage(21, confidence_level=0.95) is None
    assert bootstrap_coverage(1, confidence_level=0.95) is None
    assert bootstrap_coverage(5, confidence_level=0.8) is None


def test_two_seeds_need_no_luck() -> None:
    # Both residuals are always +-1 in units of the standard error: P(|t(1)| < 1) = 1/2.
    coverage = simulate_coverage(
        2, confidence_level=0.95, n_samples=10, n_resamples=1, rng=np.random.default_rng(0)
    )
    assert coverage == pytest.approx(2 * stats.t.cdf(1, 1) - 1, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("n_seeds", [4, 9])
def test_fresh_simulation_gives_the_shipped_cell(n_seeds: int) -> None:
    coverage = simulate_coverage(
        n_seeds, confidence_level=0.95, n_samples=3_000, n_resamples=3_000, rng=np.random.default_rng(1)
    )
    # Standard error of 3,000 samples: 0.0008 (n = 4), smaller above.
    assert coverage == pytest.approx(bootstrap_coverage(n_seeds, confidence_level=0.95), abs=0.004)

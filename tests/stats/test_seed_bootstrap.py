import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from rig.core.errors import DataError
from rig.stats.coverage import bootstrap_coverage
from rig.stats.seed_bootstrap import SeedResampler, percentile_bounds

SHOW_SHA = (
    "import numpy as np; from rig.stats.seed_bootstrap import SeedResampler as S;"
    "print(S(100, rng=np.random.default_rng(3)).draw(5).sha256)"
)


@pytest.mark.parametrize("n_seeds", [1, 2, 5, 11])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_equals_numpy_quantiles_of_resampled_means(n_seeds: int, level: float) -> None:
    values = np.random.default_rng(0).normal(size=(n_seeds, 300))
    draw = SeedResampler(999, rng=np.random.default_rng(1)).draw(n_seeds)
    low, high = percentile_bounds(values, draw, confidence_level=level)
    means = values[draw.indices].mean(axis=1)
    expected = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    np.testing.assert_allclose([low, high], expected, rtol=0, atol=1e-13)


@pytest.mark.parametrize("n_seeds", [2, 3])
def test_two_and_three_seeds_give_exactly_the_extremes(n_seeds: int) -> None:
    values = np.random.default_rng(4).normal(size=(n_seeds, 500))
    draw = SeedResampler(10_000, rng=np.random.default_rng(5)).draw(n_seeds)
    low, high = percentile_bounds(values, draw, confidence_level=0.95)
    np.testing.assert_array_equal(low, values.min(axis=0))
    np.testing.assert_array_equal(high, values.max(axis=0))


def test_equal_values_give_exactly_that_value() -> None:
    values = np.full((3, 1), 0.1)
    draw = SeedResampler(1000, rng=np.random.default_rng(5)).draw(3)
    low, high = percentile_bounds(values, draw, confidence_level=0.95)
    assert (low[0], high[0]) == (0.1, 0.1)


def test_agrees_with_scipy_within_monte_carlo_error() -> None:
    values = np.random.default_rng(2).normal(size=12)
    draw = SeedResampler(100_000, rng=np.random.default_rng(1)).draw(12)
    low, high = percentile_bounds(values[:, None], draw, confidence_level=0.95)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=100_000, method="percentile", rng=np.random.default_rng(9)
    ).confidence_interval
    # The standard deviation of each end point over draws is about 0.001.
    assert low[0] == pytest.approx(theirs.low, abs=0.008)
    assert high[0] == pytest.approx(theirs.high, abs=0.008)


def test_weights_are_the_counts_of_the_indices() -> None:
    draw = SeedResampler(50, rng=np.random.default_rng(0)).draw(4)
    expected = [[list(row).count(seed) / 4 for seed in range(4)] for row in draw.indices]
    np.testing.assert_array_equal(draw.weights, expected)
    assert draw.n_resamples == 50


def test_draw_of_n_does_not_depend_on_other_draws() -> None:
    first, second = (SeedResampler(100, rng=np.random.default_rng(3)) for _ in range(2))
    first.draw(4)
    assert first.draw(5).sha256 == second.draw(5).sha256
    assert first.draw(5) is first.draw(5)


def test_draw_depends_on_the_generators_state() -> None:
    rng = np.random.default_rng(3)
    draws = [SeedResampler(100, rng=rng).draw(5).sha256 for _ in range(2)]
    assert draws[0] != draws[1]


def test_global_seed_changes_nothing() -> None:
    shas = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002 - what a careless caller does
        shas.append(SeedResampler(100, rng=np.random.default_rng(3)).draw(5).sha256)
    assert shas[0] == shas[1]


def test_hash_seed_changes_nothing() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SHOW_SHA],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert outputs[0] == outputs[1]
    assert outputs[0].strip() == SeedResampler(100, rng=np.random.default_rng(3)).draw(5).sha256


def test_no_resamples_are_refused() -> None:
    with pytest.raises(DataError, match=r"`n_resamples` must be at least 1, got 0; use 10000"):
        SeedResampler(0, rng=np.random.default_rng(0))


@pytest.mark.slow
@pytest.mark.parametrize("n_seeds", [3, 5, 10])
def test_printed_coverage_is_the_simulated_one(n_seeds: int) -> None:
    """Counts hits on the raw interval: independent of how the table was computed."""
    n_samples, n_draws = 20_000, 20
    rng = np.random.default_rng(n_seeds)
    hits = 0
    for _ in range(n_draws):
        values = rng.standard_normal((n_seeds, n_samples // n_draws))
        draw = SeedResampler(2_000, rng=rng).draw(n_seeds)
        low, high = percentile_bounds(values, draw, confidence_level=0.95)
        hits += int(((low <= 0) & (high >= 0)).sum())
    printed = bootstrap_coverage(n_seeds, confidence_level=0.95)
    assert printed is not None
    # Four standard errors, plus what 2,000 instead of 10,000 resamples may shift.
    assert hits / n_samples == pytest.approx(
        printed, abs=4 * (printed * (1 - printed) / n_samples) ** 0.5 + 0.003
    )

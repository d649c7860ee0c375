import itertools

import numpy as np
import pytest

from rig.stats.exact_bootstrap import exact_bounds, multisets
from rig.stats.seed_bootstrap import SeedResampler, percentile_bounds


@pytest.mark.parametrize(
    ("n_seeds", "n_multisets"), [(1, 1), (2, 3), (3, 10), (4, 35), (5, 126), (6, 462), (7, 1716)]
)
def test_multisets_are_all_resamples(n_seeds: int, n_multisets: int) -> None:
    law = multisets(n_seeds)
    assert len(law.multiplicity) == n_multisets
    assert law.multiplicity.sum() == n_seeds**n_seeds
    np.testing.assert_allclose(law.weights.sum(axis=1), 1.0, rtol=1e-15)


@pytest.mark.parametrize("n_seeds", [2, 3, 4, 5])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_equals_brute_force_over_ordered_resamples(n_seeds: int, level: float) -> None:
    values = np.random.default_rng(n_seeds).normal(size=n_seeds)
    means = np.sort([np.mean(chosen) for chosen in itertools.product(values, repeat=n_seeds)])
    low, high = exact_bounds(values[:, None], confidence_level=level)
    # The smallest mean whose share reaches the tail; 1e-9 keeps a share of exactly the tail on its side.
    needed = int(np.ceil(len(means) * (1 - level) / 2 - 1e-9))
    assert low[0] == pytest.approx(means[needed - 1], abs=1e-14)
    assert high[0] == pytest.approx(means[-needed], abs=1e-14)


@pytest.mark.parametrize("n_seeds", [2, 3])
def test_two_and_three_seeds_give_the_extremes(n_seeds: int) -> None:
    values = np.random.default_rng(1).normal(size=(n_seeds, 50))
    low, high = exact_bounds(values, confidence_level=0.95)
    np.testing.assert_array_equal(low, values.min(axis=0))
    np.testing.assert_array_equal(high, values.max(axis=0))


def test_four_seeds_have_a_closed_form() -> None:
    values = np.random.default_rng(1).normal(size=(4, 500))
    x1, x2, x3, x4 = np.sort(values, axis=0)
    low, high = exact_bounds(values, confidence_level=0.95)
    np.testing.assert_allclose(low, np.minimum((3 * x1 + x3) / 4, (x1 + x2) / 2), atol=1e-14)
    np.testing.assert_allclose(high, np.maximum((3 * x4 + x2) / 4, (x4 + x3) / 2), atol=1e-14)


def test_monte_carlo_tends_to_it() -> None:
    values = np.random.default_rng(3).normal(size=(6, 20))
    draw = SeedResampler(200_000, rng=np.random.default_rng(0)).draw(6)
    low, high = exact_bounds(values, confidence_level=0.95)
    # The tail's Monte Carlo standard error is 0.00035: end points at tails 0.022 and 0.028 enclose.
    wide_low, wide_high = percentile_bounds(values, draw, confidence_level=0.956)
    narrow_low, narrow_high = percentile_bounds(values, draw, confidence_level=0.944)
    assert ((wide_low <= low + 1e-12) & (low <= narrow_low + 1e-12)).all()
    assert ((narrow_high <= high + 1e-12) & (high <= wide_high + 1e-12)).all()


def test_negated_values_give_the_mirrored_interval() -> None:
    values = np.random.default_rng(3).normal(size=(5, 100))
    low, high = exact_bounds(values, confidence_level=0.95)
    mirrored_low, mirrored_high = exact_bounds(-values, confidence_level=0.95)
    np.testing.assert_allclose(-mirrored_high, low, atol=1e-15)
    np.testing.assert_allclose(-mirrored_low, high, atol=1e-15)

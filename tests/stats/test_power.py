import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from rig.core.errors import DataError
from rig.stats.power import minimum_detectable_d_z, power_of_paired_t, seeds_needed, std_interval_factors

SEEDS = (2, 3, 4, 5, 6, 8, 10, 20)
# Columns are SEEDS; power 0.8, two-sided.
MINIMUM_DETECTABLE = {
    1: (11.6, 3.26, 2.13, 1.68, 1.43, 1.16, 1.00, 0.66),
    5: (57.7, 7.32, 3.72, 2.63, 2.11, 1.60, 1.33, 0.84),
    12: (138, 11.3, 5.00, 3.31, 2.56, 1.86, 1.53, 0.93),
    60: (692, 25.4, 8.59, 5.00, 3.60, 2.43, 1.91, 1.10),
}


@pytest.mark.parametrize("n_tests", MINIMUM_DETECTABLE)
def test_minimum_detectable_effect_table(n_tests: int) -> None:
    for n_seeds, expected in zip(SEEDS, MINIMUM_DETECTABLE[n_tests], strict=True):
        # Three digits were printed: half a unit of the last, and rounding either way.
        assert minimum_detectable_d_z(n_seeds, alpha=0.05 / n_tests) == pytest.approx(expected, rel=0.0051)


@pytest.mark.parametrize(("d_z", "n"), [(0.5, 34), (0.8, 15), (1, 10), (1.5, 6), (2, 5), (3, 4), (4, 3)])
def test_seeds_needed_table(d_z: float, n: int) -> None:
    assert seeds_needed(d_z, alpha=0.05) == n
    assert seeds_needed(-d_z, alpha=0.05) == n


@pytest.mark.parametrize(("d_z", "percent"), [(1, 18), (2, 47), (3, 75)])
def test_power_at_three_seeds(d_z: float, percent: int) -> None:
    assert round(100 * power_of_paired_t(d_z, 3, alpha=0.05)) == percent


@pytest.mark.parametrize("n_pairs", [3, 5, 10, 20])
@pytest.mark.parametrize("d_z", [0.1, 0.7, 1.2])
def test_power_equals_statsmodels(n_pairs: int, d_z: float) -> None:
    theirs = TTestPower().power(d_z, n_pairs, 0.05, alternative="two-sided")
    assert power_of_paired_t(d_z, n_pairs, alpha=0.05) == pytest.approx(theirs, abs=1e-9)


def test_power_of_no_effect_is_alpha() -> None:
    assert power_of_paired_t(0.0, 4, alpha=0.05) == pytest.approx(0.05, abs=1e-13)


def test_one_pair_detects_nothing_and_a_tiny_effect_needs_too_many() -> None:
    assert minimum_detectable_d_z(1, alpha=0.05) is None
    assert seeds_needed(0.001, alpha=0.05) is None


def test_impossible_power_is_refused() -> None:
    with pytest.raises(DataError, match=r"need 0 < alpha < power < 1, got alpha = 0.05, power = 0.01"):
        minimum_detectable_d_z(3, alpha=0.05, power=0.01)


def test_std_of_three_seeds_is_uncertain() -> None:
    factors = std_interval_factors(3, confidence_level=0.95)
    assert factors is not None
    assert (round(factors[0], 2), round(factors[1], 1)) == (0.52, 6.3)
    assert factors[0] == pytest.approx((2 / stats.chi2.ppf(0.975, 2)) ** 0.5, rel=1e-12)
    assert std_interval_factors(1, confidence_level=0.95) is None

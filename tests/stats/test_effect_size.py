import numpy as np
import pytest
from scipy import stats

from rig.stats.effect_size import effect_sizes, small_sample_correction


@pytest.mark.parametrize(("df", "j"), [(2, 0.564), (3, 0.724), (4, 0.798)])
def test_correction_has_its_exact_values(df: int, j: float) -> None:
    assert small_sample_correction(df) == pytest.approx(j, abs=5e-4)


def test_correction_by_hand() -> None:
    # Gamma(1) / (sqrt 1 Gamma(1/2)) = 1 / sqrt pi.
    assert small_sample_correction(2) == pytest.approx(np.pi**-0.5, rel=1e-14)
    assert small_sample_correction(1) is None


def test_interval_at_three_pairs() -> None:
    (effect,) = effect_sizes(np.array([2.5]), 3, confidence_level=0.95)
    assert (round(effect.d_z_low, 2), round(effect.d_z_high, 2)) == (0.00, 5.02)


def test_two_pairs_have_no_g() -> None:
    (effect,) = effect_sizes(np.array([1.0]), 2, confidence_level=0.95)
    assert effect.g_z is None
    assert effect.d_z_low < 1.0 < effect.d_z_high


@pytest.mark.slow
def test_interval_covers_and_g_is_unbiased() -> None:
    n_samples, n_pairs, true = 4_000, 4, 1.2
    values = np.random.default_rng(0).normal(true, 1.0, (n_pairs, n_samples))
    d_z = values.mean(axis=0) / values.std(axis=0, ddof=1)
    effects = effect_sizes(d_z, n_pairs, confidence_level=0.95)
    hits = sum(effect.d_z_low <= true <= effect.d_z_high for effect in effects)
    assert stats.binomtest(hits, n_samples, 0.95).pvalue > 1e-4
    g_z = np.array([effect.g_z for effect in effects])
    assert g_z.mean() == pytest.approx(true, abs=4 * g_z.std() / n_samples**0.5)

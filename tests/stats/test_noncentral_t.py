import numpy as np
import pytest
from scipy import stats

from rig.stats.noncentral_t import noncentral_t_cdf, noncentrality_interval


@pytest.mark.parametrize("df", [1, 2, 4, 9, 30, 200])
def test_equals_scipy_where_scipy_is_sound(df: int) -> None:
    t, delta = np.meshgrid([-3.0, -0.1, 0.0, 0.01, 1.0, 4.0, 12.0], [-2.0, 0.0, 1.5, 6.0])
    theirs = stats.nct.cdf(t, df, delta)
    is_sound = np.isfinite(theirs)
    assert is_sound.mean() > 0.9
    np.testing.assert_allclose(noncentral_t_cdf(t, df, delta)[is_sound], theirs[is_sound], rtol=0, atol=1e-12)


def test_is_student_t_without_noncentrality() -> None:
    t = np.array([-50.0, -2.0, 0.0, 0.3, 3.0, 1000.0])
    for df in (1, 3, 17):
        np.testing.assert_allclose(noncentral_t_cdf(t, df, 0.0), stats.t.cdf(t, df), rtol=0, atol=1e-13)


def test_is_finite_in_tails_where_scipy_is_not() -> None:
    # t(2) critical value of alpha 0.05 / 60 and an effect of 25: all mass is far to the right.
    assert 0.0 <= noncentral_t_cdf(-34.6, 2, 43.3) < 1e-12
    # With t = delta both huge, P(T <= t) is P(V >= 2) = 1/e.
    assert noncentral_t_cdf(1e9, 2, 1e9) == pytest.approx(np.exp(-1.0), abs=1e-8)


@pytest.mark.parametrize("df", [1, 2, 4, 30])
def test_interval_inverts_the_distribution(df: int) -> None:
    t = np.array([-1e6, -3.0, 0.0, 1e-9, 4.3, 1e3, 1e7])
    low, high = noncentrality_interval(t, df, confidence_level=0.95)
    np.testing.assert_allclose(noncentral_t_cdf(t, df, low), 0.975, rtol=0, atol=1e-9)
    np.testing.assert_allclose(noncentral_t_cdf(t, df, high), 0.025, rtol=0, atol=1e-9)
    assert (low < high).all()


def test_two_seeds_and_a_large_effect_warn_of_nothing() -> None:
    # Where the slope is subnormal, Newton's step overflows; warnings are errors in these tests.
    t = np.array([30.0, 98.47160957933774, 1611.9733573881588, 1e12])
    low, high = noncentrality_interval(t, 1, confidence_level=0.95)
    np.testing.assert_allclose(noncentral_t_cdf(t, 1, low), 0.975, rtol=0, atol=1e-9)
    np.testing.assert_allclose(noncentral_t_cdf(t, 1, high), 0.025, rtol=0, atol=1e-9)

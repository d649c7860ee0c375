import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rig.stats.student_t import student_t


def test_equals_scipy_ttest_rel_and_its_interval() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 3, 5, 10, 40):
        base, variant = rng.normal(3.5, 0.1, (n, 6)), rng.normal(3.4, 0.1, (n, 6))
        ours = student_t(variant - base, scale=np.full(6, 4.0), confidence_level=0.9)
        theirs = stats.ttest_rel(variant, base)
        interval = theirs.confidence_interval(0.9)
        for j, result in enumerate(ours):
            assert result.t == pytest.approx(theirs.statistic[j], rel=1e-12)
            assert result.p == pytest.approx(theirs.pvalue[j], rel=1e-12)
            assert result.low == pytest.approx(interval.low[j], rel=1e-12)
            assert result.high == pytest.approx(interval.high[j], rel=1e-12)
            assert result.df == n - 1


def test_by_hand() -> None:
    # Values 1, 2, 3: mean 2, std 1, se 1/sqrt 3, t = 2 sqrt 3, t(2) 97.5% = 4.302652729749.
    (result,) = student_t(np.array([[1.0], [2.0], [3.0]]), scale=np.array([3.0]), confidence_level=0.95)
    assert (result.mean, result.std, result.df) == (2.0, 1.0, 2)
    assert result.t == pytest.approx(2 * 3**0.5, rel=1e-14)
    assert result.high == pytest.approx(2 + 4.302652729749464 / 3**0.5, rel=1e-11)
    # t(2) has the closed distribution 1/2 + t / (2 sqrt(2 + t^2)).
    assert result.p == pytest.approx(1 - result.t / (2 + result.t**2) ** 0.5, rel=1e-12)


def test_one_value_has_a_mean_only() -> None:
    (result,) = student_t(np.array([[0.25]]), scale=np.array([1.0]), confidence_level=0.95)
    assert result.mean == 0.25
    assert (result.std, result.t, result.df, result.p, result.low, result.high) == (None,) * 6
    assert result.reason == "one seed has no spread"


@pytest.mark.parametrize("magnitude", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_t_does_not_depend_on_the_unit_even_at_the_ends_of_the_float_range(magnitude: float) -> None:
    values = np.array([[1.0], [2.0], [4.0]]) * magnitude
    (result,) = student_t(values, scale=np.array([4.0 * magnitude]), confidence_level=0.95)
    assert result.t == pytest.approx(stats.ttest_1samp([1.0, 2.0, 4.0], 0.0).statistic, rel=1e-12)


@settings(deadline=None)
@given(st.lists(st.floats(-10, 10), min_size=3, max_size=6, unique=True), st.randoms(use_true_random=False))
def test_order_of_seeds_does_not_matter(values: list[float], random: object) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    results = [
        student_t(np.array(v)[:, None], scale=np.array([10.0]), confidence_level=0.95)[0]
        for v in (values, shuffled)
    ]
    assert (results[0].t is None) == (results[1].t is None)
    if results[0].t is not None:
        assert results[0].t == pytest.approx(results[1].t, rel=1e-6, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("n_seeds", [3, 5, 10])
def test_interval_of_paired_differences_covers_95_percent(n_seeds: int) -> None:
    n_tests = 20_000
    rng = np.random.default_rng(n_seeds)
    seed_effect = rng.normal(3.5, 0.3, (n_seeds, n_tests))
    base = seed_effect + rng.normal(0, 0.1, (n_seeds, n_tests))
    variant = seed_effect + rng.normal(0.05, 0.1, (n_seeds, n_tests))
    results = student_t(variant - base, scale=np.full(n_tests, 5.0), confidence_level=0.95)
    hits = sum((result.low or 0.0) <= 0.05 <= (result.high or 0.0) for result in results)
    assert stats.binomtest(hits, n_tests, 0.95).pvalue > 1e-4

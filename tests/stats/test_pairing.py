import numpy as np
import pytest
from scipy import stats

from rig.stats.pairing import break_even_correlation, seed_correlation, welch


@pytest.mark.parametrize(
    ("n", "r"),
    [(2, 0.885), (3, 0.584), (4, 0.409), (5, 0.310), (6, 0.249), (8, 0.177), (10, 0.137), (20, 0.065)],
)
def test_break_even_table(n: int, r: float) -> None:
    assert break_even_correlation(n, confidence_level=0.95) == pytest.approx(r, abs=5e-4)


def test_one_pair_has_no_break_even() -> None:
    assert break_even_correlation(1, confidence_level=0.95) is None


def test_correlation_equals_numpy() -> None:
    base, variant = np.random.default_rng(0).normal(size=(2, 5, 3))
    ours = seed_correlation(base, variant)
    assert ours == pytest.approx([np.corrcoef(base[:, j], variant[:, j])[0, 1] for j in range(3)], rel=1e-12)


def test_correlation_is_none_for_two_pairs_or_without_spread() -> None:
    assert seed_correlation(np.array([[1.0], [2.0]]), np.array([[3.0], [5.0]])) == (None,)
    assert seed_correlation(np.full((3, 1), 0.1), np.array([[3.0], [5.0], [4.0]])) == (None,)


@pytest.mark.parametrize("magnitude", [1e-200, 1.0, 1e200])
def test_welch_equals_scipy(magnitude: float) -> None:
    rng = np.random.default_rng(1)
    base, variant = rng.normal(3.0, 1.0, 4), rng.normal(3.5, 0.2, 6)
    ours = welch(base * magnitude, variant * magnitude, confidence_level=0.95)
    theirs = stats.ttest_ind(variant, base, equal_var=False)
    interval = theirs.confidence_interval(0.95)
    assert ours is not None
    assert ours.t == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.df == pytest.approx(theirs.df, rel=1e-12)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-12)
    assert ours.low / magnitude == pytest.approx(interval.low, rel=1e-12)
    assert ours.high / magnitude == pytest.approx(interval.high, rel=1e-12)


def test_welch_is_none_without_spread_or_second_run() -> None:
    assert welch(np.array([1.0]), np.array([1.0, 2.0]), confidence_level=0.95) is None
    assert welch(np.array([1.0, 1.0]), np.array([2.0, 2.0]), confidence_level=0.95) is None

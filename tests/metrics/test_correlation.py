import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rig.metrics.correlation import pearson, spearman, undefined_because

finite = st.floats(-1e3, 1e3, allow_nan=False)
columns = st.lists(st.tuples(finite, finite), min_size=3, max_size=30)


def slow_pearson(x, y):
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    covariance = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    spread = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    return covariance / spread**0.5


def test_hand_worked():
    # Means 2 and 3; products of deviations (-1)(-2) + 0 + (1)(2) = 4; spreads 2 and 8.
    assert pearson([1, 2, 3], [1, 3, 5]) == pytest.approx(1.0, abs=1e-15)
    # Deviations (-1, 0, 1) and (-1, 1, 0): 1 / sqrt(2 x 2).
    assert pearson([1, 2, 3], [1, 3, 2]) == pytest.approx(0.5, abs=1e-15)


def test_spearman_gives_ties_their_mean_rank():
    # Ranks (1.5, 1.5, 3) and (1, 2, 3): covariance 1.5, spreads 1.5 and 2.
    assert spearman([7, 7, 9], [1, 5, 6]) == pytest.approx(1.5 / 3**0.5, abs=1e-15)


def test_spearman_sees_order_only():
    x = [0.1, 0.5, 0.9, 0.95]
    assert spearman(x, np.exp(np.array(x) * 50)) == pytest.approx(1.0, abs=1e-15)
    assert pearson(x, np.exp(np.array(x) * 50)) < 0.95


def test_equal_to_scipy_and_to_a_slow_sum():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 500))
    y += 0.3 * x
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert pearson(x, y) == pytest.approx(slow_pearson(x, y), abs=1e-12)


@given(columns)
def test_is_in_range_symmetric_and_never_nan(rows):
    x, y = zip(*rows, strict=True)
    for correlation in (pearson, spearman):
        value = correlation(x, y)
        if value is not None:
            assert -1.0 <= value <= 1.0
            assert correlation(y, x) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        ([], "needs two items or more, got 0"),
        ([0.5], "needs two items or more, got 1"),
        ([0.5, 0.5, 0.5], r"all 3 predictions are equal \(0.5\)"),
        ([1.0, 1.0 - 1.1e-16, 1.0], r"all 3 predictions are equal \(1\)"),
        ([0.0, 0.0, 0.0], "all 3 predictions are equal"),
    ],
)
def test_undefined_is_none_with_a_reason(x, reason):
    y = [1.0, 2.0, 3.0][: len(x)]
    assert pearson(x, y) is None
    assert spearman(x, y) is None
    assert re.search(reason, undefined_because(x, y))


def test_constant_human_scores_are_named():
    assert undefined_because([1.0, 2.0], [3.0, 3.0]) == "all 2 human scores are equal (3)"


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1.0, 2.0], [1.0], "equal lengths, got 2 and 1"),
        ([1.0, float("nan")], [1.0, 2.0], "must be finite"),
        ([1.0, 2.0], [1.0, float("inf")], "must be finite"),
        ([[1.0, 2.0]], [1.0, 2.0], "one-dimensional"),
    ],
)
def test_bad_input_is_refused(x, y, message):
    with pytest.raises(ValueError, match=message):
        pearson(x, y)

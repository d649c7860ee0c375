import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from rig.core.items import Item
from rig.metrics.pairs import accuracy, mean_of_cells, pair_accuracy, preference

answers = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=40)


def items(predicted, cell="a"):
    return [
        Item(item_id=f"{cell}{i}", cluster_id="", cell=cell, predicted=value, gold=1.0)
        for i, value in enumerate(predicted)
    ]


def test_preference_by_hand():
    right = np.array([-1.0, -2.0, -3.0, -1e300])
    wrong = np.array([-2.0, -2.0, -1.0, -2e300])
    assert preference(right, wrong).tolist() == [1.0, 0.5, 0.0, 1.0]


def test_the_smallest_difference_decides():
    below = math.nextafter(-300.0, -math.inf)
    assert preference(np.array([-300.0]), np.array([below])).tolist() == [1.0]


@given(st.lists(st.tuples(st.floats(-1e6, 0), st.floats(-1e6, 0)), min_size=1))
def test_swapping_the_members_swaps_the_answer(rows):
    right, wrong = (np.array(column) for column in zip(*rows, strict=True))
    assert (preference(right, wrong) + preference(wrong, right) == 1.0).all()


@pytest.mark.parametrize("value", [math.nan, -math.inf, math.inf])
def test_a_score_that_is_not_finite_is_no_answer(value):
    with pytest.raises(ValueError, match="must be finite"):
        preference(np.array([value]), np.array([-1.0]))
    with pytest.raises(ValueError, match="must be finite"):
        preference(np.array([-1.0]), np.array([value]))


def test_unequal_shapes_are_refused():
    with pytest.raises(ValueError, match="shapes must be equal"):
        preference(np.zeros(2), np.zeros(3))


def test_cells_weigh_the_same_whatever_their_size():
    both = items([1.0, 1.0, 1.0, 1.0], "a") + items([0.0, 0.5], "b")
    assert accuracy(both) == pytest.approx(4.5 / 6)
    assert mean_of_cells(both, ["a", "b"]) == (1.0 + 0.25) / 2


def test_an_empty_cell_leaves_no_mean():
    assert mean_of_cells(items([1.0]), ["a", "b"]) is None
    assert mean_of_cells([], ["a"]) is None
    assert mean_of_cells(items([1.0]), []) is None
    assert accuracy([]) is None


@given(answers)
def test_wilson_is_the_published_interval_without_ties(values):
    decided = [value for value in values if value != 0.5] or [1.0]
    result = pair_accuracy(items(decided))
    low, high = proportion_confint(int(sum(decided)), len(decided), method="wilson")
    assert result.low == pytest.approx(low, abs=1e-9)
    assert result.high == pytest.approx(high, abs=1e-9)


def test_wilson_closed_form():
    # z = 1.959964: (p + z2/2n -+ z sqrt(p(1-p)/n + z2/4n2)) / (1 + z2/n) at p = .9, n = 50.
    z2, p, n = 1.959963984540054**2, 0.9, 50
    half = math.sqrt(z2) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    result = pair_accuracy(items([1.0] * 45 + [0.0] * 5))
    assert result.low == pytest.approx((p + z2 / (2 * n) - half) / (1 + z2 / n), abs=1e-12)
    assert result.high == pytest.approx((p + z2 / (2 * n) + half) / (1 + z2 / n), abs=1e-12)


@given(answers)
def test_ties_widen_the_interval_around_the_accuracy(values):
    result = pair_accuracy(items(values))
    assert result.n_ties == values.count(0.5)
    assert 0.0 <= result.low <= result.accuracy <= result.high <= 1.0


def test_all_ties_tell_nothing():
    result = pair_accuracy(items([0.5] * 50))
    assert (result.accuracy, result.low, result.high) == (0.5, 0.0, 1.0)


def test_no_pairs_have_no_accuracy():
    result = pair_accuracy([])
    assert (result.n, result.accuracy, result.low, result.high) == (0, None, None, None)


def test_other_answers_are_refused():
    with pytest.raises(ValueError, match=r"1, 0\.5 or 0"):
        pair_accuracy(items([0.7]))

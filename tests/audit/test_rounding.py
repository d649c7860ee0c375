"""Differences by hand."""

import numpy as np
import pytest

from rig.audit.rounding import Difference


def test_the_worst_is_of_one_token_and_the_mean_over_all_of_all_texts() -> None:
    one = [np.array([-1.0, -2.0]), np.array([-3.0])]
    other = [np.array([-1.5, -2.0]), np.array([-2.8])]
    difference = Difference.between(one, other)
    assert difference.worst == 0.5
    assert difference.mean == pytest.approx((-0.5 + 0.0 + 0.2) / 3)


@pytest.mark.parametrize(
    ("worst", "mean", "is_none", "is_rounding"),
    [
        (0.0, 0.0, True, True),
        (1e-4, 1e-5, True, True),
        (2e-4, 0.0, False, True),
        (0.09, -9e-4, False, True),
        (0.09, 2e-3, False, False),
        (0.11, 0.0, False, False),
    ],
)
def test_what_arithmetic_explains(worst: float, mean: float, is_none: bool, is_rounding: bool) -> None:
    difference = Difference(worst=worst, mean=mean)
    assert (difference.is_none, difference.is_rounding) == (is_none, is_rounding)
    assert ("half precision" in difference.seen) == (not is_none)


def test_no_tokens_do_not_differ() -> None:
    assert Difference.between([], []) == Difference(worst=0.0, mean=0.0)

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.experiment.curve import CurvePoint, choose
from rig.experiment.robustness import robustness


def measure(values, losses, *, scale="log", threshold=0.5):
    points = [
        CurvePoint(index=i, value=value, loss=loss, status="ok" if loss is not None else "diverged", cell="c")
        for i, (value, loss) in enumerate(zip(values, losses, strict=True))
    ]
    choice = choose(points)
    assert choice is not None
    return robustness(points, choice, scale=scale, threshold=threshold)


def test_the_range_is_where_straight_lines_cross_one_percent_above() -> None:
    # Best 1.0 at 0.01; the limit 1.01 is half way to 1.02 below, and a quarter of the way to 1.04 above.
    got = measure([0.001, 0.01, 0.1], [1.02, 1.0, 1.04])
    assert got.low == pytest.approx(10**-2.5)
    assert got.high == pytest.approx(10**-1.75)
    assert got.width == pytest.approx(0.75)
    assert (got.unit, got.reaches_grid_end, got.verdict) == ("decades", False, "robust")


def test_points_within_the_limit_are_passed_over() -> None:
    got = measure([1e-4, 1e-3, 1e-2, 1e-1], [1.03, 1.01, 1.0, 1.02])
    assert got.low == pytest.approx(1e-3)
    assert got.width == pytest.approx(1.5)


def test_a_narrow_optimum_is_fragile_and_the_threshold_is_stated() -> None:
    got = measure([1e-3, 1e-2, 1e-1], [2.0, 1.0, 2.0])
    assert got.width == pytest.approx(0.02)
    assert got.verdict == "fragile"
    assert got.sentence("lr") == (
        "fragile to lr: losses stay within 1% of the best over 0.02 decades, 0.00977 to 0.0102 "
        "(robust from 0.5 decades)"
    )


def test_the_range_stops_before_a_divergence() -> None:
    got = measure([1e-3, 1e-2, 1e-1], [1.02, 1.0, None])
    assert got.high == pytest.approx(1e-2)
    assert got.width == pytest.approx(0.5)
    assert not got.reaches_grid_end


def test_the_grids_end_makes_the_width_a_lower_bound() -> None:
    got = measure([1e-3, 1e-2, 1e-1], [1.005, 1.0, 1.005])
    assert (got.width, got.reaches_grid_end) == (pytest.approx(2.0), True)
    assert "over at least 2.00 decades" in got.sentence("lr")


def test_a_linear_scale_is_measured_in_the_variable() -> None:
    got = measure([0.0, 1.0, 2.0], [1.02, 1.0, 1.02], scale="linear", threshold=1.0)
    assert (got.low, got.high, got.width) == (pytest.approx(0.5), pytest.approx(1.5), pytest.approx(1.0))
    assert "units of bias" in got.sentence("bias")


@given(st.lists(st.floats(0.1, 10), min_size=3, max_size=10))
def test_the_range_holds_the_choice_and_lies_in_the_grid(losses) -> None:
    values = [10.0 ** (index - 5) for index in range(len(losses))]
    got = measure(values, losses)
    best = values[losses.index(min(losses))]
    assert values[0] * (1 - 1e-9) <= got.low <= best * (1 + 1e-9)
    assert best * (1 - 1e-9) <= got.high <= values[-1] * (1 + 1e-9)
    assert got.width == pytest.approx(math.log10(got.high / got.low), abs=1e-9)

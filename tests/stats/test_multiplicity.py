import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from rig.core.errors import DataError
from rig.stats.multiplicity import Holm, holm


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_equals_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values).p == pytest.approx(multipletests(p_values, method="holm")[1], rel=1e-12, abs=1e-300)


def test_by_hand() -> None:
    # 0.01 x 3, 0.02 x 2, 0.04 x 1; the last is raised to the one before it.
    assert holm([0.04, 0.01, 0.02]).p == pytest.approx([0.04, 0.03, 0.04], rel=1e-15)


def test_undefined_tests_leave_the_family() -> None:
    assert holm([0.01, None, 0.5]) == Holm(p=(0.02, None, 0.5), m=2, n_excluded=1)


def test_empty_family() -> None:
    assert holm([]) == Holm(p=(), m=0, n_excluded=0)


def test_sign_flip_floors_can_never_be_significant() -> None:
    # At 3 seeds the smallest sign-flip p is 0.25: of four tests the adjusted one is always 1.
    assert holm([0.25] * 4).p == (1.0,) * 4
    assert min(p for p in holm([0.0625] * 5).p if p is not None) == pytest.approx(0.3125)


@pytest.mark.parametrize("bad", [np.nan, -0.1, 1.5])
def test_impossible_p_is_refused(bad: float) -> None:
    with pytest.raises(DataError, match=r"`p_values\[1\]` must lie in \[0, 1\] or be None"):
        holm([0.5, bad])

import numpy as np
import pytest
from scipy import stats

from rig.core.errors import DataError
from rig.stats.summary import SeedSummary, summarise


def test_equals_scipy() -> None:
    values = np.random.default_rng(0).normal(3.5, 0.1, (5, 2))
    for j, summary in enumerate(summarise(values, confidence_level=0.95)):
        interval = stats.ttest_1samp(values[:, j], 0.0).confidence_interval(0.95)
        assert summary.n_seeds == 5
        assert summary.mean == pytest.approx(values[:, j].mean(), rel=1e-14)
        assert summary.std == pytest.approx(values[:, j].std(ddof=1), rel=1e-12)
        assert (summary.low, summary.high) == pytest.approx((interval.low, interval.high), rel=1e-12)


def test_one_kind_with_one_seed_has_a_mean_only() -> None:
    (summary,) = summarise([[3.5]], confidence_level=0.95)
    assert summary == SeedSummary(
        n_seeds=1, n_missing=0, mean=3.5, std=None, low=None, high=None, reason="one seed has no spread"
    )


def test_missing_seeds_are_counted_and_not_used() -> None:
    present = np.array([[True, False], [True, False], [False, False]])
    first, second = summarise([[1.0, 0.0], [3.0, 0.0], [np.nan, 0.0]], confidence_level=0.95, present=present)
    assert (first.n_seeds, first.n_missing, first.mean, first.std) == (2, 1, 2.0, 2**0.5)
    assert (second.n_seeds, second.mean, second.reason) == (0, None, "no seed has a value")


def test_equal_values_have_no_interval() -> None:
    (summary,) = summarise([[0.995]] * 3, confidence_level=0.95)
    assert (summary.std, summary.low, summary.high, summary.reason) == (0.0, None, None, "zero variance")


def test_nan_is_refused() -> None:
    with pytest.raises(
        DataError, match=r"`values` holds nan at seed row 1, test column 0 .*`values_present`"
    ):
        summarise([[1.0], [np.nan]], confidence_level=0.95)


def test_level_outside_its_range_is_refused() -> None:
    with pytest.raises(
        DataError, match=r"`confidence_level` must lie strictly between 0 and 1, got 95; use 0.95"
    ):
        summarise([[1.0]], confidence_level=95)

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from rig.core.errors import DataError
from rig.stats.proportion import mcnemar, wilson


@pytest.mark.parametrize(("k", "n"), [(0, 100), (100, 100), (7, 20), (1, 1)])
def test_wilson_equals_statsmodels(k: int, n: int) -> None:
    ours = wilson(k, n, confidence_level=0.95)
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx(proportion_confint(k, n, method="wilson"), abs=1e-12)
    assert ours.value == k / n


def test_wilson_keeps_a_width_at_the_bounds() -> None:
    # Closed form at k = n: low = n / (n + z^2).
    ours = wilson(50, 50, confidence_level=0.95)
    assert ours is not None
    assert ours.low == pytest.approx(50 / (50 + stats.norm.ppf(0.975) ** 2), rel=1e-9)


def test_no_items_have_no_proportion() -> None:
    assert wilson(0, 0, confidence_level=0.95) is None


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(DataError, match="need 0 <= successes <= items, got 3 of 2"):
        wilson(3, 2, confidence_level=0.95)
    with pytest.raises(DataError, match="counts must be at least 0, got -1 and 2"):
        mcnemar(-1, 2)


@pytest.mark.parametrize(("only_base", "only_variant", "p"), [(0, 0, 1.0), (0, 5, 0.0625), (1, 5, 14 / 64)])
def test_mcnemar_by_hand(only_base: int, only_variant: int, p: float) -> None:
    assert mcnemar(only_base, only_variant) == pytest.approx(p, rel=1e-12)

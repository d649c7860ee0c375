import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rig.stats.sign_flip import SignFlip, sign_flip


@pytest.mark.parametrize(
    ("n_pairs", "floor"),
    [(1, 1.0), (2, 0.5), (3, 0.25), (4, 0.125), (5, 0.0625), (6, 0.03125), (7, 0.015625)],
)
def test_floor_is_reached_when_all_seeds_agree(n_pairs: int, floor: float) -> None:
    differences = np.arange(1.0, n_pairs + 1)[:, None]
    assert sign_flip(differences) == (SignFlip(p=floor, floor=floor),)


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
def test_equals_enumeration_in_whole_numbers(differences: list[int]) -> None:
    patterns = list(itertools.product((-1, 1), repeat=len(differences)))
    sums = [abs(sum(s * d for s, d in zip(p, differences, strict=True))) for p in patterns]
    expected = sum(total >= abs(sum(differences)) for total in sums) / len(patterns)
    # Tenths are not exact floats: the ties must survive rounding.
    (result,) = sign_flip(np.array(differences)[:, None] / 10)
    assert result is not None
    assert result.p == expected


def test_equals_scipy_permutation_test() -> None:
    differences = np.random.default_rng(0).normal(0.3, 1.0, 9)
    theirs = stats.permutation_test(
        (differences,), lambda x, axis: np.mean(x, axis=axis), permutation_type="samples", vectorized=True
    )
    (result,) = sign_flip(differences[:, None])
    assert result is not None
    assert result.p == pytest.approx(theirs.pvalue, rel=1e-12)


def test_all_zero_gives_one() -> None:
    (result,) = sign_flip(np.zeros((5, 1)))
    assert result == SignFlip(p=1.0, floor=0.0625)


def test_twenty_pairs_are_enumerated_and_twenty_one_are_not() -> None:
    assert sign_flip(np.ones((20, 1))) == (SignFlip(p=2.0**-19, floor=2.0**-19),)
    assert sign_flip(np.ones((21, 2))) == (None, None)


@pytest.mark.parametrize("magnitude", [1e-300, 1e300])
def test_unit_does_not_matter(magnitude: float) -> None:
    differences = np.array([[3.0], [-1.0], [2.0], [2.0]])
    assert sign_flip(differences * magnitude) == sign_flip(differences)

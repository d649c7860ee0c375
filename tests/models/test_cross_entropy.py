"""Log-probabilities by hand and at extremes; the training loss is tested in test_network."""

import math

import numpy as np
import pytest

from rig.models.cross_entropy import target_logprobs

EVERYTHING = slice(None)


def test_logprobs_by_hand() -> None:
    """Logits log 1, log 2, log 5: probabilities 1/8, 2/8, 5/8."""
    head = np.log(np.array([[1.0, 2.0, 5.0]]))
    x = np.ones((3, 1))
    found = target_logprobs(x, head, np.array([0, 1, 2]), rows=EVERYTHING)
    assert found == pytest.approx(np.log([1 / 8, 2 / 8, 5 / 8]), rel=1e-14)
    assert found.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extreme_logits_neither_overflow_nor_lose_the_small_probability(dtype: type) -> None:
    head: np.ndarray = np.array([[200.0, -200.0, 0.0]]).astype(dtype)
    found = target_logprobs(np.ones((3, 1), dtype), head, np.array([0, 1, 2]), rows=EVERYTHING)
    assert found.tolist() == [0.0, -400.0, -200.0]


def test_equal_logits_are_a_uniform_guess_over_a_large_vocabulary() -> None:
    """float32 sums of 50,000 ones would be exact; the shifted ones below are not."""
    head = np.full((1, 50_000), 3.3, np.float32)
    found = target_logprobs(np.ones((2, 1), np.float32), head, np.array([0, 49_999]), rows=EVERYTHING)
    assert found == pytest.approx(-math.log(50_000), rel=1e-15)


def test_rows_choose_positions_and_change_no_bit() -> None:
    rng = np.random.default_rng(0)
    x, head = rng.normal(size=(9, 4)).astype(np.float32), rng.normal(size=(4, 30)).astype(np.float32)
    targets = rng.integers(0, 30, size=9)
    whole = target_logprobs(x, head, targets, rows=EVERYTHING)
    part = target_logprobs(x, head, targets[3:5], rows=slice(3, 5))
    assert part.tolist() == whole[3:5].tolist()

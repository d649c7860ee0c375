"""Each piece against its formula, and its backward pass against central differences."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from rig.models.layers import (
    gelu,
    gelu_backward,
    normalise,
    normalise_backward,
    row_dot,
    softmax_,
    softmax_backward_,
)

Function = Callable[[np.ndarray], np.ndarray]


def inputs(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.3, 1.5, (4, 6))


def numerical(function: Function, x: np.ndarray, d_out: np.ndarray) -> np.ndarray:
    """Central differences of sum(function(x) * d_out)."""
    h, gradient = 1e-6, np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[index] = h
        gradient[index] = ((function(x + step) - function(x - step)) * d_out).sum() / (2 * h)
    return gradient


def normalised(x: np.ndarray) -> np.ndarray:
    out = np.empty_like(x)
    normalise(x, out=out)
    return out


def activated(u: np.ndarray) -> np.ndarray:
    out = np.empty_like(u)
    gelu(u, tanh=np.empty_like(u), out=out)
    return out


def shares(scores: np.ndarray) -> np.ndarray:
    out = scores.copy()
    softmax_(out)
    return out


def test_normalise_by_hand_uses_the_population_variance() -> None:
    x = np.array([[1.0, 3.0]])
    out = np.empty_like(x)
    scale = normalise(x, out=out)
    assert scale[0, 0] == pytest.approx(1 / math.sqrt(1 + 1e-5), rel=1e-15)
    assert out[0] == pytest.approx([-scale[0, 0], scale[0, 0]], rel=1e-15)


def test_a_constant_row_normalises_to_zero() -> None:
    assert not normalised(np.full((2, 5), 4.0)).any()


def test_gelu_by_hand() -> None:
    expected = 0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * 1.044715))
    assert activated(np.array([1.0, 0.0, -1.0, 40.0, -40.0])) == pytest.approx(
        [expected, 0.0, -(1 - expected), 40.0, 0.0], rel=1e-14
    )


def test_softmax_by_hand_with_scores_that_would_overflow_and_masked_ones() -> None:
    scores = np.array([[1000.0 + math.log(3), 1000.0, -np.inf]])
    assert shares(scores)[0] == pytest.approx([0.75, 0.25, 0.0], rel=1e-12)


def test_row_dot_keeps_the_axis() -> None:
    assert row_dot(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0], [7.0, 8.0]])).tolist() == [
        [17],
        [53],
    ]


def test_normalise_backward_adds_to_the_gradient() -> None:
    x, d_out = inputs(), inputs(1)
    y = np.empty_like(x)
    scale = normalise(x, out=y)
    d_x = np.full_like(x, 2.0)
    normalise_backward(d_out.copy(), y, scale, scratch=np.empty_like(x), d_x=d_x)
    np.testing.assert_allclose(d_x - 2.0, numerical(normalised, x, d_out), atol=1e-8)


def test_gelu_backward() -> None:
    u, d_out = inputs(), inputs(1)
    expected = numerical(activated, u, d_out)
    tanh = np.empty_like(u)
    gelu(u, tanh=tanh, out=np.empty_like(u))
    gradient = d_out.copy()
    gelu_backward(gradient, u, tanh, scratch=np.empty_like(u))
    np.testing.assert_allclose(gradient, expected, atol=1e-8)


def test_softmax_backward() -> None:
    scores, d_out = inputs(), inputs(1)
    gradient = d_out.copy()
    softmax_backward_(gradient, shares(scores))
    np.testing.assert_allclose(gradient, numerical(shares, scores, d_out), atol=1e-8)

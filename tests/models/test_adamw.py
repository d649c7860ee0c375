"""AdamW against hand-worked steps and against the textbook loop."""

import math

import numpy as np
import pytest

from rig.models.adamw import AdamW, AdamWSettings

PLAIN = AdamWSettings(weight_decay=0.0, beta1=0.9, beta2=0.95, eps=1e-8, clip_norm=1e9)


def test_the_first_step_moves_each_weight_by_the_learning_rate_against_its_gradient() -> None:
    p = np.array([1.0, 1.0, 1.0])
    norm = AdamW(p, PLAIN).step(np.array([3.0, -4.0, 0.0]), lr=0.1)
    assert norm == 5.0
    np.testing.assert_allclose(p, [0.9, 1.1, 1.0], rtol=1e-8)


def test_decay_is_apart_from_the_gradient() -> None:
    settings = AdamWSettings(weight_decay=0.5, beta1=0.9, beta2=0.95, eps=1e-8, clip_norm=1.0)
    p = np.array([2.0, -8.0])
    AdamW(p, settings).step(np.zeros(2), lr=0.1)
    np.testing.assert_allclose(p, [2.0 * 0.95, -8.0 * 0.95], rtol=1e-15)


def test_many_steps_are_those_of_the_textbook_also_over_several_chunks() -> None:
    rng = np.random.default_rng(0)
    settings = AdamWSettings(weight_decay=0.1, beta1=0.8, beta2=0.9, eps=1e-3, clip_norm=20.0)
    p = rng.normal(size=40_000)
    expected, mean, square = p.copy(), np.zeros_like(p), np.zeros_like(p)
    optimiser = AdamW(p, settings)
    n_clipped = 0
    for t in range(1, 6):
        gradient = rng.normal(size=p.size) * (1.0 if t % 2 else 1e-3)
        lr = 0.01 * t
        norm = math.sqrt(float((gradient**2).sum()))
        n_clipped += norm > 20.0
        clipped = gradient * min(1.0, 20.0 / (norm + 1e-6))
        mean = 0.8 * mean + 0.2 * clipped
        square = 0.9 * square + 0.1 * clipped**2
        expected *= 1 - lr * 0.1
        expected -= lr * (mean / (1 - 0.8**t)) / (np.sqrt(square / (1 - 0.9**t)) + 1e-3)
        assert optimiser.step(gradient.copy(), lr=lr) == pytest.approx(norm, rel=1e-12)
    assert n_clipped == 3
    np.testing.assert_allclose(p, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_gradient_that_is_not_finite_changes_nothing_and_is_told(bad: float) -> None:
    p = np.ones(3)
    norm = AdamW(p, PLAIN).step(np.array([1.0, bad, 0.0]), lr=0.1)
    assert not math.isfinite(norm)
    np.testing.assert_array_equal(p, np.ones(3))

"""The forward pass against loops, and against the reference encoder."""

import math

import numpy as np
import pytest

from rig.models.transformer import Tensors, Transformer


def weights(
    rng: np.random.Generator, *, n_layers: int, vocab: int = 7, d: int = 6, context: int = 5
) -> Tensors:
    return Tensors(
        emb=rng.normal(0, 1, (vocab, d)),
        pos=rng.normal(0, 1, (context, d)),
        blocks=rng.normal(0, 0.6, (n_layers, 6, d, d)),
        head=rng.normal(0, 1, (d, vocab)),
    )


def slow_forward(
    w: Tensors, ids: list[int], *, n_heads: int, causal: bool, bias: np.ndarray
) -> list[list[float]]:
    """One sequence, number by number, from the specification's text."""
    d = w.emb.shape[1]
    width = d // n_heads

    def times(row: list[float], matrix: np.ndarray) -> list[float]:
        return [sum(row[i] * float(matrix[i, j]) for i in range(d)) for j in range(matrix.shape[1])]

    def norm(row: list[float]) -> list[float]:
        mean = sum(row) / d
        variance = sum((value - mean) ** 2 for value in row) / d
        return [(value - mean) / math.sqrt(variance + 1e-5) for value in row]

    def gelu(u: float) -> float:
        return 0.5 * u * (1 + math.tanh(math.sqrt(2 / math.pi) * (u + 0.044715 * u**3)))

    x = [[float(w.emb[token, j] + w.pos[t, j]) for j in range(d)] for t, token in enumerate(ids)]
    for w_q, w_k, w_v, w_o, w_mlp1, w_mlp2 in w.blocks:
        normed = [norm(row) for row in x]
        q, k, v = ([times(row, m) for row in normed] for m in (w_q, w_k, w_v))
        for t in range(len(ids)):
            attended = []
            for head in range(n_heads):
                chunk = range(head * width, (head + 1) * width)
                keys = range(t + 1 if causal else len(ids))
                scores = [
                    sum(q[t][i] * k[s][i] for i in chunk) / math.sqrt(width) + float(bias[t, s]) for s in keys
                ]
                shares = [math.exp(score - max(scores)) for score in scores]
                attended += [sum(p * v[s][i] for s, p in enumerate(shares)) / sum(shares) for i in chunk]
            x[t] = [a + b for a, b in zip(x[t], times(attended, w_o), strict=True)]
        for t in range(len(ids)):
            hidden = [gelu(u) for u in times(norm(x[t]), w_mlp1)]
            x[t] = [a + b for a, b in zip(x[t], times(hidden, w_mlp2), strict=True)]
    return x


@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n_layers", [0, 1, 3])
@pytest.mark.parametrize("n_heads", [1, 3])
def test_states_are_those_of_plain_loops(n_layers: int, n_heads: int, causal: bool, record: bool) -> None:
    rng = np.random.default_rng(n_layers)
    w = weights(rng, n_layers=n_layers)
    ids = rng.integers(0, 7, size=(3, 4))
    bias = rng.normal(0, 1, (3, 4, 4))
    model = Transformer(n_heads=n_heads, causal=causal, dtype=np.float64)
    states = model.forward(w, ids, attention_bias=bias, record=record)
    for row in range(3):
        expected = slow_forward(w, ids[row].tolist(), n_heads=n_heads, causal=causal, bias=bias[row])
        np.testing.assert_allclose(states[row], expected, rtol=1e-11, atol=1e-11)


def test_states_of_all_layers_are_copies_in_order() -> None:
    rng = np.random.default_rng(0)
    w = weights(rng, n_layers=2)
    ids = rng.integers(0, 7, size=(2, 5))
    model = Transformer(n_heads=2, causal=True, dtype=np.float64)
    states: list[np.ndarray] = []
    last = model.forward(w, ids, states=states).copy()
    assert len(states) == 3
    np.testing.assert_array_equal(states[0], w.emb[ids] + w.pos[:5])
    np.testing.assert_array_equal(states[2], last)
    one_block = Tensors(emb=w.emb, pos=w.pos, blocks=w.blocks[:1], head=w.head)
    np.testing.assert_allclose(states[1], model.forward(one_block, ids), rtol=1e-13)


def test_without_the_mask_it_is_the_reference_encoder() -> None:
    mlm = pytest.importorskip("rig.reference.mlm")
    rng = np.random.default_rng(8)
    w = weights(rng, n_layers=2)
    ids = rng.integers(0, 7, size=(40, 5))
    states = Transformer(n_heads=2, causal=False, dtype=np.float64).forward(w, ids)
    best = (states @ w.head).argmax(axis=-1)
    gold = np.where(rng.random(best.shape) < 0.5, best, (best + 1) % 7)
    arguments = (w.emb, w.pos, w.blocks, w.head, 2)
    everywhere = np.ones(ids.shape)
    assert mlm.mlm_eval_accuracy(ids.astype(float), best.astype(float), everywhere, *arguments) == 1.0
    accuracy = mlm.mlm_eval_accuracy(ids.astype(float), gold.astype(float), everywhere, *arguments)
    assert accuracy == (best == gold).mean()

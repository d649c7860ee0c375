"""Masked accuracy of a small bidirectional transformer, in plain float64, to test fast kernels against.

The model is a simplified pre-normalised transformer: no biases, no learned normalisation, no dropout, no
final normalisation, attention over all positions of an example.
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

_VARIANCE_FLOOR = 1e-5
_SELECTED_ABOVE = 0.5


def mlm_eval_accuracy(
    input_ids: npt.ArrayLike,
    original_ids: npt.ArrayLike,
    mask_indicator: npt.ArrayLike,
    w_emb: npt.ArrayLike,
    pos_embed: npt.ArrayLike,
    blocks_weights: npt.ArrayLike,
    w_head: npt.ArrayLike,
    num_heads: int,
) -> float:
    """Share of the selected positions where the highest-scoring vocabulary item is the original token.

    Total correct over total selected in the whole batch, never a mean of examples; ties go to the lowest
    index. The inputs are left unchanged.

    Args:
        input_ids: (N, T) token ids, possibly corrupted; integers, or floats that hold integers, in [0, V).
        original_ids: (N, T) token ids before corruption.
        mask_indicator: (N, T) a position counts where its value is strictly greater than 0.5.
        w_emb: (V, D) token embeddings.
        pos_embed: (T, D) position embeddings.
        blocks_weights: (L, 6, D, D) per block w_q, w_k, w_v, w_o, w_mlp1, w_mlp2; L may be 0.
        w_head: (D, V) projection to the vocabulary.
        num_heads: Attention heads; divides D.

    Returns:
        In [0, 1]; 0.0 when nothing is selected, which is a convention and not a score.

    Raises:
        ValueError: A shape doesn't fit, a number is not finite, or an id is no integer in [0, V); of the
            originals only selected ids matter.
    """
    embeddings = _matrix("w_emb", w_emb)
    n_vocab, d_model = embeddings.shape
    head = _matrix("w_head", w_head, (d_model, n_vocab))
    selected = _matrix("mask_indicator", mask_indicator) > _SELECTED_ABOVE
    positions = _matrix("pos_embed", pos_embed, (selected.shape[1], d_model))
    inputs = _ids("input_ids", _matrix("input_ids", input_ids, selected.shape), n_vocab)
    targets = _ids("original_ids", _matrix("original_ids", original_ids, selected.shape)[selected], n_vocab)
    if num_heads < 1 or d_model % num_heads:
        raise ValueError(f"`num_heads` must divide D = {d_model}, got {num_heads}")

    x = embeddings[inputs] + positions
    for index, block in enumerate(_finite("blocks_weights", blocks_weights)):
        _require_shape(f"blocks_weights[{index}]", block, (6, d_model, d_model))
        x = _block(x, block, num_heads)

    if not len(targets):
        return 0.0
    predicted = _logits(x[selected], head).argmax(axis=1)  # the first of equals
    return int((predicted == targets).sum()) / len(targets)


def _block(x: Floats, weights: Floats, num_heads: int) -> Floats:
    """One block on (N, T, D): x + attention(norm(x)), then + mlp(norm(.))."""
    w_q, w_k, w_v, w_o, w_mlp1, w_mlp2 = weights
    normed = _normalise(x)
    x = x + _attention(normed @ w_q, normed @ w_k, normed @ w_v, num_heads) @ w_o
    return np.asarray(x + _gelu(_normalise(x) @ w_mlp1) @ w_mlp2)


def _normalise(x: Floats) -> Floats:
    """Zero mean and unit population variance over the features of each token."""
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = np.square(centred).mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt(variance + _VARIANCE_FLOOR))


def _attention(q: Floats, k: Floats, v: Floats, num_heads: int) -> Floats:
    """Softmax(Q K^T / sqrt(d_head)) V for each head, the heads' features back in their order: (N, T, D)."""
    n_examples, n_positions, d_model = q.shape
    d_head = d_model // num_heads

    def by_head(projected: Floats) -> Floats:
        return projected.reshape(n_examples, n_positions, num_heads, d_head).transpose(0, 2, 1, 3)

    scores = by_head(q) @ by_head(k).transpose(0, 1, 3, 2) / np.sqrt(d_head)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    mixed = np.asarray(weights @ by_head(v))
    return mixed.transpose(0, 2, 1, 3).reshape(n_examples, n_positions, d_model)


def _gelu(u: Floats) -> Floats:
    return np.asarray(0.5 * u * (1 + np.tanh(np.sqrt(2 / np.pi) * (u + 0.044715 * u**3))))


def _logits(states: Floats, head: Floats) -> Floats:
    """(n, D) x (D, V), each sum in feature order.

    A BLAS product may add the columns of one call in different orders, and two equal columns of the head
    would no longer tie.
    """
    logits = np.zeros((len(states), head.shape[1]))
    for feature, weights in zip(states.T, head, strict=True):
        logits += feature[:, None] * weights
    return logits


def _ids(name: str, array: Floats, n_vocab: int) -> Ids:
    outside = ~((array >= 0) & (array < n_vocab) & (array == np.floor(array)))
    if outside.any():
        raise ValueError(f"`{name}` must hold integers in [0, {n_vocab}), got {array[outside][0]}")
    return array.astype(np.int64)


def _matrix(name: str, values: npt.ArrayLike, shape: tuple[int, ...] | None = None) -> Floats:
    array = _finite(name, values)
    if array.ndim != 2:
        raise ValueError(f"`{name}` must have two dimensions, got shape {array.shape}")
    if shape is not None:
        _require_shape(name, array, shape)
    return array


def _finite(name: str, values: npt.ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"`{name}` must be finite")
    return array


def _require_shape(name: str, array: Floats, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"`{name}` must have shape {shape}, got {array.shape}")

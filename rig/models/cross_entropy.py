"""Cross-entropy over the vocabulary: the training loss with its gradient, and scores of targets."""

import numpy as np
import numpy.typing as npt

from rig.models.buffers import Buffers
from rig.models.parameters import Array

_ROWS = 128
"""Rows of logits at once: few enough to stay in a core's cache, many enough for a fast product."""


def cross_entropy(
    x: Array,
    head: Array,
    targets: npt.NDArray[np.int64],
    *,
    weights: Array | None = None,
    d_x: Array,
    d_head: Array,
    buffers: Buffers,
) -> float:
    """Weighted sum of negative log-probabilities, nats, and its gradient.

    Args:
        x: (N, D) states.
        head: (D, V)
        targets: (N,) vocabulary indices.
        weights: (N,) of each position in the sum; None for the mean (1 / N each). Zero leaves one out.
        d_x: (N, D) receives the gradient in `x`.
        d_head: (D, V) receives the gradient in `head`.
        buffers: Working memory.

    Returns:
        The loss, summed in float64.
    """
    n_rows = len(x)
    row_weights = np.full(n_rows, 1.0 / n_rows, x.dtype) if weights is None else weights
    part = buffers.get("d_head_part", d_head.shape)
    loss = 0.0
    for start in range(0, n_rows, _ROWS):
        rows = slice(start, min(start + _ROWS, n_rows))
        logits = buffers.get("logits", (rows.stop - start, head.shape[1]))
        np.matmul(x[rows], head, out=logits)
        logits -= logits.max(axis=-1, keepdims=True)
        chosen = np.arange(len(logits)), targets[rows]
        target_logits = logits[chosen]
        np.exp(logits, out=logits)
        total = logits.sum(axis=-1)
        weight = row_weights[rows]
        loss += float(np.sum((np.log(total) - target_logits) * weight, dtype=np.float64))
        logits *= (weight / total)[:, None]  # from here on: the gradient in the logits
        logits[chosen] -= weight
        np.matmul(logits, head.T, out=d_x[rows])
        if start == 0:
            np.matmul(x[rows].T, logits, out=d_head)
        else:
            d_head += np.matmul(x[rows].T, logits, out=part)
    return loss


def target_logprobs(
    x: Array, head: Array, targets: npt.NDArray[np.int64], *, rows: slice
) -> npt.NDArray[np.float64]:
    """Log-probability of some positions' targets, nats, accumulated in float64.

    All of `x` is multiplied whatever `rows` are, so that a row's bits do not
    depend on which others are asked for.

    Args:
        x: (N, D) states.
        head: (D, V)
        targets: (n_rows,) vocabulary indices, one for each of `rows`.
        rows: The positions to score.

    Returns:
        (n_rows,) as `chosen_logprobs` gives them.
    """
    return chosen_logprobs((x @ head)[rows], targets)


def chosen_logprobs(logits: Array, targets: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Log-probability of one vocabulary item in each row of logits, nats, accumulated in float64.

    Args:
        logits: (n_rows, V) destroyed.
        targets: (n_rows,) vocabulary indices.

    Returns:
        (n_rows,) values <= 0, rounding above zero cut off; not finite where the logits are not.
    """
    peak = logits.max(axis=-1, keepdims=True)
    target_logits = logits[np.arange(len(logits)), targets].astype(np.float64)
    logits -= peak
    np.exp(logits, out=logits)
    log_total = np.log(logits.sum(axis=-1, dtype=np.float64)) + peak[:, 0]
    logprobs: npt.NDArray[np.float64] = np.minimum(target_logits - log_total, 0.0)
    return logprobs

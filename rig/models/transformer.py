"""The simplified pre-normalised transformer, in numpy, with a hand-written backward pass.

A block adds attention over the normalised states, then a GELU layer over the normalised states:

    x += softmax(q k' / sqrt(d_head) + bias) v w_o     with q, k, v = norm(x) w_q, norm(x) w_k, norm(x) w_v
    x += gelu(norm(x) w_mlp1) w_mlp2

No biases, no learned normalisation parameters, no dropout, and no normalisation after the last block: the
logits are `x @ head`. `causal` adds a mask to the attention and changes nothing else; without it this is the
masked-language-model encoder of `rig.reference.mlm`.

A pass that is recorded for training multiplies all sequences as one matrix, which is fastest. Otherwise each
sequence is a product of its own, and its bits cannot depend on what it is batched with.
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from rig.models.buffers import Buffers
from rig.models.layers import (
    gelu,
    gelu_backward,
    normalise,
    normalise_backward,
    softmax_,
    softmax_backward_,
)
from rig.models.parameters import Array

Q, K, V, OUT, MLP1, MLP2 = range(6)
"""Where a block's six matrices stand."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Tensors:
    """Weights that the transformer computes with, or the gradients in them."""

    emb: Array
    """(V, D) a token's embedding."""
    pos: Array
    """(T, D) a position's embedding."""
    blocks: Array
    """(L, 6, D, D) per block: w_q, w_k, w_v, w_o, w_mlp1, w_mlp2."""
    head: Array
    """(D, V) projection to the vocabulary."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _BlockTape:
    """What one block's backward pass needs of its forward pass. The query holds 1 / sqrt(d_head)."""

    attention_input: Array
    attention_scale: Array
    qkv: Array
    probabilities: Array
    attended: Array
    mlp_input: Array
    mlp_scale: Array
    u: Array
    tanh: Array
    activated: Array


@final
class Transformer:
    """The blocks' arithmetic. It holds working memory and no weights; not safe for several threads."""

    def __init__(self, *, n_heads: int, causal: bool, dtype: npt.DTypeLike = np.float32) -> None:
        self.n_heads = n_heads
        self.causal = causal
        self._buffers = Buffers(dtype)
        self._mask = np.zeros((0, 0), dtype)
        self._tape: list[_BlockTape] = []

    def forward(
        self,
        weights: Tensors,
        ids: npt.NDArray[np.int64],
        *,
        attention_bias: Array | None = None,
        states: list[Array] | None = None,
        record: bool = False,
    ) -> Array:
        """The states after the last block.

        Args:
            weights: Of any number of blocks, also none.
            ids: (B, T) vocabulary indices; T may be less than the context.
            attention_bias: (B, T, T) added to the attention scores of every head, query by key.
            states: Receives L + 1 copies of the states: the input's, and those after each block.
            record: Keep what `backward` needs, and multiply all sequences at once.

        Returns:
            (B, T, D); overwritten by the next call.
        """
        n_sequences, length = ids.shape
        x = self._buffers.get("x", (n_sequences, length, weights.emb.shape[1]))
        np.take(weights.emb, ids, axis=0, out=x, mode="clip")  # "clip" writes to `out` without a copy
        x += weights.pos[:length]
        bias = self._attention_bias(length, attention_bias)
        self._tape.clear()
        stacked = x.reshape(1, n_sequences * length, -1) if record else x
        if states is not None:
            states.append(x.copy())
        for layer, block in enumerate(weights.blocks):
            tape = self._block(stacked, block, bias, ids.shape, f"{layer}." if record else "")
            if record:
                self._tape.append(tape)
            if states is not None:
                states.append(x.copy())
        return x

    def backward(self, weights: Tensors, ids: npt.NDArray[np.int64], d_x: Array, gradients: Tensors) -> None:
        """Gradients of the last recorded forward pass in blocks, positions and embeddings.

        Args:
            weights: As in the forward pass.
            ids: As in the forward pass.
            d_x: (B, T, D) gradient in the last states; destroyed.
            gradients: `blocks`, `pos` and `emb` are overwritten; `head` is left alone.
        """
        stacked = d_x.reshape(1, -1, d_x.shape[-1])
        for layer in reversed(range(len(weights.blocks))):
            tape = self._tape.pop()
            self._block_backward(stacked, weights.blocks[layer], gradients.blocks[layer], tape, ids.shape)
        gradients.pos[...] = 0.0
        d_x.sum(axis=0, out=gradients.pos[: ids.shape[1]])
        gradients.emb[...] = 0.0
        np.add.at(gradients.emb, ids.ravel(), stacked[0])

    def _block(
        self, x: Array, w: Array, bias: Array | None, shape: tuple[int, int], prefix: str
    ) -> _BlockTape:
        get = self._buffers.get
        h = get(f"{prefix}attention_input", x.shape)
        h_scale = normalise(x, out=h)
        qkv = get(f"{prefix}qkv", (3, *x.shape))
        for index in (Q, K, V):
            np.matmul(h, w[index], out=qkv[index])
        qkv[Q] *= 1.0 / math.sqrt(x.shape[-1] // self.n_heads)  # here it costs T/d_head times less than below
        q, k, v = (self._heads(matrix, shape) for matrix in qkv)
        probabilities = get(f"{prefix}probabilities", (shape[0], self.n_heads, shape[1], shape[1]))
        np.matmul(q, k.swapaxes(-1, -2), out=probabilities)
        if bias is not None:
            probabilities += bias
        softmax_(probabilities)
        attended = get(f"{prefix}attended", x.shape)
        np.matmul(probabilities, v, out=self._heads(attended, shape))
        projected = get("projected", x.shape)
        x += np.matmul(attended, w[OUT], out=projected)

        h2 = get(f"{prefix}mlp_input", x.shape)
        h2_scale = normalise(x, out=h2)
        u = np.matmul(h2, w[MLP1], out=get(f"{prefix}u", x.shape))
        tanh, activated = get(f"{prefix}tanh", x.shape), get(f"{prefix}activated", x.shape)
        gelu(u, tanh=tanh, out=activated)
        x += np.matmul(activated, w[MLP2], out=projected)
        return _BlockTape(
            attention_input=h,
            attention_scale=h_scale,
            qkv=qkv,
            probabilities=probabilities,
            attended=attended,
            mlp_input=h2,
            mlp_scale=h2_scale,
            u=u,
            tanh=tanh,
            activated=activated,
        )

    def _block_backward(
        self, d_x: Array, w: Array, gradient: Array, tape: _BlockTape, shape: tuple[int, int]
    ) -> None:
        get = self._buffers.get
        d_states, scratch = get("d_states", d_x.shape), get("scratch", d_x.shape)

        np.matmul(tape.activated[0].T, d_x[0], out=gradient[MLP2])
        np.matmul(d_x, w[MLP2].T, out=d_states)
        gelu_backward(d_states, tape.u, tape.tanh, scratch=scratch)
        np.matmul(tape.mlp_input[0].T, d_states[0], out=gradient[MLP1])
        d_input = np.matmul(d_states, w[MLP1].T, out=get("d_input", d_x.shape))
        normalise_backward(d_input, tape.mlp_input, tape.mlp_scale, scratch=scratch, d_x=d_x)

        np.matmul(tape.attended[0].T, d_x[0], out=gradient[OUT])
        d_attended = self._heads(np.matmul(d_x, w[OUT].T, out=d_states), shape)
        d_qkv = get("d_qkv", tape.qkv.shape)
        q, k, v = (self._heads(matrix, shape) for matrix in tape.qkv)
        d_q, d_k, d_v = (self._heads(matrix, shape) for matrix in d_qkv)
        np.matmul(tape.probabilities.swapaxes(-1, -2), d_attended, out=d_v)
        d_scores = get("d_scores", tape.probabilities.shape)
        np.matmul(d_attended, v.swapaxes(-1, -2), out=d_scores)
        softmax_backward_(d_scores, tape.probabilities)
        np.matmul(d_scores, k, out=d_q)
        np.matmul(d_scores.swapaxes(-1, -2), q, out=d_k)
        d_qkv[Q] *= 1.0 / math.sqrt(d_x.shape[-1] // self.n_heads)
        for index in (Q, K, V):
            np.matmul(tape.attention_input[0].T, d_qkv[index, 0], out=gradient[index])
        np.matmul(d_qkv[Q], w[Q].T, out=d_input)
        for index in (K, V):
            d_input += np.matmul(d_qkv[index], w[index].T, out=scratch)
        normalise_backward(d_input, tape.attention_input, tape.attention_scale, scratch=scratch, d_x=d_x)

    def _heads(self, x: Array, shape: tuple[int, int]) -> Array:
        """A view of (..., D) states as (B, H, T, d_head): consecutive chunks of features."""
        return x.reshape(*shape, self.n_heads, -1).swapaxes(1, 2)

    def _attention_bias(self, length: int, attention_bias: Array | None) -> Array | None:
        """Mask and bias together, broadcastable to (B, H, T, T); None if there is neither."""
        bias = None if attention_bias is None else attention_bias[:, None]
        if not self.causal:
            return bias
        if len(self._mask) != length:
            self._mask = np.triu(np.full((length, length), -np.inf, self._buffers.dtype), 1)
        return self._mask if bias is None else bias + self._mask

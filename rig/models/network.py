"""A transformer with its trained tensors: initial weights, loss with gradient, and states to read from."""

import math
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.seeding import stream
from rig.models.buffers import Buffers
from rig.models.cross_entropy import cross_entropy
from rig.models.masha import MorphemicPrior
from rig.models.parameters import Array, Parameters
from rig.models.transformer import MLP2, OUT, K, Q, Tensors, Transformer

_TABLE_STD = 0.02
_LOCAL_POSITION_STD = 0.1
_SHORTEST_WAVE = 4


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """The numbers that fix the shapes of a transformer."""

    vocab_size: int
    d_model: int
    """Features of a state; divisible by `n_heads`."""
    n_layers: int
    """Blocks; may be 0."""
    n_heads: int
    context: int
    """Inputs that the model sees at once."""

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The baseline's trained tensors, by the names of `Tensors`."""
        return {
            "emb": (self.vocab_size, self.d_model),
            "pos": (self.context, self.d_model),
            "blocks": (self.n_layers, 6, self.d_model, self.d_model),
            "head": (self.d_model, self.vocab_size),
        }


@final
class Network:
    """Weights, and what can be computed with them. Not safe for several threads.

    Attributes:
        architecture: Its shapes.
        prior: The morphemic prior; None for the baseline.
        causal: Whether a position sees only those before it and itself.
        parameters: All trained tensors, those of the morphemic prior included.
        gradients: Where `loss_and_gradient` leaves them, laid out as the parameters.
    """

    def __init__(
        self,
        architecture: Architecture,
        *,
        prior: MorphemicPrior | None = None,
        causal: bool = True,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        self.architecture = architecture
        self.prior = prior
        self.causal = causal
        self._transformer = Transformer(n_heads=architecture.n_heads, causal=causal, dtype=dtype)
        self._buffers = Buffers(dtype)
        extra = {} if prior is None else prior.shapes(architecture.d_model)
        self.parameters = Parameters({**architecture.shapes(), **extra}, dtype)
        self.gradients = self.parameters.zeros_like()

    def initialise(self, seed: int) -> None:
        """Draw the initial weights. Each tensor has its own stream, so kinds share what they have in common.

        Embeddings and the head are normal with deviation 0.02, so that the first guess is nearly uniform; the
        blocks' matrices with 1 / sqrt(D), the two of a block that add to the states smaller by sqrt(2 L), as
        in GPT-2. Morpheme tables are zero.

        Without causal mask attention begins local: positions are sines and cosines (Vaswani et al. 2017) of
        deviation 0.1 with wavelengths from 4 to twice the context, and keys begin as the queries, so that a
        position first attends to those near it. From random positions a masked model of this size finds its
        neighbours late or never.
        """
        d_model, n_layers = self.architecture.d_model, self.architecture.n_layers
        for name in self.architecture.shapes():
            rng = stream(seed, "initial weights", name)
            tensor = self.parameters[name]
            deviation = d_model**-0.5 if name == "blocks" else _TABLE_STD
            tensor[...] = rng.standard_normal(tensor.shape) * deviation
        if n_layers:
            self.parameters["blocks"][:, [OUT, MLP2]] *= 1.0 / math.sqrt(2 * n_layers)
        if not self.causal:
            self._begin_local()

    def _begin_local(self) -> None:
        pos, blocks = self.parameters["pos"], self.parameters["blocks"]
        n_positions, d_model = pos.shape
        wavelengths = np.geomspace(_SHORTEST_WAVE, 2 * n_positions, (d_model + 1) // 2)
        angle = 2 * math.pi * np.arange(n_positions)[:, None] / wavelengths
        waves = np.stack([np.sin(angle), np.cos(angle)], axis=2).reshape(n_positions, -1)
        pos[...] = waves[:, :d_model] * (_LOCAL_POSITION_STD * math.sqrt(2))
        blocks[:, K] = blocks[:, Q]

    def loss_and_gradient(
        self,
        ids: npt.NDArray[np.int64],
        targets: npt.NDArray[np.int64],
        *,
        weights: Array | None = None,
    ) -> float:
        """Cross-entropy of the targets, nats, with its gradient left in `gradients`.

        Args:
            ids: (B, T) inputs.
            targets: (B, T) what each position is to predict.
            weights: (B, T) of each position in the sum of the losses; None for their mean.
        """
        tensors, gradients = self.tensors(), self._named(self.gradients)
        x = self._transformer.forward(tensors, ids, attention_bias=self._bias(ids), record=True)
        d_x = self._buffers.get("d_x", x.shape)
        d_model = x.shape[-1]
        loss = cross_entropy(
            x.reshape(-1, d_model),
            tensors.head,
            targets.ravel(),
            weights=None if weights is None else weights.ravel(),
            d_x=d_x.reshape(-1, d_model),
            d_head=gradients.head,
            buffers=self._buffers,
        )
        self._transformer.backward(tensors, ids, d_x, gradients)
        if self.prior is not None:
            self.prior.gather_gradients(gradients.emb, gradients.head, self.gradients.tensors)
        return loss

    def last_states(self, ids: npt.NDArray[np.int64], tensors: Tensors) -> Array:
        """States after the last block, (B, T, D); a sequence's bits do not depend on the others.

        Args:
            ids: (B, T) inputs.
            tensors: As `tensors` gives them; computed once for many calls.
        """
        return self._transformer.forward(tensors, ids, attention_bias=self._bias(ids))

    def all_states(self, ids: npt.NDArray[np.int64], tensors: Tensors) -> list[Array]:
        """The input's states and those after each block: L + 1 arrays (B, T, D)."""
        states: list[Array] = []
        self._transformer.forward(tensors, ids, attention_bias=self._bias(ids), states=states)
        return states

    def tensors(self) -> Tensors:
        """What the transformer computes with: the parameters, the morphemic prior added to the tables."""
        tensors = self._named(self.parameters)
        if self.prior is None:
            return tensors
        return Tensors(
            emb=self.prior.embedding_table(tensors.emb, self.parameters.tensors),
            pos=tensors.pos,
            blocks=tensors.blocks,
            head=self.prior.head_table(tensors.head, self.parameters.tensors),
        )

    def _named(self, parameters: Parameters) -> Tensors:
        return Tensors(**{name: parameters[name] for name in self.architecture.shapes()})

    def _bias(self, ids: npt.NDArray[np.int64]) -> Array | None:
        return None if self.prior is None else self.prior.attention_bias(ids)

"""AdamW: Adam with bias correction, weight decay apart from the gradient, and clipping by the global norm.

Decay is meant for matrices only. Every tensor of the built-in model is one (it has no biases and no
normalisation parameters), so all of them decay, embeddings included, as in nanoGPT.

Loshchilov and Hutter 2019, "Decoupled Weight Decay Regularization". Equal to `torch.optim.AdamW` after
`torch.nn.utils.clip_grad_norm_`, which adds the same 1e-6 to the norm.
"""

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from rig.models.parameters import Array

_CHUNK = 1 << 14
"""Parameters updated at once: five float32 arrays of this length stay in a core's cache."""
_CLIP_EPSILON = 1e-6


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AdamWSettings:
    """The settings of the optimiser, without the learning rate."""

    weight_decay: float
    """A step multiplies each weight by 1 - lr x weight_decay."""
    beta1: float
    """Decay of the gradient's mean, in [0, 1)."""
    beta2: float
    """Decay of the squared gradient's mean, in [0, 1)."""
    eps: float
    """Added to the root of the second moment."""
    clip_norm: float
    """Largest global norm of the gradient; longer ones are scaled down to it."""


@final
class AdamW:
    """The optimiser's state over one flat parameter vector, changed in place."""

    def __init__(self, parameters: Array, settings: AdamWSettings) -> None:
        self._parameters = parameters
        self._settings = settings
        self._mean = np.zeros_like(parameters)
        self._square = np.zeros_like(parameters)
        self._scratch = np.empty(min(_CHUNK, len(parameters)), parameters.dtype)
        self._n_steps = 0

    def step(self, gradient: Array, *, lr: float) -> float:
        """Update the parameters once.

        Args:
            gradient: (n_params,) destroyed.
            lr: Learning rate of this step.

        Returns:
            The gradient's global norm before clipping, summed in float64. If it is not finite nothing is
            updated.
        """
        settings = self._settings
        chunks = [slice(start, start + _CHUNK) for start in range(0, len(gradient), _CHUNK)]
        norm = math.sqrt(sum(float(np.dot(gradient[c], gradient[c])) for c in chunks))
        if not math.isfinite(norm):
            return norm
        self._n_steps += 1
        clip = min(1.0, settings.clip_norm / (norm + _CLIP_EPSILON))
        mean_correction = 1.0 - settings.beta1**self._n_steps
        square_correction = math.sqrt(1.0 - settings.beta2**self._n_steps)
        for chunk in chunks:
            p, g = self._parameters[chunk], gradient[chunk]
            mean, square, scratch = self._mean[chunk], self._square[chunk], self._scratch[: len(g)]
            if clip < 1.0:
                g *= clip
            mean *= settings.beta1
            mean += np.multiply(g, 1.0 - settings.beta1, out=scratch)
            g *= g
            g *= 1.0 - settings.beta2
            square *= settings.beta2
            square += g
            np.sqrt(square, out=scratch)
            scratch *= 1.0 / square_correction
            scratch += settings.eps
            np.divide(mean, scratch, out=scratch)
            scratch *= lr / mean_correction
            p *= 1.0 - lr * settings.weight_decay
            p -= scratch
        return norm

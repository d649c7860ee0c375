"""A training step in numpy: the network's gradient, then AdamW on its flat parameter vector."""

from collections.abc import Mapping
from typing import final

import numpy as np

from rig.models.adamw import AdamW, AdamWSettings
from rig.models.network import Network
from rig.models.parameters import Array
from rig.models.training import StepResult
from rig.models.training_batch import Batch


@final
class NumpyStepper:
    """Trains a network in place; the reference that other backends are held against.

    Args:
        network: With its initial weights.
        settings: Of the optimiser, whose moments begin at zero.
    """

    def __init__(self, network: Network, settings: AdamWSettings) -> None:
        self._network = network
        self._optimiser = AdamW(network.parameters.flat, settings)

    def step(self, batch: Batch, *, lr: float) -> StepResult:
        """One update, as `rig.models.training.Stepper` defines it."""
        network = self._network
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # the loop reports a divergence
            loss = network.loss_and_gradient(batch.inputs, batch.targets, weights=batch.weights)
            norm = self._optimiser.step(network.gradients.flat, lr=lr)
        return StepResult(loss=loss, gradient_norm=norm)

    def weights(self) -> Array:
        """(n_params,) the network's own vector."""
        return self._network.parameters.flat

    def facts(self) -> Mapping[str, str]:
        """Nothing: numpy and its BLAS stand in every cell's environment."""
        return {}

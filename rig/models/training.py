"""The training loop: random rows of a token stream, AdamW, linear warm-up and cosine decay.

One loop for every objective and backend: `rig.models.training_batch` makes a step's batch of its rows, and a
`Stepper` (`rig.models.numpy_stepper`) holds the weights and updates them.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
import numpy.typing as npt

from rig.core.errors import DataError
from rig.core.seeding import stream
from rig.models.adamw import AdamWSettings
from rig.models.base import DivergedError, Progress
from rig.models.parameters import Array
from rig.models.training_batch import Batch, Objective, causal_batch

REPORT_EVERY = 20
"""Steps between two points of the curve."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """How long, how fast, on how much."""

    steps: int
    """Updates, at least 1."""
    batch_size: int
    """Rows in a step; each has as many inputs as the context."""
    lr: float
    """The peak learning rate, > 0."""
    warmup_steps: int
    """Steps over which the rate rises linearly, at most `steps`."""
    min_lr_ratio: float
    """The rate of the last step over the peak, in [0, 1]."""
    optimiser: AdamWSettings

    def lr_at(self, step: int) -> float:
        """Learning rate of a step counted from 0.

        Rises as lr (step + 1) / warmup_steps, so that no step has rate 0, then falls along half a cosine from
        lr to lr x min_lr_ratio at the last step.
        """
        if step < self.warmup_steps:
            return self.lr * (step + 1) / self.warmup_steps
        n_decay = self.steps - 1 - self.warmup_steps
        part = (step - self.warmup_steps) / n_decay if n_decay > 0 else 1.0
        height = 0.5 * (1.0 + math.cos(math.pi * part))
        return self.lr * (self.min_lr_ratio + (1.0 - self.min_lr_ratio) * height)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """One line of the training curve."""

    step: int
    """Steps done."""
    loss: float
    """Training loss of the last of them, nats per token."""
    lr: float
    """Its learning rate."""

    def as_json(self) -> str:
        """The line, keys sorted, floats exact."""
        return json.dumps({"loss": self.loss, "lr": self.lr, "step": self.step}, sort_keys=True)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What one update measured, before it changed the weights."""

    loss: float
    """Nats per predicted token."""
    gradient_norm: float
    """Global norm of the gradient before clipping. If it is not finite nothing was updated."""


class Stepper(Protocol):
    """A model under training, with its optimiser: the backend of the loop."""

    def step(self, batch: Batch, *, lr: float) -> StepResult:
        """One update at this learning rate. Numbers that are not finite are returned, not raised."""

    def weights(self) -> Array:
        """(n_params,) the weights as they are now, in the order of the network's `parameters.flat`.

        A backend that keeps them elsewhere writes them into the network here.
        """

    def facts(self) -> Mapping[str, str]:
        """What its bits depend on and a cell's environment does not tell: a device."""


def token_stream(documents: Sequence[npt.NDArray[np.int64]], bos_id: int) -> npt.NDArray[np.int64]:
    """All documents one after the other, each after BOS."""
    bos = np.array([bos_id], np.int64)
    parts = [part for document in documents for part in (bos, document)]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def batches(
    tokens: npt.NDArray[np.int64], *, n_steps: int, batch_size: int, context: int, rng: np.random.Generator
) -> Iterator[npt.NDArray[np.int64]]:
    """Rows of `context + 1` tokens that begin anywhere in the stream, drawn with replacement.

    Args:
        tokens: (n_tokens,) the stream.
        n_steps: Batches to give.
        batch_size: Rows in a batch.
        context: Inputs in a row; the last token is a target only.
        rng: Draws the beginnings.

    Returns:
        An iterator of (batch_size, context + 1) arrays.

    Raises:
        DataError: The stream is shorter than one row.
    """
    if len(tokens) < context + 1:
        raise DataError(
            f"the training texts have {len(tokens)} tokens (a BOS each included), but a row needs "
            f"{context + 1}; give more text or lower `model.context`"
        )
    offsets = np.arange(context + 1)
    last = len(tokens) - len(offsets)
    return (
        tokens[rng.integers(0, last, size=batch_size, endpoint=True)[:, None] + offsets]
        for _ in range(n_steps)
    )


def train(
    stepper: Stepper,
    tokens: npt.NDArray[np.int64],
    settings: TrainingSettings,
    *,
    context: int,
    seed: int,
    objective: Objective = causal_batch,
    curve: list[CurvePoint],
    progress: Progress,
) -> None:
    """Train in place.

    Args:
        stepper: Holds the weights at their initial values, and the optimiser.
        tokens: (n_tokens,) the training stream.
        settings: Of the loop.
        context: Inputs in a row.
        seed: Names the order of the data, through the stream "batches"; the same for every kind.
        objective: What is predicted from a row.
        curve: Receives the first point, one every 20 steps and the last, also if training diverges.
        progress: Called with each point of the curve.

    Raises:
        DataError: There are fewer tokens than a row needs.
        DivergedError: The loss, the gradient's norm or a weight became infinite or NaN.
    """
    rows_of_steps = batches(
        tokens,
        n_steps=settings.steps,
        batch_size=settings.batch_size,
        context=context,
        rng=stream(seed, "batches"),
    )
    for step, rows in enumerate(rows_of_steps):
        lr = settings.lr_at(step)
        result = stepper.step(objective(rows), lr=lr)
        loss, norm = result.loss, result.gradient_norm
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise DivergedError(
                f"training diverged at step {step + 1} of {settings.steps} (loss {loss}, gradient norm "
                f"{norm}) with learning rate {lr:.3g} (peak {settings.lr:.3g}); lower `train.lr`"
            )
        if step == 0 or (step + 1) % REPORT_EVERY == 0 or step + 1 == settings.steps:
            curve.append(CurvePoint(step=step + 1, loss=loss, lr=lr))
            progress(step=step + 1, n_steps=settings.steps, loss=loss)
    if not np.isfinite(stepper.weights()).all():
        raise DivergedError(
            f"training diverged at step {settings.steps} of {settings.steps}: it made a weight that is not "
            f"finite, with peak learning rate {settings.lr:.3g}; lower `train.lr`"
        )

"""What a training step sees: inputs, what each position is to predict, and how much it counts.

The loop in `rig.models.training` is one for all objectives. They differ in how rows of the token stream
become a batch: a causal model predicts each row's next token, a masked one the originals of some positions.
"""

from dataclasses import dataclass
from typing import Protocol, final

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]

_SHARE_CHOSEN = 0.15
_SHARE_MASKED = 0.8
_SHARE_RANDOM = 0.1
_PARTS = (1, 2, 4, 8)
_SHORTEST_PART = 8


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch:
    """One step's rows."""

    inputs: Ids
    """(B, T) what the model reads."""
    targets: Ids
    """(B, T) what each position is to predict."""
    weights: npt.NDArray[np.float32] | None = None
    """(B, T) of each position in the sum of losses, adding up to 1; None for the mean of all."""


class Objective(Protocol):
    """Makes batches of rows, in the order of the steps; it may draw from a generator of its own."""

    def __call__(self, rows: Ids) -> Batch:
        """The batch of (B, T + 1) rows of the token stream."""


def causal_batch(rows: Ids) -> Batch:
    """Each position predicts the next token; the row's last token is a target only."""
    return Batch(inputs=rows[:, :-1], targets=rows[:, 1:])


@final
class MaskedBatches:
    """Chosen positions predict their own original; the loss is the mean over them (Devlin et al. 2019).

    Each position but BOS is chosen with probability .15. Of the chosen, 80% become MASK, 10% a token drawn
    from the vocabulary without BOS and MASK, and 10% stay. Where chance chose none, one is drawn, so that no
    step is without a loss. A row's last token is left out: the inputs are those of the causal objective.

    For each step its rows are cut into 1, 2, 4 or 8 equal parts, drawn anew, of at least 8 tokens. BERT too
    saw short sequences in nine steps of ten. A masked position learns nothing of its neighbours before
    attention finds them, and among 63 others that takes ten times as long as among 7; and the texts that a
    model is asked about may be short.

    Args:
        bos_id: Given, never chosen, never drawn.
        mask_id: MASK, the last id of the model's vocabulary.
        rng: Draws positions, corruptions and cuts; the same for every kind, so that kinds see the same gaps.
    """

    def __init__(self, *, bos_id: int, mask_id: int, rng: np.random.Generator) -> None:
        self._bos_id = bos_id
        self._mask_id = mask_id
        self._rng = rng

    def __call__(self, rows: Ids) -> Batch:  # noqa: D102
        originals = rows[:, :-1]
        chosen = self._chosen(originals)
        fate = self._rng.random(originals.shape)
        drawn = self._rng.integers(0, self._mask_id - 1, size=originals.shape)
        drawn += drawn >= self._bos_id
        inputs = np.where(chosen & (fate < _SHARE_MASKED), self._mask_id, originals)
        is_random = chosen & (fate >= _SHARE_MASKED) & (fate < _SHARE_MASKED + _SHARE_RANDOM)
        inputs = np.where(is_random, drawn, inputs)
        n_chosen = int(np.count_nonzero(chosen))
        weights = np.where(chosen, 1.0 / max(1, n_chosen), 0.0).astype(np.float32)
        shape = (-1, self._part_length(originals.shape[1]))
        return Batch(
            inputs=inputs.reshape(shape), targets=originals.reshape(shape), weights=weights.reshape(shape)
        )

    def _part_length(self, n_inputs: int) -> int:
        lengths = [n_inputs // n for n in _PARTS if n_inputs % n == 0 and n_inputs // n >= _SHORTEST_PART]
        return lengths[self._rng.integers(len(lengths))] if lengths else n_inputs

    def _chosen(self, originals: Ids) -> npt.NDArray[np.bool_]:
        may_be_chosen = originals != self._bos_id
        chosen: npt.NDArray[np.bool_] = (self._rng.random(originals.shape) < _SHARE_CHOSEN) & may_be_chosen
        candidates = np.flatnonzero(may_be_chosen)
        if len(candidates) and not chosen.any():
            chosen.flat[self._rng.choice(candidates)] = True
        return chosen

"""A text's embedding: the mean over its own tokens, and no others, of a network's states."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.errors import DataError, ModelError
from rig.models.hf.batches import Ids, bucketed
from rig.models.hf.network import Network
from rig.models.layer_choice import checked_layers


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stretch:
    """A part of a text as a network reads it, and which of its inputs count to the text's mean."""

    text: int
    """Index of the text."""
    ids: Ids
    """(n_inputs,)"""
    first: int
    """The first input that counts."""
    stop: int
    """One past the last; what stands around is a special token, or was counted in a window before."""


def mean_states(
    network: Network,
    stretches: Sequence[Stretch],
    n_tokens: Sequence[int],
    *,
    layers: Sequence[int],
    batch_size: int,
) -> npt.NDArray[np.float64]:
    """The states after each of `layers`, averaged over texts' tokens and over the layers, in float64.

    Args:
        network: Asked for its states. After the last layer they are normalised where the network does so.
        stretches: Every token of every text in exactly one.
        n_tokens: (n_texts,) tokens of each text.
        layers: As `rig.models.base.Embeds` counts them.
        batch_size: Stretches at once.

    Returns:
        (n_texts, d_model)

    Raises:
        ConfigError: A layer does not exist, or none is named.
        DataError: A text has no tokens.
        ModelError: A state is not finite.
    """
    chosen = checked_layers(layers, network.n_states)
    for index, n in enumerate(n_tokens):
        if not n:
            raise DataError(f"text {index} is empty, so it has no embedding; remove it from the data")
    sums = np.zeros((len(n_tokens), network.d_model))
    for batch in bucketed([stretch.ids for stretch in stretches], batch_size=batch_size):
        column = np.arange(batch.ids.shape[1])
        first = np.array([stretches[index].first for index in batch.index])[:, None]
        stop = np.array([stretches[index].stop for index in batch.index])[:, None]
        totals = network.summed_states(batch, (column >= first) & (column < stop), chosen)
        for index, total in zip(batch.index, totals, strict=True):
            sums[stretches[index].text] += total
    means: npt.NDArray[np.float64] = sums / (np.array(n_tokens, np.float64) * len(chosen))[:, None]
    bad = np.flatnonzero(~np.isfinite(means).all(axis=1))
    if bad.size:
        raise ModelError(f"the embedding of text {bad[0]} is not finite; check the model's weights")
    return means

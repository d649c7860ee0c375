"""Which of a model's states an embedding averages: 0 is the input, -1 the last layer."""

from collections.abc import Sequence

from rig.core.errors import ConfigError


def checked_layers(layers: Sequence[int], n_states: int) -> list[int]:
    """The layers as indices in [0, n_states).

    Args:
        layers: As a config names them; negative ones count from the last.
        n_states: The input's states and one more for each layer.

    Raises:
        ConfigError: A layer does not exist, or none is named.
    """
    for layer in layers:
        if not -n_states <= layer < n_states:
            raise ConfigError(
                f"the model has the layers 0 (input) to {n_states - 1} (last, also -1), got {layer}"
            )
    if not layers:
        raise ConfigError("an embedding needs at least one layer, got none")
    return [layer % n_states for layer in layers]

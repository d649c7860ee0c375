"""Layers by number, from either end."""

import pytest

from rig.core.errors import ConfigError
from rig.models.layer_choice import checked_layers


def test_negative_layers_count_from_the_last() -> None:
    assert checked_layers([0, 2, -1, -3], 3) == [0, 2, 2, 0]


@pytest.mark.parametrize("layer", [3, -4])
def test_a_layer_that_does_not_exist_is_refused(layer: int) -> None:
    with pytest.raises(ConfigError, match=rf"layers 0 \(input\) to 2 \(last, also -1\), got {layer}"):
        checked_layers([0, layer], 3)


def test_no_layer_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one layer, got none"):
        checked_layers([], 3)

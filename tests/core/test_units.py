import numpy as np
import pytest

from rig.core.units import bits_to_nats, nats_to_bits


def test_bits_and_nats() -> None:
    assert nats_to_bits(np.log(8.0)) == pytest.approx(3.0, rel=1e-15)
    assert bits_to_nats(nats_to_bits(1.7)) == pytest.approx(1.7, rel=1e-15)

"""Memory is used again, and grows when it has to."""

import numpy as np

from rig.models.buffers import Buffers


def test_a_name_keeps_its_memory_for_the_same_and_for_smaller_shapes() -> None:
    buffers = Buffers(np.float32)
    first = buffers.get("a", (4, 6))
    first[...] = 7.0
    again, smaller = buffers.get("a", (4, 6)), buffers.get("a", (2, 3))
    assert np.shares_memory(first, again)
    assert np.shares_memory(first, smaller)
    assert (again == 7.0).all()
    assert smaller.shape == (2, 3)
    assert smaller.flags.c_contiguous


def test_a_larger_shape_gets_more_memory_and_another_name_gets_its_own() -> None:
    buffers = Buffers(np.float64)
    first = buffers.get("a", (2,))
    larger = buffers.get("a", (3, 5))
    assert larger.shape == (3, 5)
    assert larger.dtype == np.float64
    assert not np.shares_memory(first, larger)
    assert not np.shares_memory(larger, buffers.get("b", (3, 5)))

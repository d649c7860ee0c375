import numpy as np
import pytest

from rig.core.seeding import stream


def test_streams_depend_on_seed_and_name_only() -> None:
    first = stream(41, "batches").random(4)
    stream(41, "initial weights").random(100)
    np.random.seed(0)  # noqa: NPY002  (the global generator must change nothing)
    assert stream(41, "batches").random(4).tolist() == first.tolist()
    assert stream(42, "batches").random(4).tolist() != first.tolist()
    assert stream(41, "batches", 1).random(4).tolist() != first.tolist()
    with pytest.raises(ValueError, match="`seed` must be a non-negative integer, got -1"):
        stream(-1, "batches")

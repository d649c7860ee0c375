"""Views of one vector, hashes, and files that round-trip or are refused."""

from pathlib import Path

import numpy as np
import pytest

from rig.core.errors import StoreError
from rig.models.parameters import Parameters

SHAPES = {"a": (2, 3), "b": (0, 4), "c": (1, 2)}


def filled() -> Parameters:
    parameters = Parameters(SHAPES)
    parameters.flat[...] = np.arange(8)
    return parameters


def test_tensors_are_views_of_the_vector_in_order() -> None:
    parameters = filled()
    assert parameters["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    parameters["c"][0, 1] = -1
    assert parameters.flat.tolist() == [0, 1, 2, 3, 4, 5, 6, -1]
    assert parameters.n_params == 8
    assert not parameters.zeros_like().flat.any()


def test_the_hash_knows_values_names_and_shapes() -> None:
    renamed, reshaped, changed = (
        Parameters({**SHAPES, "d": (0,)}),
        Parameters({"a": (3, 2), **SHAPES}),
        filled(),
    )
    changed.flat[3] = np.nextafter(np.float32(3), np.float32(4))
    hashes = {p.sha256() for p in (filled(), filled(), renamed, reshaped, changed)}
    assert len(hashes) == 4


def test_a_file_gives_back_the_same_bits_and_the_same_bytes(tmp_path: Path) -> None:
    parameters = filled()
    parameters.save(tmp_path / "one.npz")
    parameters.save(tmp_path / "two")
    loaded = Parameters(SHAPES)
    loaded.load(tmp_path / "one.npz")
    assert loaded.sha256() == parameters.sha256()
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_file_of_another_model_is_refused(tmp_path: Path) -> None:
    filled().save(tmp_path / "model.npz")
    with pytest.raises(
        StoreError, match=r"those of another model: expected a \(2, 2\) float32, got a \(2, 3\)"
    ):
        Parameters({"a": (2, 2)}).load(tmp_path / "model.npz")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut short", b"text"])
def test_a_damaged_or_pickled_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "model.npz").write_bytes(content)
    with pytest.raises(StoreError, match=r"can't be read .*; train the cell again"):
        filled().load(tmp_path / "model.npz")
    np.save(tmp_path / "pickled.npy", np.array([{}]), allow_pickle=True)
    with pytest.raises(StoreError, match="can't be read"):
        filled().load(tmp_path / "pickled.npy")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"absent\.npz"):
        filled().load(tmp_path / "absent.npz")

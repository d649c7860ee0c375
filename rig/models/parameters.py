"""A model's trained tensors: named, and views of one flat vector, so that an optimiser sees one array."""

import hashlib
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

import numpy as np
import numpy.typing as npt

from rig.core.errors import StoreError
from rig.core.files import atomic_path

Array = npt.NDArray[Any]
"""float32 in use; float64 in the tests of gradients."""


@final
class Parameters:
    """Named tensors in one vector: writing to a tensor writes to the vector, and the other way round.

    Attributes:
        flat: (n_params,) all tensors, in the order of their names' declaration.
        tensors: Each name's tensor, a view of `flat`.
    """

    def __init__(self, shapes: Mapping[str, tuple[int, ...]], dtype: npt.DTypeLike = np.float32) -> None:
        self.flat: Array = np.zeros(sum(math.prod(shape) for shape in shapes.values()), dtype)
        self.tensors: dict[str, Array] = {}
        start = 0
        for name, shape in shapes.items():
            stop = start + math.prod(shape)
            self.tensors[name] = self.flat[start:stop].reshape(shape)
            start = stop

    def __getitem__(self, name: str) -> Array:
        return self.tensors[name]

    @property
    def n_params(self) -> int:
        """Trained numbers."""
        return self.flat.size

    def zeros_like(self) -> "Parameters":
        """Zeros with the same names and shapes: gradients, moments."""
        return Parameters({name: tensor.shape for name, tensor in self.tensors.items()}, self.flat.dtype)

    def sha256(self) -> str:
        """SHA-256 over names, shapes and little-endian values; equal weights give equal hashes anywhere."""
        digest = hashlib.sha256()
        for name, tensor in self.tensors.items():
            digest.update(f"{name}{tensor.shape}".encode())
            digest.update(tensor.astype(tensor.dtype.newbyteorder("<")).tobytes())
        return digest.hexdigest()

    def save(self, path: Path) -> None:
        """Write the tensors to a `.npz` file, atomically; the same tensors give the same bytes."""
        # A file object, because np.savez adds .npz to a name that lacks it.
        with atomic_path(path) as temporary, temporary.open("wb") as file:
            np.savez(file, **self.tensors)  # type: ignore[arg-type]  # names of arrays, not of options

    def load(self, path: Path) -> None:
        """Read the tensors of a file that `save` wrote, in place.

        Raises:
            StoreError: The file is missing or damaged, or its names, shapes, or dtype are not these.
        """
        try:
            # Opened here, because np.load leaves a file that it can't read open.
            with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                loaded = {name: archive[name] for name in archive.files}
        except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
            raise StoreError(
                f"the weights in '{path}' can't be read ({error}); train the cell again"
            ) from error
        expected = {name: (tensor.shape, tensor.dtype) for name, tensor in self.tensors.items()}
        got = {name: (tensor.shape, tensor.dtype) for name, tensor in loaded.items()}
        if got != expected:
            raise StoreError(
                f"the weights in '{path}' are those of another model: "
                f"expected {_describe(expected)}, got {_describe(got)}"
            )
        for name, tensor in loaded.items():
            self.tensors[name][...] = tensor


def _describe(layout: Mapping[str, tuple[tuple[int, ...], Any]]) -> str:
    return ", ".join(f"{name} {shape} {dtype}" for name, (shape, dtype) in layout.items())

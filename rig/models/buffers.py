"""Arrays that are allocated once and used at every step.

Large temporaries are expensive: glibc gives them back to the kernel when they are freed, and the kernel
clears every page when they are asked for again. A training step asks for the same shapes each time, so it
keeps its arrays here.
"""

import math
from typing import final

import numpy as np
import numpy.typing as npt

from rig.models.parameters import Array


@final
class Buffers:
    """Uninitialised arrays by name. A name's array stays valid until the name is asked for again."""

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self._flat: dict[str, Array] = {}

    def get(self, name: str, shape: tuple[int, ...]) -> Array:
        """The array of this name with this shape; its values are whatever was left there."""
        size = math.prod(shape)
        flat = self._flat.get(name)
        if flat is None or flat.size < size:
            flat = self._flat[name] = np.empty(size, self.dtype)
        return flat[:size].reshape(shape)

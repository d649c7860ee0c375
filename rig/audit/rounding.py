"""How far two scorings of the same tokens are apart, and whether arithmetic alone explains it.

In float32 a token's score moves by some 1e-6 nats with the length of its batch. In half precision it moves
by hundredths, up and down, so that the mean hardly does: that is stated and is no fault. Padding that is
attended to moves single tokens further, or all of them one way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

TOLERANCE_NATS = 1e-4
"""What float32 may change in a token's score from one call or batch to another."""
_MOST_NATS = 0.1
_MOST_MEAN_NATS = 1e-3
"""Of a mean over tokens: a tenth of a percent of perplexity."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Between two scorings of the same tokens, nats."""

    worst: float
    """The largest, >= 0."""
    mean: float
    """Of the second minus the first, signed."""

    @classmethod
    def between(cls, one: Sequence[Floats], other: Sequence[Floats]) -> Self:
        """Token by token over some texts, whose lengths agree."""
        moved = np.concatenate([np.zeros(0), *other]) - np.concatenate([np.zeros(0), *one])
        return cls(
            worst=float(np.abs(moved).max(initial=0.0)), mean=float(moved.mean()) if len(moved) else 0.0
        )

    @property
    def is_none(self) -> bool:
        """Within the tolerance of float32."""
        return self.worst <= TOLERANCE_NATS

    @property
    def is_rounding(self) -> bool:
        """Small and without direction, as half precision makes it; true for none, too."""
        return self.worst <= _MOST_NATS and abs(self.mean) <= _MOST_MEAN_NATS

    @property
    def seen(self) -> str:
        """What a check that passed says of it; below the tolerance only the tolerance."""
        if self.is_none:
            return f"to {TOLERANCE_NATS:g} nats"
        percent = 100.0 * abs(self.mean)
        return f"to {self.worst:.3g} nats a token and {percent:.2g}% of perplexity (half precision)"

"""What a downstream task leaves: one row an item, from which its statistic can be computed and resampled."""

import math
from dataclasses import dataclass
from typing import final

from rig.core.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that a model was asked about, and its answer."""

    item_id: str
    """Unique in its task, stable across kinds and seeds."""
    cluster_id: str
    """What is resampled together: a prompt, a document, a lemma."""
    cell: str
    """The cell of the task's design that the item stands in (for example `sing|attractor`), or empty."""
    predicted: float
    """The model's answer as a number: a cosine, 1/0/0.5 for right, wrong, tie. Finite."""
    gold: float
    """What the answer is compared with. Finite."""

    def __post_init__(self) -> None:
        for name in ("predicted", "gold"):
            value = getattr(self, name)
            if not math.isfinite(value):
                raise ModelError(f"item '{self.item_id}': `{name}` must be finite, got {value}")

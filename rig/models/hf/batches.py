"""Sequences of unequal length in arrays: like with like, so that little is padding."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]

_PADDED_SHARE = 8
"""A row is at most an eighth padding, ..."""
_FREE_PADDING = 4
"""... or this many inputs: below, a batch of its own costs more than they do."""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch:
    """Some sequences in one array."""

    index: tuple[int, ...]
    """(B,) where each row stands among the sequences that were given."""
    ids: Ids
    """(B, T) padded on the right with 0 to the longest."""
    length: Ids
    """(B,) ids of each row that are no padding; at least 1."""

    @property
    def is_padded(self) -> bool:
        """Whether some row is shorter than another."""
        return bool((self.length < self.ids.shape[1]).any())


def bucketed(sequences: Sequence[Ids], *, batch_size: int) -> Iterator[Batch]:
    """Each sequence once, the longest first, so that too little memory shows at once; of equals in order.

    A batch ends where the next sequence is much shorter, too: texts' lengths vary so much that padding to
    the longest of sixteen made half as many inputs again.

    Args:
        sequences: Ids; an empty sequence is in no batch.
        batch_size: Rows in a batch at most.
    """
    order = sorted((i for i, ids in enumerate(sequences) if len(ids)), key=lambda i: -len(sequences[i]))
    start = 0
    while start < len(order):
        longest = len(sequences[order[start]])
        shortest = longest - max(_FREE_PADDING, longest // _PADDED_SHARE)
        stop = start + 1
        while stop < min(start + batch_size, len(order)) and len(sequences[order[stop]]) >= shortest:
            stop += 1
        yield _padded(sequences, tuple(order[start:stop]))
        start = stop


def _padded(sequences: Sequence[Ids], index: tuple[int, ...]) -> Batch:
    length = np.array([len(sequences[i]) for i in index], np.int64)
    ids = np.zeros((len(index), length.max()), np.int64)
    for row, i in zip(ids, index, strict=True):
        row[: len(sequences[i])] = sequences[i]
    return Batch(index=index, ids=ids, length=length)

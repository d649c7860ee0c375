"""A long text through a model that sees `context` inputs at once: its windows, and batches of them.

The inputs of a document are BOS and its tokens. The first window begins at BOS and every input in it is new;
each next one begins `stride` inputs later, and only the inputs that no window before it held are new. So each
input is new exactly once, and after the first window it has at least `context - stride` inputs before it.
A smaller stride gives more context to each token and costs more time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A slice of a document's inputs, half-open: `start <= first_new < stop`."""

    start: int
    first_new: int
    """Inputs before this one are context only: an earlier window had them as new."""
    stop: int


def windows(n_inputs: int, *, context: int, stride: int) -> list[Window]:
    """The windows over a document, in order.

    Args:
        n_inputs: Inputs of the document, BOS included; none gives no window.
        context: Inputs that the model sees at once.
        stride: Inputs from one window's start to the next one's, in [1, context].

    Raises:
        ValueError: `stride` is out of range, so that an input would be skipped or a window not move.
    """
    if not 1 <= stride <= context:
        raise ValueError(f"`stride` must be in [1, {context}], the context, got {stride}")
    result: list[Window] = []
    start = first_new = 0
    while first_new < n_inputs:
        stop = min(start + context, n_inputs)
        result.append(Window(start=start, first_new=first_new, stop=stop))
        start, first_new = start + stride, stop
    return result


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PaddedBatch:
    """Sequences in one array."""

    index: range
    """Where each row stands among the sequences that were given, B of them."""
    ids: npt.NDArray[np.int64]
    """(B, context) padded on the right with 0, where a causal model's earlier states can't see it."""


def padded_batches(
    sequences: Sequence[npt.NDArray[np.int64]], *, context: int, batch_size: int
) -> Iterator[PaddedBatch]:
    """Each sequence once, in order, padded to the full context.

    Short sequences cost as much as long ones, and that buys something: matrix products round by their shape,
    and here it is always the same. With a model that multiplies each sequence by itself, a position's result
    is the same bits whatever comes after it and whatever it is batched with.

    Args:
        sequences: Ids, each of 1 to `context`.
        context: The length of every row.
        batch_size: Rows in a batch at most.
    """
    for start in range(0, len(sequences), batch_size):
        index = range(start, min(start + batch_size, len(sequences)))
        ids = np.zeros((len(index), context), np.int64)
        for row, sequence in zip(ids, sequences[start : index.stop], strict=True):
            row[: len(sequence)] = sequence
        yield PaddedBatch(index=index, ids=ids)


def equal_length_batches(
    sequences: Sequence[npt.NDArray[np.int64]], *, batch_size: int
) -> Iterator[tuple[list[int], npt.NDArray[np.int64]]]:
    """Each sequence once, with others of its own length only: for models that would see padding.

    Args:
        sequences: Ids, each of at least 1.
        batch_size: Rows in a batch at most.

    Yields:
        Where each row stands among the sequences that were given, and the rows, (B, length).
    """
    by_length: dict[int, list[int]] = {}
    for index, sequence in enumerate(sequences):
        by_length.setdefault(len(sequence), []).append(index)
    for _, members in sorted(by_length.items()):
        for start in range(0, len(members), batch_size):
            chosen = members[start : start + batch_size]
            yield chosen, np.stack([sequences[index] for index in chosen])

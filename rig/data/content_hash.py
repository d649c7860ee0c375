"""The hash of a table's rows as values, whatever the parquet file looks like.

Two files with the same rows have the same hash, also when another version of pyarrow wrote them, with other
row groups, encodings, compression or integer widths.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rig.core.fingerprint import fingerprint


def content_sha256(batches: Iterable[pa.Table], columns: Sequence[str]) -> str:
    """SHA-256 over a table's rows: each column's name, null mask, lengths and bytes of its values as text.

    Args:
        batches: The table's rows in order, cut anywhere.
        columns: What is hashed, in this order.

    Returns:
        64 hex digits. A list hashes as its length, then its items one after another.
    """
    hashes = {column: _ColumnHash() for column in columns}
    for batch in batches:
        if not batch.num_rows:
            continue
        for column, running in hashes.items():
            running.update(batch[column])
    return fingerprint([[column, *running.digests()] for column, running in hashes.items()])


@final
class _ColumnHash:
    """Three running hashes, so that where the rows are cut makes no difference."""

    def __init__(self) -> None:
        self._nulls = hashlib.sha256()
        self._lengths = hashlib.sha256()
        self._bytes = hashlib.sha256()
        self._items: _ColumnHash | None = None

    def update(self, values: pa.ChunkedArray) -> None:
        self._nulls.update(pc.is_null(values).cast(pa.uint8()).to_numpy().tobytes())
        if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
            self._lengths.update(_as_int64(pc.fill_null(pc.list_value_length(values), 0)))
            self._items = self._items or _ColumnHash()
            self._items.update(pc.list_flatten(values))
            return
        texts = pc.fill_null(values.cast(pa.large_string()), "")
        self._lengths.update(_as_int64(pc.binary_length(texts)))
        for chunk in texts.chunks:
            self._bytes.update(_value_bytes(chunk))

    def digests(self) -> list[str]:
        own = [self._nulls.hexdigest(), self._lengths.hexdigest(), self._bytes.hexdigest()]
        return own + (self._items.digests() if self._items else [])


def _as_int64(values: pa.ChunkedArray) -> bytes:
    numbers: npt.NDArray[np.int64] = values.to_numpy().astype("<i8")
    return numbers.tobytes()


def _value_bytes(texts: pa.LargeStringArray) -> memoryview:
    """The UTF-8 bytes of a null-free text array, one value after another."""
    _, offsets, data = texts.buffers()
    if data is None or not len(texts):
        return memoryview(b"")
    bounds = np.frombuffer(offsets, "<i8")[texts.offset : texts.offset + len(texts) + 1]
    return memoryview(data)[int(bounds[0]) : int(bounds[-1])]

"""A data set read a block of whole documents at a time, so that its size doesn't matter.

The three tables stand in the same document order, so reading them side by side needs no index and no join.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rig.core.errors import DataError
from rig.data.schema import SCHEMAS, as_stored, open_table, table_path

_MAX_BLOCK_CHARS = 1_000_000
_BATCH_ROWS = 65_536


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some whole documents, with their sentences and words."""

    documents: pa.Table
    sentences: pa.Table
    """Of these documents, in order; no columns if none were asked for."""
    words: pa.Table
    sentence_bounds: npt.NDArray[np.int64]
    """(n_documents + 1,) document i has the sentences from bounds[i] to bounds[i + 1]."""
    word_bounds: npt.NDArray[np.int64]
    """(n_documents + 1,) the same for words."""


def read_documents(folder: Path, columns: Sequence[str]) -> Iterator[pa.Table]:
    """The documents table in bounded pieces, in order."""
    file = open_table(folder, "documents")
    path = table_path(folder, "documents")
    for group in range(file.num_row_groups):
        try:
            rows = file.read_row_group(group, columns=list(columns))
        except (pa.ArrowException, OSError) as error:
            raise _unreadable(path) from error
        rows = as_stored(rows, "documents", path)
        if "text" not in columns:
            yield rows
            continue
        n_chars = pc.fill_null(pc.utf8_length(rows["text"]), 0).to_numpy().astype(np.int64)
        piece = np.cumsum(n_chars) // _MAX_BLOCK_CHARS
        cuts = [0, *(np.flatnonzero(np.diff(piece)) + 1).tolist(), rows.num_rows]
        for start, end in itertools.pairwise(cuts):
            yield rows.slice(start, end - start)


def read_blocks(
    folder: Path, *, sentence_columns: Sequence[str] = (), word_columns: Sequence[str] = ()
) -> Iterator[Block]:
    """The data set block by block.

    Args:
        folder: The data set.
        sentence_columns: Wanted columns besides `doc_id`; without any, the table isn't opened.
        word_columns: The same for words.

    Raises:
        DataError: A file is wrong, or its rows are not in the documents' order.
    """
    wanted: Mapping[str, Sequence[str]] = {"sentences": sentence_columns, "words": word_columns}
    rows_of = {table: _DocumentRows(folder, table, columns) for table, columns in wanted.items() if columns}
    for documents in read_documents(folder, SCHEMAS["documents"].names):
        ids = documents["doc_id"].combine_chunks()
        taken = {table: rows.take(ids) for table, rows in rows_of.items()}
        nothing = pa.table({}), np.zeros(len(ids) + 1, np.int64)
        sentences, sentence_bounds = taken.get("sentences", nothing)
        words, word_bounds = taken.get("words", nothing)
        yield Block(
            documents=documents,
            sentences=sentences,
            words=words,
            sentence_bounds=sentence_bounds,
            word_bounds=word_bounds,
        )
    for rows in rows_of.values():
        rows.refuse_rest()


def read_table(folder: Path, table: str) -> Iterator[pa.Table]:
    """All rows of one table in bounded pieces, in order."""
    path = table_path(folder, table)
    batches = open_table(folder, table).iter_batches(batch_size=_BATCH_ROWS, columns=SCHEMAS[table].names)
    while (batch := _next_batch(batches, path)) is not None:
        yield as_stored(pa.Table.from_batches([batch]), table, path)


@final
class _DocumentRows:
    """The rows of one table, handed out by document."""

    def __init__(self, folder: Path, table: str, columns: Sequence[str]) -> None:
        self._table = table
        self._path = table_path(folder, table)
        names = ["doc_id", *(name for name in columns if name != "doc_id")]
        self._empty = pa.table({name: pa.array([], SCHEMAS[table].field(name).type) for name in names})
        file = open_table(folder, table)
        self._batches = file.iter_batches(batch_size=_BATCH_ROWS, columns=names)
        self._rows = self._empty

    def take(self, doc_ids: pa.Array) -> tuple[pa.Table, npt.NDArray[np.int64]]:
        """The next rows that belong to these documents, and each document's bounds in them."""
        parts = []
        while self._rows.num_rows or self._load():
            inside = pc.is_in(self._rows["doc_id"], value_set=doc_ids)
            n_rows = pc.index(inside, False).as_py()
            n_rows = self._rows.num_rows if n_rows < 0 else n_rows
            parts.append(self._rows.slice(0, n_rows))
            self._rows = self._rows.slice(n_rows)
            if self._rows.num_rows:
                break
        rows = pa.concat_tables(parts) if parts else self._empty
        document = pc.index_in(rows["doc_id"], value_set=doc_ids).to_numpy().astype(np.int64)
        backward = np.flatnonzero(np.diff(document) < 0)
        if backward.size:
            self._refuse(rows["doc_id"][int(backward[0]) + 1].as_py())
        return rows, np.searchsorted(document, np.arange(len(doc_ids) + 1)).astype(np.int64)

    def refuse_rest(self) -> None:
        """Raise if rows are left once all documents were read."""
        if self._rows.num_rows or self._load():
            self._refuse(self._rows["doc_id"][0].as_py())

    def _load(self) -> bool:
        """Read on to the next batch with rows; False at the end."""
        while (batch := _next_batch(self._batches, self._path)) is not None:
            if batch.num_rows:
                self._rows = as_stored(pa.Table.from_batches([batch]), self._table, self._path)
                return True
        return False

    def _refuse(self, doc_id: object) -> None:
        raise DataError(
            f"{self._path}: rows of document {doc_id!r} are out of the documents' order, or that document is "
            "missing from documents.parquet; import the data set again"
        )


def _next_batch(batches: Iterator[pa.RecordBatch], path: Path) -> pa.RecordBatch | None:
    try:
        return next(batches, None)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path) from error


def _unreadable(path: Path) -> DataError:
    return DataError(f"{path} is damaged: its pages can't be read; import the data set again")

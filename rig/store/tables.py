"""Token scores, hidden tokens, sums and items as parquet: one schema each, checked when read."""

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from rig.core.errors import StoreError
from rig.core.files import atomic_path
from rig.core.items import Item
from rig.core.masked_tokens import MaskedTokens
from rig.core.sums import DocumentSums, Sums
from rig.core.token_scores import TokenScores

TOKEN_SCORES = pa.schema(
    [
        ("doc_id", pa.dictionary(pa.int32(), pa.string())),
        ("position", pa.int32()),
        ("token_id", pa.int32()),
        ("char_start", pa.int32()),
        ("char_end", pa.int32()),
        ("logprob", pa.float64()),
    ]
)
MASKED_TOKENS = pa.schema(
    [
        ("doc_id", pa.dictionary(pa.int32(), pa.string())),
        ("position", pa.int32()),
        ("token_id", pa.int32()),
        ("predicted", pa.int32()),
        ("logprob", pa.float64()),
    ]
)
SUMS = pa.schema(
    [
        ("doc_id", pa.dictionary(pa.int32(), pa.string())),
        ("metric", pa.dictionary(pa.int32(), pa.string())),
        ("total", pa.float64()),
        ("weight", pa.float64()),
    ]
)
ITEMS = pa.schema(
    [
        ("task", pa.string()),
        ("item_id", pa.string()),
        ("cluster_id", pa.string()),
        ("cell", pa.string()),
        ("predicted", pa.float64()),
        ("gold", pa.float64()),
    ]
)


class TokenScoresWriter:
    """Appends documents to a token-scores file, one row group a batch, so memory holds one batch only."""

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer

    def write(self, batch: Sequence[TokenScores]) -> None:
        """Append the documents of one batch."""
        lengths = [scores.n_tokens for scores in batch]
        columns = {
            "doc_id": _doc_ids([scores.doc_id for scores in batch], lengths),
            "position": _join([np.arange(n) for n in lengths], np.int32),
            "token_id": _join([scores.token_id for scores in batch], np.int32),
            "char_start": _join([scores.char_start for scores in batch], np.int32),
            "char_end": _join([scores.char_end for scores in batch], np.int32),
            "logprob": _join([scores.logprob for scores in batch], np.float64),
        }
        self._writer.write_table(pa.table(columns, schema=TOKEN_SCORES))


def _doc_ids(doc_ids: Sequence[str], lengths: Sequence[int]) -> pa.DictionaryArray:
    codes = np.repeat(np.arange(len(doc_ids), dtype=np.int32), lengths)
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(doc_ids, pa.string()))


def _join(parts: Sequence[npt.NDArray[Any]], dtype: type) -> npt.NDArray[Any]:
    return np.concatenate([*parts, np.empty(0, dtype)]).astype(dtype)


@contextlib.contextmanager
def token_scores_writer(path: Path) -> Iterator[TokenScoresWriter]:
    """Write a token-scores file; it appears when the block ends without an error."""
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, TOKEN_SCORES) as writer:
        yield TokenScoresWriter(writer)


def read_token_scores(path: Path, n_chars: dict[str, int]) -> Iterator[TokenScores]:
    """The documents of a token-scores file, in order, one row group in memory at a time.

    Args:
        path: The file.
        n_chars: Length of each document's text, code points.

    Raises:
        StoreError: A document is unknown or the file has other columns.
        ModelError: Spans don't tile a text, or a log-probability is not one.
    """
    for doc_id, columns in _by_document(path, TOKEN_SCORES):
        if doc_id not in n_chars:
            raise StoreError(f"{path}: document '{doc_id}' is not in the annotations")
        yield TokenScores(
            doc_id=doc_id,
            token_id=columns["token_id"].astype(np.int64),
            char_start=columns["char_start"].astype(np.int64),
            char_end=columns["char_end"].astype(np.int64),
            logprob=columns["logprob"],
            n_chars=n_chars[doc_id],
        )


def write_masked_tokens(path: Path, documents: Iterable[MaskedTokens]) -> None:
    """Write one row a hidden token; a document without any has no row."""
    rows = list(documents)
    lengths = [len(tokens.position) for tokens in rows]
    columns = {
        "doc_id": _doc_ids([tokens.doc_id for tokens in rows], lengths),
        "position": _join([tokens.position for tokens in rows], np.int32),
        "token_id": _join([tokens.token_id for tokens in rows], np.int32),
        "predicted": _join([tokens.predicted for tokens in rows], np.int32),
        "logprob": _join([tokens.logprob for tokens in rows], np.float64),
    }
    with atomic_path(path) as temporary:
        pq.write_table(pa.table(columns, schema=MASKED_TOKENS), temporary)


def read_masked_tokens(path: Path) -> dict[str, MaskedTokens]:
    """Document to its hidden tokens; one that had none is missing.

    Raises:
        StoreError: The file has other columns.
        ModelError: Positions don't ascend, or a log-probability is not one.
    """
    return {
        doc_id: MaskedTokens(
            doc_id=doc_id,
            position=columns["position"].astype(np.int64),
            token_id=columns["token_id"].astype(np.int64),
            predicted=columns["predicted"].astype(np.int64),
            logprob=columns["logprob"],
        )
        for doc_id, columns in _by_document(path, MASKED_TOKENS)
    }


def _by_document(path: Path, schema: pa.Schema) -> Iterator[tuple[str, dict[str, npt.NDArray[Any]]]]:
    """Each document's columns, in order, one row group in memory at a time."""
    file = _open(path, schema)
    for group in range(file.num_row_groups):
        table = file.read_row_group(group)
        doc_ids = np.asarray(table["doc_id"].to_numpy(zero_copy_only=False), dtype=object)
        columns = {name: table[name].to_numpy() for name in schema.names if name != "doc_id"}
        starts = np.flatnonzero(np.append(True, doc_ids[1:] != doc_ids[:-1])[: len(doc_ids)]).tolist()
        for start, end in itertools.pairwise([*starts, len(doc_ids)]):
            yield str(doc_ids[start]), {name: values[start:end] for name, values in columns.items()}


def write_sums(path: Path, documents: Iterable[tuple[str, DocumentSums]]) -> None:
    """Write one row a document and metric; a document without a metric has no row of it."""
    rows = [(doc_id, name, *pair) for doc_id, sums in documents for name, pair in sums.items()]
    columns: list[Sequence[object]] = list(zip(*rows, strict=True)) or [()] * len(SUMS)
    arrays = [
        pa.array(columns[0], pa.string()).dictionary_encode(),
        pa.array(columns[1], pa.string()).dictionary_encode(),
        pa.array(columns[2], pa.float64()),
        pa.array(columns[3], pa.float64()),
    ]
    with atomic_path(path) as temporary:
        pq.write_table(pa.Table.from_arrays(arrays, schema=SUMS), temporary)


def read_sums(path: Path) -> Sums:
    """The sums file as one dense table: documents in file order, sums by name."""
    table = _open(path, SUMS).read()
    docs = table["doc_id"].combine_chunks().dictionary_encode()
    metrics = table["metric"].combine_chunks().dictionary_encode()
    doc_ids, names = docs.dictionary.to_pylist(), metrics.dictionary.to_pylist()
    order = np.argsort(np.asarray(names, dtype=object), kind="stable")
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    row = docs.indices.to_numpy()
    column = rank[metrics.indices.to_numpy()] if names else np.empty(0, np.int64)
    total = np.zeros((len(doc_ids), len(names)))
    weight = np.zeros((len(doc_ids), len(names)))
    total[row, column] = table["total"].to_numpy()
    weight[row, column] = table["weight"].to_numpy()
    return Sums(doc_ids=tuple(doc_ids), names=tuple(sorted(names)), total=total, weight=weight)


def write_items(path: Path, items: Iterable[tuple[str, Item]]) -> None:
    """Write the items of all tasks of a cell: (task, item) pairs."""
    rows = [
        (task, item.item_id, item.cluster_id, item.cell, item.predicted, item.gold) for task, item in items
    ]
    columns: list[Sequence[object]] = list(zip(*rows, strict=True)) or [()] * len(ITEMS)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, ITEMS, strict=True)]
    with atomic_path(path) as temporary:
        pq.write_table(pa.Table.from_arrays(arrays, schema=ITEMS), temporary)


def read_items(path: Path) -> dict[str, list[Item]]:
    """Task to its items, in order."""
    items: dict[str, list[Item]] = {}
    for row in _open(path, ITEMS).read().to_pylist():
        items.setdefault(row.pop("task"), []).append(Item(**row))
    return items


def _open(path: Path, schema: pa.Schema) -> pq.ParquetFile:
    try:
        file = pq.ParquetFile(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise StoreError(f"{path} can't be read as parquet: {error}") from error
    missing = [name for name in schema.names if name not in file.schema_arrow.names]
    if missing:
        raise StoreError(
            f"{path} lacks the column '{missing[0]}'; it has {', '.join(file.schema_arrow.names)}"
        )
    return file

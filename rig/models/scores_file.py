"""Token scores that another program computed, as a parquet file: any framework in any language can take part.

One row a token: `doc_id` (text), `token_index` (whole numbers from 0 in each document), `char_start` and
`char_end` (half-open, Unicode code points of the document's NFC text), `logprob` (of this token given all
before it, <= 0), and optionally `is_unk` (true where the token is the unknown one). The rows may be in any
order. The base of the logarithm is declared, in the file's metadata under `rig.logprob_base` or in the kind's
options: a base-2 file that is read as nats looks like another model and like no mistake.
"""

import hashlib
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from rig.core.documents import Document
from rig.core.errors import DataError, ModelError, did_you_mean
from rig.core.files import atomic_path
from rig.core.token_scores import TokenScores

BASE_KEY = "rig.logprob_base"
BASES: dict[str, float] = {"e": 1.0, "2": math.log(2.0), "10": math.log(10.0)}
"""What a base can be declared as, and the nats in one unit of it."""

COLUMNS = {
    "doc_id": "text",
    "token_index": "a whole number",
    "char_start": "a whole number",
    "char_end": "a whole number",
    "logprob": "a floating-point number",
}
KNOWN, UNKNOWN = 0, 1
"""The token ids that are stored for such a file: its own vocabulary is not needed for any number."""


class NonFiniteScoresError(ModelError):
    """A log-probability is NaN or infinite: the model that gave it left the finite numbers."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresFile:
    """The scores of some documents, checked against their texts."""

    scores: Mapping[str, TokenScores]
    """Document to its scores."""
    base: str
    """As declared; the scores here are in nats."""
    has_unk: bool
    """Some token is the unknown one."""
    n_other_documents: int
    """Documents in the file that were not asked for; ignored."""
    segmentation_sha256: str
    """Of all spans: equal for files that cut the texts alike."""


def read_scores(path: Path, documents: Sequence[Document], *, base: str | None) -> ScoresFile:
    """Read and check the scores of these documents.

    Args:
        path: The parquet file.
        documents: The held-out texts; the file must score each of them whole.
        base: The declared base of the logarithms; None to take it from the file's metadata.

    Raises:
        DataError: The file is missing or no parquet, lacks a column, a document or a token, declares no base
            or two different ones, or holds positive numbers (surprisals).
        NonFiniteScoresError: A log-probability is NaN or infinite.
        ModelError: The spans don't tile a text, or a log-probability is above 0.
    """
    table = _open(path)
    declared = _base(path, table, base)
    columns = _columns(path, table)
    doc_id = np.asarray(columns["doc_id"], dtype=object)
    rank = {document.doc_id: index for index, document in enumerate(documents)}
    row_rank = np.array([rank.get(name, -1) for name in doc_id], dtype=np.int64)
    order = np.lexsort((columns["token_index"], row_rank))
    order = order[np.searchsorted(row_rank[order], 0) :]
    bounds = np.searchsorted(row_rank[order], np.arange(len(documents) + 1))
    missing = [
        document.doc_id for index, document in enumerate(documents) if bounds[index] == bounds[index + 1]
    ]
    if missing:
        raise DataError(
            f"{path} lacks {len(missing)} of {len(documents)} documents to be scored, first '{missing[0]}'; "
            "`rig export-template` writes their texts"
        )
    _check_values(path, columns["logprob"][order])
    scores = {
        document.doc_id: _document(
            path, document, order[bounds[index] : bounds[index + 1]], columns, declared
        )
        for index, document in enumerate(documents)
    }
    return ScoresFile(
        scores=scores,
        base=declared,
        has_unk=any(bool((held.token_id == UNKNOWN).any()) for held in scores.values()),
        n_other_documents=len(set(doc_id[row_rank < 0])),
        segmentation_sha256=_segmentation(scores.values()),
    )


def write_scores(path: Path, scores: Iterable[TokenScores]) -> None:
    """Write scores in nats as such a file, whole or not at all."""
    held = list(scores)
    lengths = [item.n_tokens for item in held]
    columns = {
        "doc_id": pa.array(np.repeat([item.doc_id for item in held], lengths), pa.string()),
        "token_index": _joined([np.arange(n) for n in lengths], np.int32),
        "char_start": _joined([item.char_start for item in held], np.int32),
        "char_end": _joined([item.char_end for item in held], np.int32),
        "logprob": _joined([item.logprob for item in held], np.float64),
    }
    table = pa.table(columns).replace_schema_metadata({BASE_KEY: "e"})
    with atomic_path(path) as temporary:
        pq.write_table(table, temporary)


def example_scores(document: Document) -> TokenScores:
    """The scores of a model for which each of the 1,114,112 Unicode code points is equally likely.

    One token a code point: log2(1114112) = 20.087 bits per character, a known answer to try things with.
    """
    n = document.n_chars
    return TokenScores(
        doc_id=document.doc_id,
        token_id=np.zeros(n, np.int64),
        char_start=np.arange(n),
        char_end=np.arange(1, n + 1),
        logprob=np.full(n, -math.log(sys.maxunicode + 1)),
        n_chars=n,
    )


def _joined(parts: Sequence[npt.NDArray[Any]], dtype: type) -> npt.NDArray[Any]:
    return np.concatenate([*parts, np.empty(0, dtype)]).astype(dtype)


def _open(path: Path) -> pa.Table:
    if not path.is_file():
        raise DataError(f"there is no file of scores {path}")
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(f"{path} can't be read as parquet: {error}") from error


def _base(path: Path, table: pa.Table, base: str | None) -> str:
    metadata = table.schema.metadata or {}
    in_file = metadata.get(BASE_KEY.encode(), b"").decode("utf-8", "replace") or None
    declared = base if base is not None else in_file
    if declared is None:
        raise DataError(
            f"{path} does not say the base of its logarithms: write the parquet metadata '{BASE_KEY}' or set "
            "the option `base` of the kind to e, 2 or 10"
        )
    if declared not in BASES:
        raise DataError(
            f"the base of the logarithms in {path} is '{declared}'. {did_you_mean(declared, BASES)}"
        )
    if in_file is not None and in_file != declared:
        raise DataError(
            f"{path} says base {in_file}, the option `base` {declared}; correct the one that is wrong"
        )
    return declared


def _columns(path: Path, table: pa.Table) -> dict[str, npt.NDArray[Any]]:
    columns = {}
    for name, meaning in COLUMNS.items():
        if name not in table.column_names:
            raise DataError(
                f"{path} lacks the column '{name}' ({meaning}). {did_you_mean(name, table.column_names)}"
            )
        column = table[name].combine_chunks()
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        if column.null_count:
            raise DataError(f"{path}: column '{name}' has {column.null_count} empty cells")
        if pa.types.is_float16(column.type):
            raise DataError(f"{path}: column '{name}' holds float16, which is too coarse; write float64")
        is_right = {
            "text": pa.types.is_string(column.type) or pa.types.is_large_string(column.type),
            "a whole number": pa.types.is_integer(column.type),
            "a floating-point number": pa.types.is_floating(column.type),
        }[meaning]
        if not is_right:
            raise DataError(f"{path}: column '{name}' must hold {meaning} a row, got {column.type}")
        columns[name] = column.to_numpy(zero_copy_only=False)
    columns["is_unk"] = _is_unk(path, table)
    return columns


def _is_unk(path: Path, table: pa.Table) -> npt.NDArray[np.bool_]:
    if "is_unk" not in table.column_names:
        return np.zeros(table.num_rows, dtype=np.bool_)
    column = table["is_unk"].combine_chunks()
    if not pa.types.is_boolean(column.type) or column.null_count:
        raise DataError(f"{path}: column 'is_unk' must hold true or false in each row, got {column.type}")
    result: npt.NDArray[np.bool_] = column.to_numpy(zero_copy_only=False)
    return result


def _check_values(path: Path, logprob: npt.NDArray[np.floating[Any]]) -> None:
    if len(logprob) and not logprob.any():
        raise DataError(f"{path}: every `logprob` is 0, which is a probability of 1; nothing was scored")
    finite = logprob[np.isfinite(logprob)]
    if len(finite) and (finite >= 0).all() and finite.any():
        raise DataError(
            f"{path}: every `logprob` is positive, so these are surprisals or losses; "
            "multiply them by -1 to make them log-probabilities"
        )


def _document(
    path: Path, document: Document, rows: npt.NDArray[np.int64], columns: Mapping[str, Any], base: str
) -> TokenScores:
    index = columns["token_index"][rows]
    wrong = np.flatnonzero(index != np.arange(len(rows)))
    if wrong.size:
        due = int(wrong[0])
        problem = f"{due - 1} stands twice" if index[due] == due - 1 else f"{due} is missing"
        raise DataError(
            f"{path}: the `token_index` of document '{document.doc_id}' must count 0, 1, 2, ..., "
            f"but {problem}"
        )
    if not np.isfinite(columns["logprob"][rows]).all():
        raise NonFiniteScoresError(f"{path}: a `logprob` of document '{document.doc_id}' is not finite")
    try:
        return TokenScores(
            doc_id=document.doc_id,
            token_id=np.where(columns["is_unk"][rows], UNKNOWN, KNOWN).astype(np.int64),
            char_start=columns["char_start"][rows].astype(np.int64),
            char_end=columns["char_end"][rows].astype(np.int64),
            logprob=columns["logprob"][rows].astype(np.float64) * BASES[base],
            n_chars=document.n_chars,
        )
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def _segmentation(scores: Iterable[TokenScores]) -> str:
    digest = hashlib.sha256()
    for held in scores:
        digest.update(f"{held.doc_id}\0{held.n_tokens}\0".encode())
        digest.update(held.char_end.astype("<i8").tobytes())
    return digest.hexdigest()

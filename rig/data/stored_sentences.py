"""Sentences made again from their rows, exactly as they were written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

import pyarrow as pa

from rig.core.errors import DataError
from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.data.blocks import Block

_WORD_FIELDS = ("form", "upos", "head", "deprel", "lemma", "xpos", "feats", "deps", "misc")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceInDocument:
    """A sentence and its place."""

    doc_id: str
    char_start: int
    """First code point of the sentence in its document."""
    sentence: Sentence


@final
class BlockSentences:
    """The sentences of a block with all columns."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._sentences: list[dict[str, Any]] = block.sentences.to_pylist()
        self._columns = {name: _values(block.words[name]) for name in block.words.column_names}

    def of_document(self, index: int) -> Iterator[SentenceInDocument]:
        """The sentences of the block's document at `index`, in order.

        Raises:
            DataError: Its word rows don't match its sentence rows.
        """
        first, last = self._block.sentence_bounds[index : index + 2].tolist()
        position, end = self._block.word_bounds[index : index + 2].tolist()
        for row in self._sentences[first:last]:
            rows = range(position, position + row["n_words"])
            position = rows.stop
            if position > end or any(self._columns["sent_id"][word] != row["sent_id"] for word in rows):
                _refuse(row["sent_id"])
            sentence = _sentence(row, self._columns, rows)
            yield SentenceInDocument(doc_id=row["doc_id"], char_start=row["char_start"], sentence=sentence)
        if position != end:
            _refuse(self._columns["sent_id"][position])


def _refuse(sent_id: str) -> None:
    raise DataError(
        f"sentence '{sent_id}': its rows in words.parquet are incomplete or out of order; "
        "run `rig data validate`"
    )


def _values(column: pa.ChunkedArray) -> list[Any]:
    """A column as Python values, None where null; several times faster than pyarrow's own `to_pylist`."""
    if column.null_count and not pa.types.is_string(column.type):
        raise DataError("a required column of words.parquet has missing values; run `rig data validate`")
    values: list[Any] = column.to_numpy().tolist()
    return values


def _sentence(row: dict[str, Any], columns: dict[str, list[Any]], rows: Sequence[int]) -> Sentence:
    return Sentence(
        sent_id=row["sent_id"],
        text=row["text"],
        words=tuple(Word(**{name: columns[name][word] for name in _WORD_FIELDS}) for word in rows),
        units=tuple(
            SurfaceUnit(
                form=columns["unit_form"][word],
                first_word=columns["word_id"][word],
                last_word=columns["word_id"][word] + columns["mwt_size"][word] - 1,
                space_after=columns["space_after"][word],
                is_multiword=columns["in_mwt"][word],
                feats=columns["unit_feats"][word],
                misc=columns["unit_misc"][word],
            )
            for word in rows
            if columns["mwt_pos"][word] == 0
        ),
        comments=tuple(row["comments"]),
        empty_nodes=tuple(row["empty_nodes"]),
    )

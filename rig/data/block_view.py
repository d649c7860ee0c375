"""A block of a data set as arrays, for checking: nothing in it is taken to be right."""

import functools
from typing import Any, final

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from rig.data.blocks import Block

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_FILL: dict[str, Any] = {"text": "", "number": -1, "flag": False}


@final
class BlockView:
    """Columns as arrays (missing values filled with "", -1 or False), and what rules need in common.

    Positions are rows of the block. All documents' texts stand one after another in `codepoints`.
    """

    def __init__(self, block: Block) -> None:
        self.tables = {"documents": block.documents, "sentences": block.sentences, "words": block.words}
        self.sentence_document = np.repeat(np.arange(len(self)), np.diff(block.sentence_bounds))
        """(n_sentences,) row of the sentence's document."""
        self.word_document = np.repeat(np.arange(len(self)), np.diff(block.word_bounds))
        """(n_words,) row of the word's document."""
        self._texts: list[str] = self.texts("documents", "text")
        self.n_chars = np.array([len(text) for text in self._texts], np.int64)
        """(n_documents,) code points."""
        self._base = np.concatenate([[0], np.cumsum(self.n_chars)])
        joined = "".join(self._texts).encode("utf-32-le", "surrogatepass")
        codepoints = np.frombuffer(joined, "<u4")
        distinct, where = np.unique(codepoints, return_inverse=True)
        is_space = np.array([chr(codepoint).isspace() for codepoint in distinct.tolist()], bool)
        written = ~is_space[where] if len(distinct) else np.zeros(0, bool)
        self._n_written = np.concatenate([[0], np.cumsum(written)])

    def __len__(self) -> int:
        return int(self.tables["documents"].num_rows)

    def n_rows(self, table: str) -> int:
        """Rows of a table in this block."""
        return int(self.tables[table].num_rows)

    def numbers(self, table: str, column: str) -> IntArray:
        """A column of whole numbers."""
        return self._filled(table, column, "number").astype(np.int64)

    def flags(self, table: str, column: str) -> BoolArray:
        """A column of true and false."""
        return self._filled(table, column, "flag").astype(bool)

    def texts(self, table: str, column: str) -> list[str]:
        """A column of texts."""
        values: list[str] = self._filled(table, column, "text").tolist()
        return values

    def _filled(self, table: str, column: str, kind: str) -> npt.NDArray[Any]:
        values: npt.NDArray[Any] = pc.fill_null(self.tables[table][column], _FILL[kind]).to_numpy()
        return values

    def where_text(self, table: str, column: str, accepted: Any) -> BoolArray:
        """(n_rows,) whether each text passes `accepted`, which is asked once for each distinct text."""
        encoded = pc.fill_null(self.tables[table][column], "").combine_chunks().dictionary_encode()
        answers = np.array([bool(accepted(text)) for text in encoded.dictionary.to_pylist()], bool)
        rows: BoolArray = (
            answers[encoded.indices.to_numpy()] if len(answers) else np.zeros(len(encoded), bool)
        )
        return rows

    def n_written(self, document: IntArray, start: IntArray, end: IntArray) -> IntArray:
        """Code points that aren't white space in spans of documents; spans are clipped to the text."""
        low, high = self._base[document], self._base[document + 1]
        first, last = np.clip(low + start, low, high), np.clip(low + end, low, high)
        counts: IntArray = self._n_written[np.maximum(first, last)] - self._n_written[first]
        return counts

    def slices(self, document: IntArray, start: IntArray, end: IntArray) -> list[str]:
        """The text of spans of documents, empty for a span out of the text."""
        spans = zip(document.tolist(), start.tolist(), end.tolist(), strict=True)
        return [self._texts[row][max(first, 0) : max(last, 0)] for row, first, last in spans]

    @functools.cached_property
    def word_sentence(self) -> IntArray:
        """(n_words,) row of the word's sentence, -1 if there is none in the word's document."""
        sentence = self.tables["sentences"]["sent_id"].combine_chunks()
        found = pc.index_in(self.tables["words"]["sent_id"], value_set=sentence)
        row: IntArray = pc.fill_null(found, -1).to_numpy().astype(np.int64)
        if not len(sentence):
            return row
        rows: IntArray = np.where(self.sentence_document[row] == self.word_document, row, -1)
        return rows

    @functools.cached_property
    def sentence_begins(self) -> BoolArray:
        """(n_words,) whether the word's row is the first of its sentence."""
        return changes(self.word_sentence, self.word_document)

    @functools.cached_property
    def unit_begins(self) -> BoolArray:
        """(n_words,) whether the word's row is the first of its unit."""
        return self.sentence_begins | changes(self.numbers("words", "unit_id"))

    @functools.cached_property
    def sentence_first(self) -> IntArray:
        """(n_words,) first row of the word's run of rows of one sentence."""
        return group_first(self.sentence_begins)

    @functools.cached_property
    def sentence_size(self) -> IntArray:
        """(n_words,) rows of that run."""
        return group_size(self.sentence_begins)


def changes(*columns: IntArray) -> BoolArray:
    """(n,) whether a row differs from the row before it in any column; the first row does."""
    begins = np.ones(len(columns[0]), bool)
    if len(begins):
        begins[1:] = np.logical_or.reduce([np.diff(column) != 0 for column in columns])
    return begins


def group_first(begins: BoolArray) -> IntArray:
    """(n,) first row of each row's group."""
    return np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))


def group_size(begins: BoolArray) -> IntArray:
    """(n,) number of rows in each row's group."""
    if not len(begins):
        return np.zeros(0, np.int64)
    sizes = np.diff(np.append(np.flatnonzero(begins), len(begins)))
    return np.repeat(sizes, sizes)


def positions_in_group(begins: BoolArray) -> IntArray:
    """(n,) 0-based position of each row in its group."""
    return np.arange(len(begins)) - group_first(begins)


def as_mask(answers: npt.ArrayLike) -> BoolArray:
    """Answers as an array of true and false."""
    return np.asarray(answers, bool)

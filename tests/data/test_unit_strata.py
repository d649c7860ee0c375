from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.core.errors import DataError
from rig.data.schema import SCHEMAS
from rig.data.unit_strata import columns_for, unit_rows, units_by_document

Tree = list[tuple[int, list[int]]]


@st.composite
def sentences(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Word rows of one sentence: units of one to three words, heads drawn so that no unit is closed."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    n_words, rows, word = sum(sizes), [], 0
    for unit, size in enumerate(sizes):
        first = word + 1
        open_word = draw(st.integers(first, first + size - 1))
        outside = [head for head in range(n_words + 1) if not first <= head < first + size]
        for _ in range(size):
            word += 1
            head = draw(st.sampled_from(outside) if word == open_word else st.integers(0, n_words))
            upos = draw(st.sampled_from(["NOUN", "VERB", "ADP"]))
            rows.append({"word_id": word, "unit_id": unit, "head": head, "upos": upos})
    return rows


def words_table(documents: list[list[list[dict[str, Any]]]]) -> tuple[pa.Table, np.ndarray[Any, Any]]:
    """Rows of documents of sentences; every document numbers its sentences alike, so that ids repeat."""
    rows, bounds = [], [0]
    for document in documents:
        for index, sentence in enumerate(document):
            rows += [
                row
                | {
                    "sent_id": f"s{index}",
                    "unit_start_char": row["unit_id"],
                    "unit_end_char": row["unit_id"] + 1,
                }
                for row in sentence
            ]
        bounds.append(len(rows))
    names = columns_for(("upos",))
    schema = pa.schema([SCHEMAS["words"].field(name) for name in names])
    return pa.Table.from_pylist(rows, schema=schema), np.array(bounds)


def slow_units(sentence: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Outermost tag and joint tag of each unit, one row after another."""
    units = []
    for unit in sorted({row["unit_id"] for row in sentence}):
        rows = [row for row in sentence if row["unit_id"] == unit]
        inside = {row["word_id"] for row in rows}
        outermost = next(row["upos"] for row in rows if row["head"] not in inside)
        units.append((outermost, "+".join(row["upos"] for row in rows)))
    return units


@settings(deadline=None)  # the first call may load a library
@given(st.lists(st.lists(sentences(), max_size=3), min_size=1, max_size=4))
def test_arrays_agree_with_a_slow_reference(documents: list[list[list[dict[str, Any]]]]) -> None:
    words, bounds = words_table(documents)
    found = units_by_document(words, bounds, ("upos",), frozenset())
    assert len(found) == len(documents)
    for units, document in zip(found, documents, strict=True):
        expected = [unit for sentence in document for unit in slow_units(sentence)]
        assert list(zip(units.upos, units.strata["upos"], strict=True)) == expected
        assert len(units.char_start) == len(units.char_end) == len(expected)


def test_no_words_give_no_units() -> None:
    words, bounds = words_table([[], []])
    assert [len(units) for units in units_by_document(words, bounds, ("upos",), frozenset())] == [0, 0]
    assert unit_rows(words, bounds).outermost.shape == (0,)


def test_a_missing_number_is_refused() -> None:
    words, bounds = words_table([[[{"word_id": 1, "unit_id": 0, "head": 0, "upos": "X"}]]])
    broken = words.set_column(words.column_names.index("head"), "head", pa.array([None], pa.int16()))
    with pytest.raises(DataError, match="column 'head' of the words table has missing values"):
        unit_rows(broken, bounds)

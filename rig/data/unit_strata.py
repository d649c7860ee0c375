"""From word rows to surface units and the labels that scores are grouped by. Array by array, no row loop."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rig.core.documents import Units
from rig.core.errors import DataError, did_you_mean
from rig.data.schema import SCHEMAS

NO_VALUE = "none"
"""The label of a unit whose outermost word has no value in the column or no such feature."""

_FEATURE = "feats."
_SEEN = "seen"
_GEOMETRY = ("sent_id", "word_id", "unit_id", "unit_start_char", "unit_end_char", "head", "upos")


def columns_for(strata: Sequence[str]) -> list[str]:
    """The word columns that units with these strata are made from.

    Raises:
        DataError: A stratum is none of: a column, `feats.NAME`, `seen`; or it is there twice.
    """
    columns = list(_GEOMETRY)
    known = [*SCHEMAS["words"].names, _SEEN]
    if len(set(strata)) != len(strata):
        raise DataError(f"`strata` must name each stratum once, got {', '.join(strata)}")
    for stratum in strata:
        column = "unit_form" if stratum == _SEEN else stratum
        if stratum.startswith(_FEATURE) and len(stratum) > len(_FEATURE):
            column = "feats"
        elif stratum not in known:
            raise DataError(
                f"Unknown stratum '{stratum}'. {did_you_mean(stratum, [*known, 'feats.NAME'])} A feature is "
                "written feats.NAME, for example feats.Number."
            )
        columns.append(column)
    return list(dict.fromkeys(columns))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRows:
    """The rows of each unit in a table of words."""

    start: npt.NDArray[np.int64]
    """(n_units,) row of its first word."""
    size: npt.NDArray[np.int64]
    """(n_units,) words."""
    outermost: npt.NDArray[np.int64]
    """(n_units,) row of the first word whose head lies outside the unit."""


def unit_rows(words: pa.Table, word_bounds: npt.NDArray[np.int64]) -> UnitRows:
    """Group word rows into units.

    Args:
        words: With the columns of `columns_for`.
        word_bounds: (n_documents + 1,) rows where documents begin, and the end.

    Raises:
        DataError: The heads of a multiword token's words never leave it.
    """
    n_rows = words.num_rows
    unit = integers(words, "unit_id")
    sentence = _codes(words, "sent_id")
    begins = np.ones(n_rows, bool)
    begins[1:] = (np.diff(unit) != 0) | (np.diff(sentence) != 0)
    begins[word_bounds[:-1][np.diff(word_bounds) > 0]] = True
    start = np.flatnonzero(begins)
    size = np.diff(np.append(start, n_rows))

    word, head = integers(words, "word_id"), integers(words, "head")
    first = np.repeat(word[start], size)
    outside = (head < first) | (head >= first + np.repeat(size, size))
    row = np.where(outside, np.arange(n_rows), n_rows)
    outermost = np.minimum.reduceat(row, start) if len(start) else start
    lost = np.flatnonzero(outermost == n_rows)
    if lost.size:
        where = words["sent_id"][int(start[lost[0]])].as_py()
        raise DataError(
            f"sentence '{where}': the heads of a multiword token's words never leave it; "
            "run `rig data validate`"
        )
    return UnitRows(start=start, size=size, outermost=outermost)


def units_by_document(
    words: pa.Table,
    word_bounds: npt.NDArray[np.int64],
    strata: Sequence[str],
    train_forms: frozenset[str],
) -> list[Units]:
    """The units of each document, with a label for each stratum.

    Args:
        words: With the columns of `columns_for`.
        word_bounds: (n_documents + 1,) rows where documents begin, and the end.
        strata: What to label units by.
        train_forms: Casefolded unit forms of the train split, for `seen`.
    """
    rows = unit_rows(words, word_bounds)
    start, end = (integers(words, name)[rows.start] for name in ("unit_start_char", "unit_end_char"))
    upos = _labels(words["upos"], rows.outermost)
    labels = {stratum: _stratum(words, rows, stratum, train_forms) for stratum in strata}
    bounds = np.searchsorted(rows.start, word_bounds).tolist()
    return [
        Units(
            char_start=start[first:last],
            char_end=end[first:last],
            upos=tuple(upos[first:last]),
            strata={stratum: tuple(values[first:last]) for stratum, values in labels.items()},
        )
        for first, last in itertools.pairwise(bounds)
    ]


def integers(words: pa.Table, column: str) -> npt.NDArray[np.int64]:
    """A column of whole numbers.

    Raises:
        DataError: A value is missing.
    """
    if words[column].null_count:
        raise DataError(f"column '{column}' of the words table has missing values; run `rig data validate`")
    values: npt.NDArray[np.int64] = words[column].to_numpy().astype(np.int64)
    return values


def _stratum(words: pa.Table, rows: UnitRows, stratum: str, train_forms: frozenset[str]) -> list[str]:
    if stratum == "upos":
        return _joint_tags(words["upos"], rows)
    if stratum == _SEEN:
        forms = words["unit_form"].combine_chunks().dictionary_encode()
        seen = [
            "seen" if form.casefold() in train_forms else "unseen" for form in forms.dictionary.to_pylist()
        ]
        labels: list[str] = np.array(seen, object)[forms.indices.to_numpy()[rows.start]].tolist()
        return labels
    if stratum.startswith(_FEATURE):
        return _labels(_feature(words["feats"], stratum.removeprefix(_FEATURE)), rows.outermost)
    return _labels(words[stratum], rows.outermost)


def _labels(values: pa.ChunkedArray, rows: npt.NDArray[np.int64]) -> list[str]:
    labels: list[str] = pc.fill_null(values.take(pa.array(rows)).cast(pa.string()), NO_VALUE).to_pylist()
    return labels


def _joint_tags(upos: pa.ChunkedArray, rows: UnitRows) -> list[str]:
    """The tags of a unit's words joined by `+` in word order: `ADP+DET`."""
    tags = _labels(upos, rows.start)
    for unit in np.flatnonzero(rows.size > 1).tolist():
        first = int(rows.start[unit])
        parts = upos.slice(first, int(rows.size[unit])).to_pylist()
        tags[unit] = "+".join(parts)
    return tags


def _feature(feats: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """One feature's value from FEATS; null where it is not there."""
    encoded = feats.combine_chunks().dictionary_encode()
    values = [
        dict(pair.split("=", 1) for pair in text.split("|") if "=" in pair).get(name)
        for text in encoded.dictionary.to_pylist()
    ]
    return pa.chunked_array([pa.array(values, pa.string()).take(encoded.indices)])


def _codes(words: pa.Table, column: str) -> npt.NDArray[np.int64]:
    """A number for each distinct value."""
    codes: npt.NDArray[np.int64] = words[column].combine_chunks().dictionary_encode().indices.to_numpy()
    return codes.astype(np.int64)

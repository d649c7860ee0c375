"""How word annotations are stored: three parquet tables in one folder, and what the files say of themselves.

`documents` has one row a text, `sentences` one a sentence, `words` one a syntactic word with the span of its
surface unit. Rows stand in document order in all three. Offsets are half-open and count Unicode code points
of the document's NFC text. Parquet's own encoding is free: a column is right if its values are.
"""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import pyarrow as pa
import pyarrow.parquet as pq

from rig.core.errors import DataError, did_you_mean

SPLITS: tuple[str, ...] = ("train", "validation", "test")
"""The parts of a data set, by document."""

SCHEMA_VERSION: int = 1
"""Raised whenever a column's meaning changes."""

_FILE_KEY = b"rig.annotations"
_CONVENTIONS = {
    "schema_version": SCHEMA_VERSION,
    "normalisation": "NFC",
    "offset_unit": "codepoint",
    "unit": "surface token: a plain word or a whole multiword token",
}


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


SCHEMAS: dict[str, pa.Schema] = {
    "documents": pa.schema(
        [
            _required("doc_id", pa.string()),
            _required("text", pa.large_string()),
            _required("split", pa.string()),
            _required("source", pa.string()),
            _required("licence", pa.string()),
            _required("sha256", pa.string()),  # of the text's UTF-8 bytes
        ]
    ),
    "sentences": pa.schema(
        [
            _required("doc_id", pa.string()),
            _required("sent_id", pa.string()),  # unique in the data set
            _required("sent_index", pa.int32()),  # in its document, from 0
            _required("char_start", pa.int32()),
            _required("char_end", pa.int32()),
            _required("n_words", pa.int16()),
            _required("n_units", pa.int16()),
            _required("text", pa.string()),  # equals its slice of the document
            _required("comments", pa.list_(pa.string())),
            _required("empty_nodes", pa.list_(pa.string())),
        ]
    ),
    "words": pa.schema(
        [
            _required("doc_id", pa.string()),
            _required("sent_id", pa.string()),
            _required("word_id", pa.int16()),  # in its sentence, from 1
            _required("unit_id", pa.int16()),  # in its sentence, from 0
            _required("unit_start_char", pa.int32()),  # in the document, as is the end
            _required("unit_end_char", pa.int32()),
            _required("unit_form", pa.string()),
            _required("in_mwt", pa.bool_()),
            _required("mwt_size", pa.int8()),  # words in the unit, 1 for a plain word
            _required("mwt_pos", pa.int8()),  # of the word in the unit, from 0
            pa.field("unit_feats", pa.string()),  # FEATS and MISC of a multiword token's range line
            pa.field("unit_misc", pa.string()),
            _required("form", pa.string()),
            pa.field("lemma", pa.string()),
            _required("upos", pa.string()),
            pa.field("xpos", pa.string()),
            pa.field("feats", pa.string()),  # `A=x|B=y`, keys sorted
            _required("head", pa.int16()),  # word_id in the same sentence, 0 for the root
            _required("deprel", pa.string()),
            pa.field("deps", pa.string()),
            _required("space_after", pa.bool_()),  # of the unit
            pa.field("misc", pa.string()),
        ]
    ),
}
"""Each table's columns and their types."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """Where a data set's text and annotation come from; stands in each of its files."""

    name: str
    """What reports call the data set."""
    language: str
    """BCP 47 code, for example `pt`."""
    annotator: str
    """The parser's name, or `manual`."""
    annotator_version: str
    model_sha256: str
    """Hash of the parser's model files; empty for manual annotation."""
    ud_version: str
    """The Universal Dependencies release whose guidelines it follows; empty if unknown."""
    source: str
    licence: str


def table_path(folder: Path, table: str) -> Path:
    """The file of a table in a data set's folder."""
    return folder / f"{table}.parquet"


def file_schema(table: str, metadata: Metadata) -> pa.Schema:
    """A table's schema with the data set's metadata, as it is written."""
    stated = _CONVENTIONS | dataclasses.asdict(metadata)
    text = json.dumps(stated, ensure_ascii=False, sort_keys=True)
    return SCHEMAS[table].with_metadata({_FILE_KEY: text.encode()})


def open_table(folder: Path, table: str) -> pq.ParquetFile:
    """A table's file, opened, once its columns and types are checked.

    Raises:
        DataError: The file is missing, no parquet, of a newer schema, or lacks a column, or a column's values
            are of another type.
    """
    path = table_path(folder, table)
    if not path.is_file():
        names = ", ".join(f"{name}.parquet" for name in SCHEMAS)
        raise DataError(f"{path} is missing; a data set is a folder with {names}")
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path} can't be read as parquet ({_first_line(error)}); write it again") from error
    stated_metadata(file, path)  # a newer version first: its columns may well differ
    for field in SCHEMAS[table]:
        index = file.schema_arrow.get_field_index(field.name)
        if index < 0:
            raise DataError(f"{path}: column '{field.name}' is missing; import the data set again")
        got = file.schema_arrow.field(index).type
        if _family(got) != _family(field.type):
            raise DataError(f"{path}: column '{field.name}' must hold {_family(field.type)}, got {got}")
    return file


def stated_metadata(file: pq.ParquetFile, path: Path) -> Metadata:
    """The data set's metadata as one of its files states them.

    Raises:
        DataError: They are missing or incomplete, or the schema is newer than this version of rig.
    """
    raw = (file.schema_arrow.metadata or {}).get(_FILE_KEY)
    if raw is None:
        raise DataError(
            f"{path} doesn't say that it holds rig's annotations; bring other parquet files in with "
            "`rig data import-parquet`"
        )
    try:
        stated: dict[str, Any] = json.loads(raw)
        version = int(stated["schema_version"])
        metadata = Metadata(**{field.name: str(stated[field.name]) for field in dataclasses.fields(Metadata)})
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{path}: the file's metadata are damaged ({_first_line(error)}); import again"
        ) from error
    if version > SCHEMA_VERSION:
        raise DataError(
            f"{path} has schema version {version}, but this rig reads up to {SCHEMA_VERSION}; upgrade rig"
        )
    return metadata


def as_stored(rows: pa.Table, table: str, path: Path) -> pa.Table:
    """Rows of some of a table's columns, cast to the table's own types.

    Raises:
        DataError: A value does not fit (a number is too large, a text is not UTF-8).
    """
    schema = SCHEMAS[table]
    target = pa.schema([pa.field(name, schema.field(name).type) for name in rows.column_names])
    try:
        return rows.cast(target)
    except pa.ArrowException as error:
        raise DataError(f"{path}: a value doesn't fit its column ({_first_line(error)})") from error


def require_split(split: str) -> str:
    """`split` itself.

    Raises:
        DataError: It is not one of the three.
    """
    if split not in SPLITS:
        raise DataError(f"Unknown split '{split}'. {did_you_mean(split, SPLITS)}")
    return split


def require_columns(columns: Sequence[str], table: str) -> None:
    """Refuse a column that the table does not have.

    Raises:
        DataError: Names the nearest column.
    """
    known = SCHEMAS[table].names
    for column in columns:
        if column not in known:
            raise DataError(f"Unknown column '{column}' of the {table} table. {did_you_mean(column, known)}")


def _family(kind: pa.DataType) -> str:
    """What a type's values are, whatever their width and encoding."""
    if pa.types.is_dictionary(kind):
        return _family(kind.value_type)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    if pa.types.is_integer(kind):
        return "whole numbers"
    if pa.types.is_boolean(kind):
        return "true or false"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"lists of {_family(kind.value_type)}"
    return str(kind)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]

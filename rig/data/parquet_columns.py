"""Which of a user's parquet columns means what, and its values as CoNLL-U would write them."""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, final

import pyarrow as pa
import pyarrow.parquet as pq

from rig.core.errors import DataError, did_you_mean

ABSENT = "_"
"""CoNLL-U's sign for no value."""

ROLES: tuple[str, ...] = (
    "doc_id", "sent_id", "split", "text", "comments", "mwt", "empty_nodes",
    "word_id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc", "space_after",
    "unit_id", "unit_form", "unit_feats", "unit_misc", "unit_start_char", "unit_end_char",
)  # fmt: skip
"""What a column can mean. In a table of sentences the columns of words are lists."""

_OTHER_DEFAULTS = {"tokens": "form", "lemmas": "lemma"}
_IDS = ("doc_id", "sent_id")
_LABELS = ("upos", "xpos", "deprel", "split")
_NUMBERS = ("unit_id", "unit_start_char", "unit_end_char")
_STRUCTURES = ("mwt", "empty_nodes")
_NOTHING = "nothing at all"
_OPTIONAL_VALUES = ("feats", "deps", "misc", "xpos", "unit_feats", "unit_misc")


@final
class UserTable:
    """A user's parquet file, read by role."""

    def __init__(self, path: Path, mapping: Mapping[str, str]) -> None:
        """Open a file and find its columns.

        Args:
            path: A parquet file.
            mapping: Role to the name of its column, where that isn't the role itself.

        Raises:
            DataError: No parquet, an unknown role, a column that isn't there or is of a wrong type.
        """
        self.path = path
        if not path.is_file():
            raise DataError(f"{path} is missing or no file; name a parquet file")
        try:
            self._file = pq.ParquetFile(path)
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{path} can't be read as parquet; write it again") from error
        schema = self._file.schema_arrow
        self._column_of = _find_columns(path, schema.names, mapping)
        self.is_sentences = "form" in self and _is_list(self._type("form"))
        """Whether a row is a sentence; otherwise it is a word."""
        self._class_names = {role: self._names_of_labels(role) for role in _LABELS if role in self}
        for role in self._column_of:
            self._refuse_type(role)

    def __contains__(self, role: object) -> bool:
        return role in self._column_of

    def require(self, *roles: str) -> None:
        """Refuse the file unless it has these columns.

        Raises:
            DataError: Names the first that is missing and how to say which it is.
        """
        for role in roles:
            if role not in self:
                names = ", ".join(self._file.schema_arrow.names)
                raise DataError(
                    f"{self.path}: no column for '{role}' among {names}; say which with --map {role}=NAME"
                )

    def rows(self, batch_size: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """Numbered rows from 1, each as role to value; absent values are None."""
        number = 0
        batches = self._file.iter_batches(batch_size=batch_size, columns=list(self._column_of.values()))
        while True:
            try:
                batch = next(batches, None)
            except (pa.ArrowException, OSError) as error:
                raise DataError(f"{self.path} is damaged: its pages can't be read; write it again") from error
            if batch is None:
                return
            columns = [batch.column(name).to_pylist() for name in self._column_of.values()]
            for values in zip(*columns, strict=True):
                number += 1
                yield number, dict(zip(self._column_of, values, strict=True))

    def cell(self, role: str, value: Any, where: str) -> str:
        """A value as it stands in a CoNLL-U column.

        Raises:
            DataError: The value has no such form.
        """
        if value is None or value == "" or (value == "None" and role in _OPTIONAL_VALUES):
            return ABSENT
        names = self._class_names.get(role)
        if names is not None and not isinstance(value, str):  # an empty node's tag is text beside numbers
            if not 0 <= value < len(names):
                raise DataError(
                    f"{where}: column '{self._column_of[role]}' has class {value} of {len(names)}"
                )
            return names[int(value)]
        text = str(value)
        if role in _OPTIONAL_VALUES and text.startswith(("{", "[")):
            return _pairs_of_dict(text, role, where)
        if "\t" in text or "\n" in text or "\r" in text:
            raise DataError(
                f"{where}: column '{self._column_of.get(role, role)}' holds a tab or line break: {text!r}"
            )
        return text

    def is_whole_number(self, role: str) -> bool:
        """Whether the column's type is an integer."""
        return bool(pa.types.is_integer(self._type(role)))

    def _type(self, role: str) -> pa.DataType:
        return self._file.schema_arrow.field(self._column_of[role]).type

    def _item_type(self, role: str) -> pa.DataType:
        """The type of one word's value; of one row's for what belongs to the sentence."""
        kind = self._type(role)
        return kind.value_type if _is_list(kind) else kind

    def _refuse_type(self, role: str) -> None:
        of_sentence = role in (*_IDS, "split", "text")
        wants_list = role in ("comments", *_STRUCTURES) or (self.is_sentences and not of_sentence)
        values = _values_of(self._item_type(role))
        if values == _NOTHING:
            return
        if values not in _accepted(role) or _is_list(self._type(role)) != wants_list:
            lists = "a list of " if wants_list else ""
            raise DataError(
                f"{self.path}: column '{self._column_of[role]}' ({role}) must hold "
                f"{lists}{' or '.join(_accepted(role))}, got {self._type(role)}"
            )

    def _names_of_labels(self, role: str) -> list[str] | None:
        """The names that whole numbers stand for, as Hugging Face's metadata give them; None for text."""
        if not pa.types.is_integer(self._item_type(role)):
            return None
        column = self._column_of[role]
        try:
            stated = json.loads((self._file.schema_arrow.metadata or {})[b"huggingface"])
            feature = stated["info"]["features"][column]
            names = (feature if "names" in feature else feature["feature"])["names"]
            return [str(name) for name in names]
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(
                f"{self.path}: column '{column}' holds numbers, but the file's metadata have no ClassLabel "
                "names for it; write it as text"
            ) from error


def _accepted(role: str) -> tuple[str, ...]:
    """What a column's values may be."""
    if role == "space_after":
        return ("true or false",)
    if role in _STRUCTURES:
        return ("structs",)
    if role in _NUMBERS:
        return ("whole numbers",)
    return ("text", "whole numbers") if role in (*_IDS, *_LABELS, "word_id", "head") else ("text",)


def _values_of(kind: pa.DataType) -> str:
    """What the values of a type are."""
    if pa.types.is_dictionary(kind):
        return _values_of(kind.value_type)
    names = {
        "text": pa.types.is_string(kind) or pa.types.is_large_string(kind),
        "whole numbers": pa.types.is_integer(kind),
        "true or false": pa.types.is_boolean(kind),
        "structs": pa.types.is_struct(kind),
        _NOTHING: pa.types.is_null(kind),
    }
    return next((name for name, holds in names.items() if holds), str(kind))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _find_columns(path: Path, names: Sequence[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Role to column, in the order of roles."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(f"{path}: column '{twice[0]}' is there twice; keep one")
    chosen = {_OTHER_DEFAULTS.get(role, role): column for role, column in mapping.items()}
    for role, column in chosen.items():
        if role not in ROLES:
            raise DataError(f"--map: unknown column '{role}'. {did_you_mean(role, ROLES)}")
        if column not in names:
            raise DataError(f"{path}: no column '{column}' for '{role}'. {did_you_mean(column, names)}")
    defaults = {role: name for name, role in _OTHER_DEFAULTS.items() if name in names}
    defaults |= {role: role for role in ROLES if role in names}
    found = defaults | chosen
    return {role: found[role] for role in ROLES if role in found}


def _pairs_of_dict(text: str, role: str, where: str) -> str:
    """`{'A': 'x', 'B': 'y'}`, as some scripts write a Python dict, as `A=x|B=y`."""
    try:
        pairs = ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise DataError(f"{where}: `{role}` is {text[:40]!r}, neither Name=Value pairs nor a dict") from error
    if not isinstance(pairs, dict):
        raise DataError(f"{where}: `{role}` must be text as in CoNLL-U, got {text[:40]!r}")
    items = sorted(pairs.items(), key=lambda item: str(item[0]).lower())
    return "|".join(str(name) if value is None else f"{name}={value}" for name, value in items) or ABSENT

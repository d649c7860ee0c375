"""Subject-verb agreement pairs: a sentence with its verb, and the same sentence with the verb's other number.

A tab-separated file with a header, quoted as in CSV (RFC 4180), one pair a row. `AgreementPair` is its one
description: a field is a column.
"""

import csv
import io
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import final

from rig.core.errors import DataError
from rig.core.files import write_text
from rig.data.utf8 import read_utf8

NUMBERS: tuple[str, ...] = ("Sing", "Plur")
"""Values of the feature Number that a pair can have."""
CELLS: tuple[str, ...] = ("Sing|match", "Sing|mismatch", "Plur|match", "Plur|mismatch")
"""The design: the verb's number x whether the last noun before the verb has it."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementPair:
    """One pair; raises DataError where a field contradicts another."""

    source: str
    """The treebank or corpus."""
    licence: str
    sent_id: str
    text: str
    """The sentence with the agreeing verb, NFC."""
    char_start: int
    """First code point of the verb in `text`."""
    char_end: int
    """One past the verb's last code point."""
    verb_good: str
    """The form that agrees; equals text[char_start:char_end]."""
    verb_bad: str
    """The form of the other number."""
    lemma: str
    upos: str
    tense: str
    """Empty where the form has none (the conditional)."""
    mood: str
    number: str
    """Of the subject and of `verb_good`: Sing or Plur."""
    subject: str
    """The form of the subject's head."""
    subj_upos: str
    distance: int
    """Words from the subject's head to the verb; 1 if they are adjacent."""
    n_attractors: int
    """Nouns between them that have the other number."""
    last_noun_mismatch: bool
    """Whether the last noun before the verb has the other number."""
    rel_clause: bool
    """Whether a relative clause on the subject stands between."""
    pp: bool
    """Whether a prepositional phrase on the subject stands between."""

    def __post_init__(self) -> None:
        if not unicodedata.is_normalized("NFC", self.text):
            raise DataError("the text must be NFC; normalise it, then count the offsets again")
        if not 0 <= self.char_start < self.char_end <= len(self.text):
            raise DataError(
                f"`char_start` and `char_end` must lie in the {len(self.text)} characters of the text, "
                f"got {self.char_start} and {self.char_end}"
            )
        found = self.text[self.char_start : self.char_end]
        if found != self.verb_good:
            raise DataError(
                f"`verb_good` is '{self.verb_good}' but characters {self.char_start} to {self.char_end} of "
                f"the text are '{found}'; offsets count Unicode code points"
            )
        if not self.verb_bad.strip() or not unicodedata.is_normalized("NFC", self.text_bad):
            raise DataError(f"`verb_bad` must be a word in NFC, got {self.verb_bad!r}")
        if self.verb_bad == self.verb_good:
            raise DataError(f"`verb_good` and `verb_bad` are both '{self.verb_good}', so nothing is compared")
        if not (self.source and self.sent_id and self.lemma):
            raise DataError("`source`, `sent_id` and `lemma` must not be empty")
        if self.number not in NUMBERS:
            raise DataError(f"`number` must be Sing or Plur, got '{self.number}'")
        if self.distance < 1 or self.n_attractors < 0:
            raise DataError(
                "`distance` must be at least 1 and `n_attractors` at least 0, "
                f"got {self.distance} and {self.n_attractors}"
            )

    @property
    def item_id(self) -> str:
        """Source, sentence and place of the verb: unique in a file."""
        return f"{self.source}/{self.sent_id}/{self.char_start}"

    @property
    def cell(self) -> str:
        """One of `CELLS`."""
        return f"{self.number}|{'mismatch' if self.last_noun_mismatch else 'match'}"

    @property
    def text_bad(self) -> str:
        """The sentence with the verb that does not agree."""
        return self.text[: self.char_start] + self.verb_bad + self.text[self.char_end :]


COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(AgreementPair))
"""The header, in order."""


def read_agreement_pairs(path: Path) -> tuple[AgreementPair, ...]:
    """The pairs of a file, in its order.

    Raises:
        DataError: The file is missing, not UTF-8, without pairs, lacks a column, or a row is malformed or
            stands there twice; the message names the line.
    """
    reader = csv.DictReader(io.StringIO(read_utf8(path), newline=""), delimiter="\t", strict=True)
    header = reader.fieldnames or ()
    if missing := [name for name in COLUMNS if name not in header]:
        raise DataError(
            f"'{path}' lacks the column(s) {', '.join(missing)}; got {', '.join(header) or 'none'}"
        )
    if len(set(header)) != len(header):
        raise DataError(f"'{path}' has a column twice in its header: {', '.join(header)}")
    pairs: list[AgreementPair] = []
    line_of: dict[tuple[str, ...], int] = {}
    try:
        for row in reader:
            pair = _pair(row, where=f"'{path}' line {reader.line_num}")
            for key in (("id", pair.item_id), ("strings", pair.text, pair.text_bad)):
                if key in line_of:
                    raise DataError(
                        f"'{path}' line {reader.line_num} repeats the pair of line {line_of[key]} "
                        f"('{pair.item_id}', {pair.verb_good}/{pair.verb_bad}); remove one"
                    )
                line_of[key] = reader.line_num
            pairs.append(pair)
    except csv.Error as error:
        raise DataError(
            f"'{path}' line {reader.line_num} is malformed: {error}; quote fields as CSV does"
        ) from None
    if not pairs:
        raise DataError(f"'{path}' has a header but no pairs")
    return tuple(pairs)


def write_agreement_pairs(path: Path, pairs: Iterable[AgreementPair]) -> None:
    """Write the file that `read_agreement_pairs` reads; the same pairs give the same bytes."""
    text = io.StringIO(newline="")
    writer = csv.writer(
        text, delimiter="\t", lineterminator="\r\n"
    )  # RFC 4180; with "\n" a "\r" isn't quoted
    writer.writerow(COLUMNS)
    for pair in pairs:
        values = [getattr(pair, name) for name in COLUMNS]
        writer.writerow([int(value) if isinstance(value, bool) else value for value in values])
    write_text(path, text.getvalue())


def _pair(row: Mapping[str | None, str | None], *, where: str) -> AgreementPair:
    if None in row or None in row.values():
        raise DataError(f"{where} must have as many fields as the header")
    cells = {name: str(row[name]) for name in COLUMNS}
    values: dict[str, str | int | bool] = dict(cells)
    for field in fields(AgreementPair):
        if field.type is int:
            values[field.name] = _integer(cells[field.name], name=field.name, where=where)
        elif field.type is bool:
            if cells[field.name] not in ("0", "1"):
                raise DataError(f"{where}: `{field.name}` must be 0 or 1, got '{cells[field.name]}'")
            values[field.name] = cells[field.name] == "1"
    try:
        return AgreementPair(**values)  # type: ignore[arg-type]
    except DataError as error:
        raise DataError(f"{where}: {error}") from None


def _integer(text: str, *, name: str, where: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise DataError(f"{where}: `{name}` must be a whole number, got '{text}'")
    return int(text)

"""What is scored: a document's text, and the surface units that its annotation lays over it."""

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.errors import DataError

WORD_CLASSES: tuple[str, ...] = ("NOUN", "VERB", "ADJ", "PROPN", "ADV", "OUTROS")
"""The classes that likelihood is reported by; OUTROS is every other universal part of speech."""


def word_class(upos: str) -> str:
    """The reported class of a universal part-of-speech tag: itself, or OUTROS."""
    return upos if upos in WORD_CLASSES else "OUTROS"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One held-out or training text."""

    doc_id: str
    """Unique in its data set."""
    text: str
    """NFC; all offsets count its Unicode code points."""

    def __post_init__(self) -> None:
        if not unicodedata.is_normalized("NFC", self.text):
            raise DataError(f"document '{self.doc_id}' must be NFC text; normalise it before it is annotated")

    @property
    def n_chars(self) -> int:
        """Unicode code points."""
        return len(self.text)

    @property
    def n_bytes(self) -> int:
        """UTF-8 bytes."""
        return len(self.text.encode())


def json_lines(documents: Iterable[Document]) -> str:
    """Documents for another program: one JSON object a line, `doc_id` and `text`, in UTF-8 as it is."""
    lines = (
        json.dumps({"doc_id": document.doc_id, "text": document.text}, ensure_ascii=False)
        for document in documents
    )
    return "".join(f"{line}\n" for line in lines)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """The surface units of one document: plain words and multiword tokens, in text order.

    Everything but white space lies in exactly one unit.
    """

    char_start: npt.NDArray[np.int64]
    """(n_units,) first code point."""
    char_end: npt.NDArray[np.int64]
    """(n_units,) one past the last code point."""
    upos: tuple[str, ...]
    """(n_units,) universal tag of the unit's outermost word: the first whose head lies outside the unit."""
    strata: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Other labels to group scores by, each (n_units,); for example the joint tag `ADP+DET`."""

    def __len__(self) -> int:
        return len(self.char_start)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedDocument:
    """A document and its units."""

    document: Document
    units: Units

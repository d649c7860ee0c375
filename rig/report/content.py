"""What a page is made of, before it is Markdown or HTML: sections of paragraphs, tables and figures.

Cells are finished text; a renderer only places them. Running text may hold `code` in backticks and **strong**
words, and nothing else; whatever else looks like markup is meant literally.
"""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One table cell."""

    text: str
    link: str = ""
    """Relative address, or empty."""
    sort: float | None = None
    """The exact value behind the text, for sorting."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with a caption above it."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    n_text_columns: int = 1
    """Leading columns of text; the rest are numbers and stand to the right."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture in the report's folder."""

    path: str
    caption: str
    """Says what is to be seen; also the alternative text."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and what stands under it, in this order."""

    title: str
    paragraphs: tuple[str, ...] = ()
    bullets: tuple[str, ...] = ()
    """Facts and warnings, one a line."""
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    blocks: tuple[str, ...] = ()
    """Preformatted text: samples, commands."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A whole report page."""

    title: str
    stamps: tuple[str, ...]
    """Warnings that stand above everything: UNLOCKED rows, failed cells, our own reading of MASHA."""
    sections: tuple[Section, ...]


def text_cells(*texts: str) -> tuple[Cell, ...]:
    """Plain cells of a row."""
    return tuple(Cell(text=text) for text in texts)

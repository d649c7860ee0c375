"""An annotated sentence in memory: syntactic words in a dependency tree, under surface units of text.

Readers, the embedded grammar and parsers all speak in these; only `rig.data` knows how they are stored.
Fields are those of CoNLL-U (https://universaldependencies.org/format.html), with None for its `_`.
"""

from dataclasses import dataclass, field
from typing import final

UPOS_TAGS: tuple[str, ...] = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM",
    "PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
"""The 17 universal part-of-speech tags."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A syntactic word; `do` is the two words `de` and `o`."""

    form: str
    upos: str
    head: int
    """1-based position of the head in the sentence; 0 for the root."""
    deprel: str
    lemma: str | None = None
    xpos: str | None = None
    feats: str | None = None
    """`A=x|B=y`, keys sorted."""
    deps: str | None = None
    misc: str | None = None
    """The word's own MISC without SpaceAfter, which belongs to the unit."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceUnit:
    """A token as it is written: a plain word, or a multiword token over several words."""

    form: str
    first_word: int
    """1-based position of its first word."""
    last_word: int
    """1-based position of its last word; equal to the first for a plain word."""
    space_after: bool = True
    is_multiword: bool = False
    """True for a CoNLL-U range line, also over one word."""
    feats: str | None = None
    misc: str | None = None
    """A multiword token's own FEATS and MISC (without SpaceAfter); None for a plain word."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence: words, the units that carry its text, and what else its CoNLL-U held."""

    sent_id: str
    text: str
    words: tuple[Word, ...]
    units: tuple[SurfaceUnit, ...]
    comments: tuple[str, ...] = field(default=())
    """Comment lines without `# `, other than sent_id, text and newdoc, in order."""
    empty_nodes: tuple[str, ...] = field(default=())
    """Lines of empty nodes (`8.1 ...`), whole; they carry no text."""

    def surface_text(self) -> str:
        """The text as its units spell it: forms, with a space where `space_after` (not after the last)."""
        pieces = [unit.form + (" " if unit.space_after else "") for unit in self.units]
        if pieces:
            pieces[-1] = self.units[-1].form
        return "".join(pieces)

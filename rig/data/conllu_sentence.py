"""One sentence from rows of CoNLL-U, checked as they come. Files of other shapes become such rows first."""

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn, final

from rig.core.errors import DataError
from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.data.sentence_faults import refuse_faults, unit_spans

OnTextMismatch = Literal["refuse", "rebuild"]

N_COLUMNS = 10
NO_SPACE = "SpaceAfter=No"

_MARK = re.compile(r"newdoc(?:(?: id|_id)\s*=\s*(?P<id>.*))?")
_EMPTY_NODE = re.compile(r"(\d+)\.(\d+)\t")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ConlluSentence:
    """A sentence and where it stood."""

    line: int
    """Of its first token, from 1."""
    newdoc: str | None
    """The id of the document that begins here; empty for a mark without an id, None without a mark."""
    sentence: Sentence


@final
class SentenceBuilder:
    """Takes the lines of one sentence after another; errors name the file and the line or row."""

    def __init__(self, path: Path, on_text_mismatch: OnTextMismatch) -> None:
        self._path = path
        self._on_text_mismatch = on_text_mismatch
        self.n_sentences = 0
        self._clear()

    def _clear(self) -> None:
        self._line = 0  # of the first token
        self._newdoc: str | None = None
        self._sent_id: str | None = None
        self._text: str | None = None
        self._comments: list[str] = []
        self._words: list[Word] = []
        self._units: list[SurfaceUnit] = []
        self._empty_nodes: list[str] = []
        self.begun = False

    def add_comment(self, line: str, number: int) -> None:
        """Take a line that begins with `#`."""
        if self._line:
            self._refuse(number, "a comment must stand before the sentence's first token")
        self.begun = True
        comment = line[1:].removeprefix(" ")
        key, equals, value = (part.strip() for part in comment.partition("="))
        mark = _MARK.fullmatch(comment.strip())
        if mark:
            self._newdoc = self._once(self._newdoc, (mark["id"] or "").strip(), "newdoc", number)
        elif key == "sent_id" and equals:
            self._sent_id = self._once(self._sent_id, value, "sent_id", number)
            if not value:
                self._refuse(number, "`# sent_id` must not be empty")
        elif key == "text" and equals:
            self._text = self._once(self._text, value, "text", number)
        else:
            self._comments.append(comment)

    def add_row(self, line: str, number: int) -> None:
        """Take a word, a multiword token's range or an empty node."""
        self.begun = True
        self._line = self._line or number
        columns = line.split("\t")
        if len(columns) != N_COLUMNS:
            self._refuse(number, f"a token has {N_COLUMNS} columns separated by tabs, got {len(columns)}")
        if "" in columns:
            self._refuse(number, f"column {columns.index('') + 1} is empty; an absent value is written `_`")
        identifier = columns[0]
        if "-" in identifier:
            self._add_range(columns, number)
        elif "." in identifier:
            self._add_empty_node(line, number)
        else:
            self._add_word(columns, number)

    def finish(self, number: int) -> ConlluSentence:
        """The sentence that ends here."""
        if not self._line:
            self._refuse(number, "these comments belong to no sentence; a token must follow")
        self.n_sentences += 1
        sentence = Sentence(
            sent_id=self._sent_id or f"{self._path.stem}-{self.n_sentences}",
            text=self._text or "",
            words=tuple(self._words),
            units=tuple(self._units),
            comments=tuple(self._comments),
            empty_nodes=tuple(self._empty_nodes),
        )
        try:
            refuse_faults(sentence)
            if self._text is None:
                sentence = dataclasses.replace(sentence, text=sentence.surface_text())
            sentence = self._checked_text(sentence)
        except DataError as error:
            raise DataError(f"{self._path}:{self._line}: sentence '{sentence.sent_id}': {error}") from error
        finished = ConlluSentence(line=self._line, newdoc=self._newdoc, sentence=sentence)
        self._clear()
        return finished

    def _checked_text(self, sentence: Sentence) -> Sentence:
        try:
            unit_spans(sentence)
        except DataError as error:
            if self._on_text_mismatch == "refuse":
                raise DataError(
                    f"`# text` is not what the tokens spell: {error}; correct it, or trust the tokens with "
                    "--on-text-mismatch rebuild"
                ) from error
            rebuilt = dataclasses.replace(sentence, text=sentence.surface_text())
            unit_spans(rebuilt)
            return rebuilt
        return sentence

    def _add_range(self, columns: list[str], number: int) -> None:
        first, _, last = columns[0].partition("-")
        if not (_is_number(first) and _is_number(last)) or int(last) < int(first):
            self._refuse(number, f"'{columns[0]}' is no range of word numbers")
        if int(first) != len(self._words) + 1 or (self._units and self._units[-1].last_word >= int(first)):
            self._refuse(number, f"the range {columns[0]} must stand right before its first word, once")
        misc, space_after = _without_space_after(columns[9])
        self._units.append(
            SurfaceUnit(
                form=columns[1],
                first_word=int(first),
                last_word=int(last),
                space_after=space_after,
                is_multiword=True,
                feats=_value(columns[5]),
                misc=misc,
            )
        )

    def _add_empty_node(self, line: str, number: int) -> None:
        match = _EMPTY_NODE.match(line)
        if not match or int(match[1]) != len(self._words):
            self._refuse(number, f"an empty node here must be numbered {len(self._words)}.1 and so on")
        self._empty_nodes.append(line)

    def _add_word(self, columns: list[str], number: int) -> None:
        due = len(self._words) + 1
        if columns[0] != str(due):
            self._refuse(number, f"word number {due} was due, got '{columns[0]}'")
        _, form, lemma, upos, xpos, feats, head, deprel, deps, misc = columns
        if not _is_number(head):
            self._refuse(number, f"HEAD of word {due} '{form}' must be a word number or 0, got '{head}'")
        if deprel == "_":
            self._refuse(number, f"DEPREL of word {due} '{form}' is missing")
        own_misc, space_after = _without_space_after(misc)
        if self._units and self._units[-1].last_word >= due:
            if not space_after:
                self._refuse(number, f"{NO_SPACE} of a multiword token belongs on its range line")
        else:
            self._units.append(SurfaceUnit(form=form, first_word=due, last_word=due, space_after=space_after))
        self._words.append(
            Word(
                form=form,
                upos=upos,
                head=int(head),
                deprel=deprel,
                lemma=_value(lemma),
                xpos=_value(xpos),
                feats=_value(feats),
                deps=_value(deps),
                misc=own_misc,
            )
        )

    def _once(self, before: str | None, value: str, key: str, number: int) -> str:
        if before is not None:
            self._refuse(number, f"`# {key}` is there twice in one sentence")
        return value

    def _refuse(self, number: int, fault: str) -> NoReturn:
        where = f" sentence '{self._sent_id}':" if self._sent_id else ""
        raise DataError(f"{self._path}:{number}:{where} {fault}")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _value(column: str) -> str | None:
    return None if column == "_" else column


def _without_space_after(misc: str) -> tuple[str | None, bool]:
    """MISC without SpaceAfter=No, and whether a space follows."""
    if NO_SPACE not in misc:
        return _value(misc), True
    kept = [item for item in misc.split("|") if item != NO_SPACE]
    return "|".join(kept) or None, len(kept) == len(misc.split("|"))

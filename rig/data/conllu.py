"""CoNLL-U, one sentence at a time: https://universaldependencies.org/format.html.

Nothing is lost on the way in and out: comments, document marks, multiword tokens with their own FEATS and
MISC, empty nodes, enhanced dependencies. Two things are set in order: `sent_id` and `text` come before other
comments, and `SpaceAfter=No` takes its alphabetical place in MISC.
"""

import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

from rig.core.errors import DataError
from rig.core.sentences import Sentence
from rig.data.conllu_sentence import N_COLUMNS, NO_SPACE, ConlluSentence, OnTextMismatch, SentenceBuilder

_BOM = b"\xef\xbb\xbf"


def read_conllu(
    path: Path,
    *,
    on_text_mismatch: OnTextMismatch = "refuse",
    normalise: bool = False,
    advance: Callable[[int], None] | None = None,
) -> Iterator[ConlluSentence]:
    """The sentences of a file, in order.

    Args:
        path: A UTF-8 file with line feeds.
        on_text_mismatch: What to do where `# text` is not what the tokens spell: refuse the file, or trust
            the tokens and spell the text from them. A sentence without `# text` is always spelled so.
        normalise: Bring everything to NFC; otherwise text that isn't is refused.
        advance: Told the number of bytes of each line read.

    Yields:
        Sentences; one without `# sent_id` is numbered, `STEM-1` for the first sentence of the file.

    Raises:
        DataError: The file is missing, not UTF-8, or breaks a rule; names file, line and sentence.
    """
    builder = SentenceBuilder(path, on_text_mismatch)
    number = 0
    for number, line in _lines(path, normalise, advance):
        if not line:
            if builder.begun:
                yield builder.finish(number)
        elif line.startswith("#"):
            builder.add_comment(line, number)
        else:
            builder.add_row(line, number)
    if builder.begun:
        yield builder.finish(number)
    if not builder.n_sentences:
        raise DataError(f"{path} has no sentences; check that it is the right file")


def conllu_text(sentence: Sentence, *, newdoc: str | None = None) -> str:
    """A sentence as CoNLL-U, with the blank line that ends it.

    Args:
        sentence: What to write.
        newdoc: The id of the document that begins with it.

    Raises:
        DataError: A text or value holds a tab or line break, which the format can't hold.
    """
    heads = [] if newdoc is None else [f"newdoc id = {newdoc}"]
    heads += [f"sent_id = {sentence.sent_id}", f"text = {sentence.text}", *sentence.comments]
    lines = [f"# {head}" for head in heads]
    empty_nodes = _empty_nodes_by_word(sentence)
    lines += empty_nodes.get(0, [])
    for unit in sentence.units:
        if unit.is_multiword:
            misc = _with_space_after(unit.misc, unit.space_after)
            span = f"{unit.first_word}-{unit.last_word}"
            lines.append(_row(span, unit.form, None, None, None, unit.feats, None, None, None, misc))
        for number in range(unit.first_word, unit.last_word + 1):
            word = sentence.words[number - 1]
            misc = word.misc if unit.is_multiword else _with_space_after(word.misc, unit.space_after)
            values = (
                word.lemma,
                word.upos,
                word.xpos,
                word.feats,
                str(word.head),
                word.deprel,
                word.deps,
                misc,
            )
            lines.append(_row(str(number), word.form, *values))
            lines += empty_nodes.get(number, [])
    for line in lines:
        if "\n" in line or "\r" in line or (line[0] != "#" and line.count("\t") != N_COLUMNS - 1):
            raise DataError(
                f"sentence '{sentence.sent_id}' holds a tab or a line break in {line[:40]!r}; "
                "CoNLL-U can't hold it"
            )
    return "\n".join(lines) + "\n\n"


def _lines(path: Path, normalise: bool, advance: Callable[[int], None] | None) -> Iterator[tuple[int, str]]:
    """Numbered lines without their line feed."""
    if not path.is_file():
        raise DataError(f"{path} is missing or no file; name a CoNLL-U file")
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if advance:
                advance(len(raw))
            if number == 1 and raw.startswith(_BOM):
                raise DataError(
                    f"{path}:1: the file begins with a byte order mark; save it as UTF-8 without one"
                )
            if b"\r" in raw:
                raise DataError(
                    f"{path}:{number}: the line holds a carriage return; save it with Unix line ends"
                )
            try:
                line = raw.decode().rstrip("\n")
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{path}:{number}: the line is not UTF-8 (byte {raw[error.start]:#04x}); "
                    "convert the file to UTF-8"
                ) from error
            if not line.isascii() and not unicodedata.is_normalized("NFC", line):
                if not normalise:
                    raise DataError(
                        f"{path}:{number}: {line[:60]!r} is not NFC text; normalise it with --normalise"
                    )
                line = unicodedata.normalize("NFC", line)
            yield number, line


def _with_space_after(misc: str | None, space_after: bool) -> str | None:
    """MISC with SpaceAfter=No in its alphabetical place, if no space follows."""
    if space_after:
        return misc
    items = misc.split("|") if misc else []
    place = next((index for index, item in enumerate(items) if item.lower() > NO_SPACE.lower()), len(items))
    return "|".join([*items[:place], NO_SPACE, *items[place:]])


def _empty_nodes_by_word(sentence: Sentence) -> dict[int, list[str]]:
    """Empty nodes by the number of the word that they follow; 0 is before the first."""
    nodes: dict[int, list[str]] = {}
    for line in sentence.empty_nodes:
        nodes.setdefault(int(line.partition(".")[0]), []).append(line)
    return nodes


def _row(*values: str | None) -> str:
    return "\t".join("_" if value is None else value for value in values)

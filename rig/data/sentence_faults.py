"""What makes a sentence unfit to be stored: checked once, wherever it comes from."""

import functools
import itertools
import unicodedata
from typing import NamedTuple

from rig.core.errors import DataError
from rig.core.sentences import UPOS_TAGS, Sentence, Word

_MAX_WORDS = 32_767  # word ids are stored in 16 bits
_TAGS = frozenset(UPOS_TAGS)


class Span(NamedTuple):
    """Half-open, in code points of the sentence's text."""

    start: int
    end: int


def unit_spans(sentence: Sentence) -> list[Span]:
    """Where each surface unit stands in the sentence's text.

    Raises:
        DataError: The text is not the units' forms in order with white space exactly where `space_after` is;
            white space after the last unit is the document's affair.
    """
    text, position, spans = sentence.text, 0, []
    last = len(sentence.units) - 1
    for index, unit in enumerate(sentence.units):
        end = position + len(unit.form)
        if not unit.form or text[position:end] != unit.form:
            raise DataError(
                f"token {index + 1} is '{unit.form}', but the text has '{text[position : end + 10]}' "
                f"at character {position}"
            )
        spans.append(Span(start=position, end=end))
        position = end
        while position < len(text) and text[position].isspace():
            position += 1
        if index < last and (position > end) != unit.space_after:
            wanted = "a space" if unit.space_after else "no space"
            raise DataError(f"token {index + 1} '{unit.form}' says that {wanted} follows; the text differs")
    if not spans or spans[-1].end != len(text):
        rest = text[spans[-1].end if spans else 0 :]
        raise DataError(f"the text goes on with {rest[:20]!r} after the last token")
    return spans


def refuse_faults(sentence: Sentence) -> None:
    """Refuse a sentence that breaks a rule, text and tokens aside.

    Raises:
        DataError: The first fault: words, units, NFC, tags, the tree.
    """
    n_words = len(sentence.words)
    if not n_words:
        raise DataError("the sentence has no words")
    if n_words > _MAX_WORDS:
        raise DataError(f"the sentence has {n_words} words; at most {_MAX_WORDS} fit")
    expected = 1
    for unit in sentence.units:
        if unit.first_word != expected or unit.last_word < unit.first_word:
            raise DataError(f"token '{unit.form}' begins at word {unit.first_word} where {expected} was due")
        if unit.last_word > unit.first_word and not unit.is_multiword:
            raise DataError(f"token '{unit.form}' spans several words, but isn't marked as multiword")
        expected = unit.last_word + 1
    if expected != n_words + 1:
        raise DataError(f"tokens cover {expected - 1} of {n_words} words")
    for number, word in enumerate(sentence.words, start=1):
        fault = _word_fault(word, number, n_words)
        if fault:
            raise DataError(f"word {number} '{word.form}' {fault}")
    _refuse_bad_tree([word.head for word in sentence.words])
    texts = [sentence.text, *(word.form for word in sentence.words)]
    texts += [word.lemma for word in sentence.words if word.lemma is not None]
    if not _is_nfc("\n".join(texts)):  # a line feed composes with nothing
        fault = next(text for text in texts if not _is_nfc(text))
        raise DataError(f"'{fault[:40]}' is not NFC text")


def _is_nfc(text: str) -> bool:
    return text.isascii() or unicodedata.is_normalized("NFC", text)


def _word_fault(word: Word, number: int, n_words: int) -> str | None:
    if not word.form:
        return "has an empty form"
    if word.upos not in _TAGS:
        return f"has UPOS '{word.upos}', which is none of the 17 universal tags"
    if not 0 <= word.head <= n_words:
        return f"has head {word.head}, but the sentence has words 1 to {n_words}"
    if word.head == number:
        return "is its own head"
    if not word.deprel:
        return "has an empty dependency relation"
    if (word.head == 0) != (word.deprel == "root"):
        return f"has head {word.head} and relation '{word.deprel}'; head 0 and 'root' go together"
    if word.feats is not None and not sorted_features(word.feats):
        return f"has features '{word.feats}', which aren't Name=Value pairs sorted by name, each name once"
    return None


@functools.lru_cache(maxsize=4096)
def sorted_features(feats: str) -> bool:
    """Whether FEATS are `Name=Value` pairs joined by `|`, sorted by name (case ignored), each name once."""
    pairs = [pair.partition("=") for pair in feats.split("|")]
    names = [name.lower() for name, _, _ in pairs]
    return all(name and equals and value for name, equals, value in pairs) and all(
        one < other for one, other in itertools.pairwise(names)
    )


def _refuse_bad_tree(heads: list[int]) -> None:
    roots = heads.count(0)
    if roots != 1:
        raise DataError(f"the sentence must have one root, got {roots}")
    reaches_root = [True] + [False] * len(heads)
    for start in range(1, len(heads) + 1):
        path, word = set[int](), start
        while not reaches_root[word]:
            if word in path:
                raise DataError(f"the heads run in a circle through word {word}")
            path.add(word)
            word = heads[word - 1]
        for passed in path:
            reaches_root[passed] = True

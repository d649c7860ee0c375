"""Words as tokens, each with the one space before it, so that the tokens tile the text.

" casa" and "casa" are two tokens, as in byte-level BPE: a space belongs to the word that follows it, other
white space stands alone. Hyphenated words ("vê-la", "guarda-chuva"), words with an apostrophe ("d'água") and
numbers ("1.000,50") are one token; every other character that is no letter or digit is a token of its own.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Self, final

import numpy as np
import numpy.typing as npt

from rig.core.errors import ConfigError
from rig.core.fingerprint import fingerprint
from rig.models.spelling import SpellingModel
from rig.models.tokenizer import AbstractTokenizer, Encoding, check_ids, utf8

_PIECE = re.compile(
    r"""
    \ ?\w+ (?: [-'’]\w+ | (?<=\d)[.,]\d+ )*   # a word or a number
  | \ ?[^\w\s]                                # one mark
  | \s+(?!\S) | \s                            # other white space; leaves the space before a word to it
    """,
    re.VERBOSE,
)
_UNK_ID = 1
_FIRST_WORD_ID = 2
_UNK_TEXT = " \N{REPLACEMENT CHARACTER}"


@final
class WordTokenizer(AbstractTokenizer):
    """The most frequent words of the training texts; all others are UNK, charged by their spelling."""

    def __init__(self, words: Sequence[str], spelling: SpellingModel, sha256: str) -> None:
        self.unk_id = _UNK_ID
        self.tokens = (None, None, *words)
        self.vocab_size = len(self.tokens)
        self.sha256 = sha256
        self._id_of = {word: index for index, word in enumerate(words, start=_FIRST_WORD_ID)}
        self._spelling = spelling

    @classmethod
    def train(cls, texts: Sequence[str], *, vocab_size: int) -> Self:
        """Keep the `vocab_size` - 2 most frequent words; equally frequent ones in code-point order.

        The spelling model sees every different training word once, in or out of the vocabulary.
        """
        if vocab_size <= _FIRST_WORD_ID:
            raise ConfigError(
                f"`tokenizer.vocab_size` must be at least {_FIRST_WORD_ID + 1} for type 'word' "
                f"(BOS, UNK and a word), got {vocab_size}"
            )
        for text in texts:
            utf8(text)
        counts = Counter(piece for text in texts for piece in _pieces(text))
        by_frequency = sorted(counts, key=lambda word: (-counts[word], word))
        kept = by_frequency[: vocab_size - _FIRST_WORD_ID]
        types = sorted(counts)
        sha256 = fingerprint({"type": "word", "words": kept, "spelled": types})
        return cls(kept, SpellingModel(utf8(word) for word in types), sha256)

    def encode(self, text: str) -> Encoding:  # noqa: D102
        utf8(text)
        pieces = list(_pieces(text))
        token_id = np.array([self._id_of.get(piece, _UNK_ID) for piece in pieces], dtype=np.int64)
        return Encoding.from_ends(token_id, np.cumsum([len(piece) for piece in pieces], dtype=np.int64))

    def decode(self, ids: Sequence[int] | npt.NDArray[np.int64]) -> str:
        """The words of some tokens. UNK writes a space and U+FFFD: whether it had a space is not known."""
        texts = {self.bos_id: "", _UNK_ID: _UNK_TEXT}
        array = check_ids(ids, self.vocab_size).tolist()
        return "".join(texts[index] if index in texts else str(self.tokens[index]) for index in array)

    def extra_nats(self, text: str, encoding: Encoding) -> npt.NDArray[np.float64]:  # noqa: D102
        nats = np.zeros(len(encoding))
        for position in np.flatnonzero(encoding.token_id == _UNK_ID).tolist():
            word = text[encoding.char_start[position] : encoding.char_end[position]]
            nats[position] = self._spelling.nats(utf8(word))
        return nats


def _pieces(text: str) -> Iterator[str]:
    """The tokens of a text: a partition of its characters."""
    return (match.group() for match in _PIECE.finditer(text))

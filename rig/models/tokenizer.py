"""Tokenizers: text to token ids, each with the characters that it spans, and back.

A tokenizer is trained on the training texts and on nothing else. Whatever its type, three things hold:

- The spans of an encoding tile the text. A piece spans the characters whose first byte lies in it, so of the
  pieces of one character the first spans it and the later ones are empty, at its end. Libraries that give
  each piece of a split character the whole character count it twice.
- Id 0 is BOS. Nothing in a text encodes to it; a user's "<s>" is three characters.
- A code length is a code length: a word that the vocabulary lacks also costs its spelling (`extra_nats`).
"""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError, ModelError, did_you_mean
from rig.core.token_scores import TokenScores

TOKENIZERS: dict[str, str] = {
    "bpe": "rig.models.bpe_tokenizer:BpeTokenizer",
    "byte": "rig.models.byte_tokenizer:ByteTokenizer",
    "word": "rig.models.word_tokenizer:WordTokenizer",
}
"""What `tokenizer.type` can name, as import paths, like the families of `rig.models.catalog`."""

BOS_ID = 0

_CONTINUATION_MASK, _CONTINUATION = 0xC0, 0x80  # a UTF-8 byte 10xxxxxx begins no character


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Encoding:
    """The tokens of one text, in order, without BOS."""

    token_id: npt.NDArray[np.int64]
    """(n_tokens,) vocabulary index, >= 1."""
    char_start: npt.NDArray[np.int64]
    """(n_tokens,) first code point."""
    char_end: npt.NDArray[np.int64]
    """(n_tokens,) one past the last code point; equal to `char_start` for later pieces of a character."""

    def __len__(self) -> int:
        return len(self.token_id)

    def scored(self, document: Document, logprob: npt.NDArray[np.float64]) -> TokenScores:
        """The scores of a document whose text this is the encoding of; `logprob` as `TokenScores` has it."""
        return TokenScores(
            doc_id=document.doc_id,
            token_id=self.token_id,
            char_start=self.char_start,
            char_end=self.char_end,
            logprob=logprob,
            n_chars=document.n_chars,
        )

    @classmethod
    def from_byte_pieces(
        cls, data: bytes, token_id: npt.NDArray[np.int64], n_bytes: npt.NDArray[np.int64]
    ) -> Self:
        """The encoding of a text that is cut into pieces of bytes.

        Args:
            data: The text's UTF-8 bytes.
            token_id: (n_tokens,) the pieces' ids.
            n_bytes: (n_tokens,) the pieces' lengths in bytes.

        Raises:
            ModelError: The pieces don't add up to the text.
        """
        byte_end = np.cumsum(n_bytes)
        if len(data) != (byte_end[-1] if len(byte_end) else 0):
            raise ModelError(f"the pieces of a text hold {n_bytes.sum()} bytes where it has {len(data)}")
        begins = (np.frombuffer(data, dtype=np.uint8) & _CONTINUATION_MASK) != _CONTINUATION
        n_begun = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(begins, dtype=np.int64)])
        return cls.from_ends(token_id, n_begun[byte_end])

    @classmethod
    def from_ends(cls, token_id: npt.NDArray[np.int64], char_end: npt.NDArray[np.int64]) -> Self:
        """The encoding whose pieces end at these code points and begin where the piece before ended."""
        char_start = np.concatenate([np.zeros(1, dtype=np.int64), char_end])[:-1]
        return cls(token_id=token_id, char_start=char_start, char_end=char_end)


class AbstractTokenizer(ABC):
    """A trained vocabulary, and how text is cut into it."""

    bos_id: int = BOS_ID
    """Given before each document, never scored, never in an encoding."""
    unk_id: int | None = None
    """The id of every word that the vocabulary lacks; None if there can be none."""
    vocab_size: int
    """All ids, BOS and UNK included."""
    tokens: tuple[str | None, ...]
    """(vocab_size,) the text of each id, leading space kept; None for BOS, for UNK, and for bytes that are
    not whole UTF-8."""
    sha256: str
    """The same for tokenizers that encode and charge every text alike."""

    @classmethod
    @abstractmethod
    def train(cls, texts: Sequence[str], *, vocab_size: int) -> Self:
        """Learn a vocabulary of at most `vocab_size` ids; the same texts always give the same one.

        Raises:
            ConfigError: `vocab_size` leaves no room for what must be in the vocabulary.
            DataError: A text is not valid Unicode.
        """

    @abstractmethod
    def encode(self, text: str) -> Encoding:
        """Cut a text into tokens whose spans tile it. An empty text has none.

        Raises:
            DataError: The text is not valid Unicode (it holds half of a surrogate pair).
        """

    @abstractmethod
    def decode(self, ids: Sequence[int] | npt.NDArray[np.int64]) -> str:
        """The text of some tokens. BOS writes nothing; bytes that are not UTF-8, and UNK, write U+FFFD.

        Raises:
            ModelError: An id lies outside the vocabulary.
        """

    @abstractmethod
    def extra_nats(self, text: str, encoding: Encoding) -> npt.NDArray[np.float64]:
        """The spelling cost of each token, nats, (n_tokens,): 0 but for UNK.

        Added to the -logprob of UNK it makes the text's total a code length, from which the text can be
        read back; without it, unknown words would be cheap.
        """


def train_tokenizer(config: Mapping[str, Any], texts: Sequence[str]) -> AbstractTokenizer:
    """The tokenizer that `config` describes, trained on these texts.

    Args:
        config: ``{"type": "bpe" | "byte" | "word", "vocab_size": int}``.
        texts: The training documents' texts, and no others.

    Raises:
        ConfigError: A key is unknown, missing or out of range.
        DataError: There is nothing to learn from.
    """
    name, vocab_size = _checked(config)
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise DataError("a tokenizer is trained on a sequence of texts, each a str; got something else")
    if not any(text.strip() for text in texts):
        raise DataError(
            f"a tokenizer can't be trained on {len(texts)} texts without a visible character; "
            "give it the training documents"
        )
    module, _, class_name = tokenizer_target(name).partition(":")
    tokenizer: type[AbstractTokenizer] = getattr(importlib.import_module(module), class_name)
    return tokenizer.train(texts, vocab_size=vocab_size)


def tokenizer_target(name: str) -> str:
    """The import path `module:Class` of a type of tokenizer.

    Raises:
        ConfigError: No such type.
    """
    if name not in TOKENIZERS:
        raise ConfigError(f"unknown `tokenizer.type` {name!r}. {did_you_mean(name, TOKENIZERS)}")
    return TOKENIZERS[name]


def utf8(text: str) -> bytes:
    """The UTF-8 bytes of a text.

    Raises:
        DataError: It holds half of a surrogate pair, which no UTF-8 file can.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"a text holds the lone surrogate {text[error.start]!r} at character {error.start}; "
            "decode its file as UTF-8 strictly"
        ) from None


def check_ids(ids: Sequence[int] | npt.NDArray[np.int64], vocab_size: int) -> npt.NDArray[np.int64]:
    """Token ids as an int64 array, refused if one lies outside the vocabulary."""
    array = np.asarray(ids, dtype=np.int64)
    bad = array[(array < 0) | (array >= vocab_size)]
    if bad.size:
        raise ModelError(f"token ids must lie in [0, {vocab_size}), got {bad[0]}")
    return array


def _checked(config: Mapping[str, Any]) -> tuple[str, int]:
    known = ("type", "vocab_size")
    for key in config:
        if key not in known:
            raise ConfigError(f"unknown key 'tokenizer.{key}'. {did_you_mean(key, known)}")
    name = str(config.get("type"))
    tokenizer_target(name)
    vocab_size = config.get("vocab_size")
    if not isinstance(vocab_size, int) or isinstance(vocab_size, bool):
        raise ConfigError(f"`tokenizer.vocab_size` must be an integer, got {vocab_size!r}")
    return name, vocab_size

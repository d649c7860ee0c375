"""What each entry of a vocabulary writes, in bytes, for the two sorts of tokenizer that hide nothing.

- Byte-level BPE (GPT-2, Llama 3, RoBERTa): each character of an entry stands for one byte.
- SentencePiece-like (Llama 2, Gemma, T5, XLM-R): `▁` stands for a space, `<0xC3>` for a byte.

With either, the entries of a text, joined, are the text again, so the characters that each spans are exact
and no reported offset has to be believed. Other tokenizers (WordPiece, words) lose spaces or accents.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt

SPACE = "▁"
"""What SentencePiece writes for a space."""

_UNREADABLE = b"\xff"  # in no UTF-8 text, so an entry without a spelling never fits one
_KEEPING_NORMALIZERS = frozenset({"NFC", "ByteLevel", "Prepend", "Replace", "Sequence"})
_KEEPING_PRE_TOKENIZERS = frozenset(
    {"ByteLevel", "Metaspace", "Split", "Digits", "Punctuation", "UnicodeScripts", "Sequence"}
)


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pieces:
    """The bytes of every entry of a vocabulary."""

    data: tuple[bytes, ...]
    """By id. For a SentencePiece-like vocabulary a space is the three bytes of `▁`."""
    n_bytes: npt.NDArray[np.int64]
    """(vocab_size,) their lengths."""
    space: str
    """How a space of a text is written before it becomes bytes: as itself, or `▁`."""
    spells_anything: bool
    """Whether every text has an encoding from which it can be read back."""

    @classmethod
    def of(cls, tokenizer: Mapping[str, Any]) -> Self | None:
        """The pieces of a tokenizer.json, parsed; None if its entries don't spell what they span."""
        steps = [*_steps(tokenizer.get("normalizer")), *_steps(tokenizer.get("pre_tokenizer"))]
        if any(step["type"] == "ByteLevel" for step in steps):
            return cls._byte_level(tokenizer)
        if any(step["type"] == "Metaspace" or _writes_space(step) for step in steps):
            return cls._sentencepiece(tokenizer)
        return None

    @classmethod
    def _byte_level(cls, tokenizer: Mapping[str, Any]) -> Self:
        byte_of = {character: bytes([byte]) for byte, character in enumerate(byte_characters())}
        vocabulary = _vocabulary(tokenizer)
        data = {
            index: b"".join(byte_of.get(character, _UNREADABLE) for character in entry)
            for entry, index in vocabulary.items()
        }
        added = {entry["id"]: entry["content"].encode() for entry in tokenizer.get("added_tokens") or ()}
        complete = all(character in vocabulary for character in byte_of)
        return cls._build({**data, **added}, space=" ", complete=complete and _keeps_text(tokenizer))

    @classmethod
    def _sentencepiece(cls, tokenizer: Mapping[str, Any]) -> Self:
        vocabulary = _vocabulary(tokenizer)
        added = {
            entry["id"]: entry["content"].replace(" ", SPACE).encode()
            for entry in tokenizer.get("added_tokens") or ()
        }
        data = {index: entry.encode() for entry, index in vocabulary.items()}
        spelled = {
            vocabulary[entry]: bytes([byte])
            for byte, entry in enumerate(byte_pieces(tokenizer))
            if entry in vocabulary
        }
        unk = unk_id(tokenizer)
        unknown = {} if unk is None else {unk: _UNREADABLE}
        complete = len(spelled) == 256 and _keeps_text(tokenizer)
        return cls._build({**data, **added, **spelled, **unknown}, space=SPACE, complete=complete)

    @classmethod
    def _build(cls, data: Mapping[int, bytes], *, space: str, complete: bool) -> Self:
        pieces = [_UNREADABLE] * (max(data) + 1)
        for index, piece in data.items():
            pieces[index] = piece
        return cls(
            data=tuple(pieces),
            n_bytes=np.array([len(piece) for piece in pieces], np.int64),
            space=space,
            spells_anything=complete,
        )


def byte_characters() -> list[str]:
    """The character that byte-level BPE writes for each byte, (256,): itself where it can be seen (GPT-2)."""
    seen = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = [byte for byte in range(256) if byte not in seen]
    return [chr(byte) if byte in seen else chr(256 + hidden.index(byte)) for byte in range(256)]


def byte_pieces(tokenizer: Mapping[str, Any]) -> tuple[str, ...]:
    """The entries that write one byte each, by byte, (256,); empty where a tokenizer.json has none."""
    falls_back = tokenizer["model"].get("byte_fallback")
    return tuple(f"<0x{byte:02X}>" for byte in range(256)) if falls_back else ()


def unk_id(tokenizer: Mapping[str, Any]) -> int | None:
    """The id that a tokenizer.json gives to what it can't spell; None if it names none."""
    model = tokenizer["model"]
    if model["type"] == "Unigram":
        index = model.get("unk_id")
        return None if index is None else int(index)
    token = model.get("unk_token")
    if token is None:
        return None
    added = {entry["content"]: entry["id"] for entry in tokenizer.get("added_tokens") or ()}
    found = _vocabulary(tokenizer).get(token, added.get(token))
    return None if found is None else int(found)


def _vocabulary(tokenizer: Mapping[str, Any]) -> Mapping[str, int]:
    held = tokenizer["model"]["vocab"]
    if isinstance(held, Mapping):
        return held
    return {entry: index for index, (entry, _) in enumerate(held)}  # Unigram: pairs with scores


def _steps(step: Mapping[str, Any] | None) -> Iterator[Mapping[str, Any]]:
    """A normaliser or pre-tokenizer, and the ones that it is made of."""
    if step is None:
        return
    yield step
    for inner in [*(step.get("normalizers") or ()), *(step.get("pretokenizers") or ())]:
        yield from _steps(inner)


def _writes_space(step: Mapping[str, Any]) -> bool:
    return (
        step["type"] == "Replace" and step.get("pattern") == {"String": " "} and step.get("content") == SPACE
    )


def _keeps_text(tokenizer: Mapping[str, Any]) -> bool:
    """Whether nothing is lower-cased, stripped, decomposed or left out on the way to the vocabulary."""
    for step in _steps(tokenizer.get("normalizer")):
        if step["type"] not in _KEEPING_NORMALIZERS or (
            step["type"] == "Replace" and not _writes_space(step)
        ):
            return False
    return all(
        step["type"] in _KEEPING_PRE_TOKENIZERS and step.get("behavior") != "Removed"
        for step in _steps(tokenizer.get("pre_tokenizer"))
    )

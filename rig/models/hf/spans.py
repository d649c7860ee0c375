"""Which characters each token of a text spans: by spelling where that is exact, else by checked offsets.

The offsets that tokenizers report lie in known ways: zero-width for whole words (huggingface/tokenizers
#1553), twice the same character for the pieces of one (#156, #977), a whole word for each of its pieces. A
span that can't be made sure of is refused with its place, never guessed.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rig.core.errors import ModelError
from rig.models.hf.pieces import Pieces
from rig.models.tokenizer import Encoding, utf8

Ids = npt.NDArray[np.int64]


def spans_by_spelling(text: str, token_id: Ids, pieces: Pieces) -> Encoding | None:
    """The encoding whose tokens, joined, write the text; None if they don't.

    A space that the tokenizer puts before a text is no character of it: it counts to the first one, so that
    a token that is nothing else spans this character and the token after it is a later piece of it.
    """
    data = utf8(text if pieces.space == " " else text.replace(" ", pieces.space))
    prefix = pieces.space.encode()
    written = b"".join(pieces.data[index] for index in token_id)
    n_bytes = pieces.n_bytes[token_id]
    if written == data:
        return Encoding.from_byte_pieces(data, token_id, n_bytes)
    if written != prefix + data or not text or n_bytes[0] < len(prefix):
        return None
    n_bytes[0] -= len(prefix)
    encoding = Encoding.from_byte_pieces(data, token_id, n_bytes)
    return Encoding.from_ends(token_id, np.maximum(encoding.char_end, 1))


def spans_by_offsets(text: str, token_id: Ids, offsets: Sequence[tuple[int, int]], *, where: str) -> Encoding:
    """The encoding that a tokenizer's own offsets give, once they have been checked.

    White space between two tokens goes to the one after it, at the end of the text to the last one. A token
    that begins on the last character of the one before it is a later piece of that character.

    Args:
        text: What was encoded.
        token_id: (n_tokens,)
        offsets: Of each token, the first code point and one past the last, as the tokenizer reports them.
        where: What the text is, for messages, such as "document 'd1'".

    Raises:
        ModelError: A token spans nothing or goes back, or a character that can be seen is in none.
    """
    start, end = np.array(offsets, np.int64).reshape(-1, 2).T
    previous = np.concatenate([np.zeros(1, np.int64), end])[:-1]
    wrong = (start >= end) | (end < previous) | (start < previous - 1) | (end > len(text))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise ModelError(
            f"{where}: the tokenizer says that token {at} spans the characters {start[at]} to {end[at]}, "
            f"after one that ends at {previous[at]}; where offsets lie, the tokenizer can't be used"
        )
    for token in np.flatnonzero(start > previous):
        _refuse_visible(text, int(previous[token]), int(start[token]), where=where)
    last = int(end[-1]) if len(end) else 0
    _refuse_visible(text, last, len(text), where=where)
    if not len(end) and text:
        raise ModelError(f"{where}: it has no token, though {len(text)} characters; leave it out of the data")
    if len(end):
        end[-1] = len(text)
    return Encoding.from_ends(token_id, end)


def _refuse_visible(text: str, start: int, stop: int, *, where: str) -> None:
    for position in range(start, stop):
        if _is_visible(text[position]):
            raise ModelError(
                f"{where}: the tokenizer drops character {position}, {text[position]!r} "
                f"(U+{ord(text[position]):04X}), so what the model makes of it can't be known; use a "
                "tokenizer that keeps every character or has an unknown token"
            )


def _is_visible(character: str) -> bool:
    """Not white space, and no control or format character, which tokenizers strip."""
    return not character.isspace() and unicodedata.category(character) not in ("Cc", "Cf")

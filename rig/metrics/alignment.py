"""Which surface unit each token belongs to, by characters alone, so any tokenizer fits any annotation.

1. A token belongs to the unit that holds its first non-space code point: ` casa` is of `casa`.
2. Pieces of one character go together: an empty span belongs to the unit of the character before it.
3. A piece that is white space only goes to the following unit (to the last one at the end of a text).
4. Units that share a token (`».`) form one block. A block whose units differ in label is MIXED.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.documents import AnnotatedDocument
from rig.core.errors import DataError
from rig.core.token_scores import TokenScores

MIXED = "mixed"
"""The label of a block whose units differ; counted in totals and shown."""

_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Tokens and units of one document, joined in blocks."""

    token_unit: npt.NDArray[np.int64]
    """(n_tokens,) index of the unit that each token belongs to."""
    unit_block: npt.NDArray[np.int64]
    """(n_units,) index of the block that each unit belongs to, from 0, non-decreasing."""

    def unit_labels(self, labels: Sequence[str]) -> npt.NDArray[np.object_]:
        """The label of each unit's block: the units' common label, or MIXED. (n_units,) of text."""
        names, codes = np.unique(np.asarray(labels, dtype=object), return_inverse=True)
        n_blocks = int(self.unit_block[-1]) + 1
        low = np.full(n_blocks, len(names))
        high = np.full(n_blocks, -1)
        np.minimum.at(low, self.unit_block, codes)
        np.maximum.at(high, self.unit_block, codes)
        block_label = np.where(low == high, names[low], MIXED)
        result: npt.NDArray[np.object_] = block_label[self.unit_block]
        return result


def align(scores: TokenScores, annotated: AnnotatedDocument) -> Alignment:
    """Join a document's tokens with its units.

    Args:
        scores: Token scores of the document; spans tile its text.
        annotated: The document and its units; everything but white space lies in exactly one unit.

    Returns:
        The unit of each token and the block of each unit.

    Raises:
        DataError: The document has no units, the scores are of another text, or a non-space character lies
            outside every unit.
    """
    document, units = annotated.document, annotated.units
    if scores.n_chars != document.n_chars:
        raise DataError(
            f"document '{document.doc_id}': scored text has {scores.n_chars} characters, "
            f"the annotated one {document.n_chars}"
        )
    if not len(units):
        raise DataError(f"document '{document.doc_id}' has no words to align its tokens with")
    next_content, previous_content = _content_positions(document.text)
    n_chars = document.n_chars
    start, end = scores.char_start, scores.char_end
    # An empty span is a later piece of the character before it.
    from_char = np.where(start == end, np.maximum(start - 1, 0), start)
    to_char = np.maximum(end, from_char + 1)

    first = next_content[from_char]
    has_content = first < to_char
    last = np.where(has_content, previous_content[np.minimum(to_char, n_chars) - 1], first)
    at_end = first >= n_chars
    first_unit = _unit_of(first, at_end, annotated)
    last_unit = _unit_of(last, at_end, annotated)

    # Differences of a running count: a boundary inside some token's range of units is no block boundary.
    crossing = np.zeros(len(units) + 1, dtype=np.int64)
    np.add.at(crossing, first_unit, 1)
    np.add.at(crossing, last_unit, -1)
    joined_to_next = np.cumsum(crossing)[:-1] > 0
    unit_block = np.concatenate([[0], np.cumsum(~joined_to_next[:-1])])
    return Alignment(token_unit=first_unit, unit_block=unit_block)


def _content_positions(text: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Of each position, the next and the previous non-space position, itself included."""
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    positions = np.arange(len(codes))
    is_space = np.isin(codes, _SPACES)
    following = np.where(is_space, len(codes), positions)
    next_content = np.minimum.accumulate(following[::-1])[::-1]
    previous_content = np.maximum.accumulate(np.where(is_space, -1, positions))
    return np.append(next_content, len(codes)), previous_content


def _unit_of(
    char: npt.NDArray[np.int64], at_end: npt.NDArray[np.bool_], annotated: AnnotatedDocument
) -> npt.NDArray[np.int64]:
    units = annotated.units
    unit = np.searchsorted(units.char_start, char, side="right") - 1
    outside = ((unit < 0) | (char >= units.char_end[unit])) & ~at_end
    if outside.any():
        position = int(char[np.flatnonzero(outside)[0]])
        raise DataError(
            f"document '{annotated.document.doc_id}': character {position} "
            f"({annotated.document.text[position]!r}) lies in no word of the annotation"
        )
    result: npt.NDArray[np.int64] = np.where(at_end, len(units) - 1, unit)
    return result

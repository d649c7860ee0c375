import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.core.documents import AnnotatedDocument, Document, Units
from rig.core.errors import DataError
from rig.core.token_scores import TokenScores
from rig.metrics.alignment import MIXED, align


def annotated(text: str, units: list[tuple[int, int]], upos: list[str] | None = None) -> AnnotatedDocument:
    return AnnotatedDocument(
        document=Document(doc_id="d", text=text),
        units=Units(
            char_start=np.array([start for start, _ in units]),
            char_end=np.array([end for _, end in units]),
            upos=tuple(upos or ["X"] * len(units)),
        ),
    )


def scored(text: str, ends: list[int], logprobs: list[float] | None = None) -> TokenScores:
    """Tokens that end at these characters, in order; equal neighbours make an empty span."""
    starts = [0, *ends[:-1]]
    values = logprobs if logprobs is not None else [-1.0] * len(ends)
    return TokenScores(
        doc_id="d",
        token_id=np.arange(len(ends)),
        char_start=np.array(starts),
        char_end=np.array(ends),
        logprob=np.array(values, dtype=np.float64),
        n_chars=len(text),
    )


def test_a_token_belongs_to_the_unit_of_its_first_non_space_character() -> None:
    # "o gato": tokens `o`, ` ga`, `to`
    result = align(scored("o gato", [1, 4, 6]), annotated("o gato", [(0, 1), (2, 6)]))
    assert result.token_unit.tolist() == [0, 1, 1]
    assert result.unit_block.tolist() == [0, 1]


def test_white_space_alone_goes_to_the_following_unit_and_at_the_end_to_the_last() -> None:
    text = "o  gato "
    result = align(scored(text, [1, 3, 7, 8]), annotated(text, [(0, 1), (3, 7)]))
    assert result.token_unit.tolist() == [0, 1, 1, 1]


def test_pieces_of_one_character_go_together() -> None:
    # "é o": the two bytes of `é` are two tokens; the second is empty at the end of the first.
    text = "é o"
    result = align(scored(text, [1, 1, 3]), annotated(text, [(0, 1), (2, 3)]))
    assert result.token_unit.tolist() == [0, 0, 1]
    assert result.unit_block.tolist() == [0, 1]


def test_the_last_piece_of_a_character_stays_with_it_where_the_next_unit_touches() -> None:
    # "á." without a space: the empty piece at 1 is of `á`, not of the full stop.
    text = "á."
    result = align(scored(text, [1, 1, 2]), annotated(text, [(0, 1), (1, 2)]))
    assert result.token_unit.tolist() == [0, 0, 1]


def test_units_that_share_a_token_are_one_block_and_mixed_if_they_differ() -> None:
    # `fim` `»` `.` with one token for the last two
    text = "fim»."
    result = align(scored(text, [3, 5]), annotated(text, [(0, 3), (3, 4), (4, 5)]))
    assert result.unit_block.tolist() == [0, 1, 1]
    assert result.unit_labels(["NOUN", "PUNCT", "PUNCT"]).tolist() == ["NOUN", "PUNCT", "PUNCT"]
    assert result.unit_labels(["NOUN", "PUNCT", "SYM"]).tolist() == ["NOUN", MIXED, MIXED]


def test_a_block_of_three_by_two_overlapping_tokens() -> None:
    # tokens `a b`, ` c d`: the first joins units 0 and 1, the second 2 and 3
    text = "a b c d"
    result = align(scored(text, [3, 7]), annotated(text, [(0, 1), (2, 3), (4, 5), (6, 7)]))
    assert result.unit_block.tolist() == [0, 0, 1, 1]
    # tokens `a`, ` b c`, ` d`
    result = align(scored(text, [1, 5, 7]), annotated(text, [(0, 1), (2, 3), (4, 5), (6, 7)]))
    assert result.unit_block.tolist() == [0, 1, 1, 2]


def test_a_no_break_space_is_white_space() -> None:
    text = "o\u00a0gato"
    result = align(scored(text, [1, 2, 2, 6]), annotated(text, [(0, 1), (2, 6)]))
    assert result.token_unit.tolist() == [0, 1, 1, 1]


def test_an_emoji_is_one_character() -> None:
    text = "o 😀 a"
    result = align(scored(text, [1, 3, 3, 3, 5]), annotated(text, [(0, 1), (2, 3), (4, 5)]))
    assert result.token_unit.tolist() == [0, 1, 1, 1, 2]


def test_a_character_outside_every_unit_is_refused() -> None:
    with pytest.raises(DataError, match=r"document 'd': character 2 \('g'\) lies in no word"):
        align(scored("o gato", [1, 6]), annotated("o gato", [(0, 1)]))


def test_scores_of_another_text_are_refused() -> None:
    with pytest.raises(DataError, match="scored text has 3 characters, the annotated one 6"):
        align(scored("o g", [3]), annotated("o gato", [(0, 1), (2, 6)]))


def test_a_document_without_words_is_refused() -> None:
    with pytest.raises(DataError, match="has no words to align"):
        align(scored(" ", [1]), annotated(" ", []))


@st.composite
def texts_with_units_and_cuts(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]], list[int]]:
    words = draw(st.lists(st.text("aé😀.", min_size=1, max_size=4), min_size=1, max_size=8))
    gaps = draw(st.lists(st.sampled_from(["", " ", "  "]), min_size=len(words), max_size=len(words)))
    text, units = "", []
    for word, gap in zip(words, gaps, strict=True):
        units.append((len(text), len(text) + len(word)))
        text += word + gap
    cuts = draw(st.lists(st.integers(1, len(text)), max_size=12))
    return text, units, sorted([*cuts, len(text)])


@given(texts_with_units_and_cuts())
def test_it_equals_a_plain_loop(case: tuple[str, list[tuple[int, int]], list[int]]) -> None:
    text, units, ends = case
    scores = scored(text, ends)
    result = align(scores, annotated(text, units))
    owner, joined = loop_alignment(text, units, list(zip([0, *ends[:-1]], ends, strict=True)))
    assert result.token_unit.tolist() == owner
    blocks = [0]
    for index in range(1, len(units)):
        blocks.append(blocks[-1] + (0 if (index - 1, index) in joined else 1))
    assert result.unit_block.tolist() == blocks


def loop_alignment(
    text: str, units: list[tuple[int, int]], spans: list[tuple[int, int]]
) -> tuple[list[int], set[tuple[int, int]]]:
    def unit_at(char: int) -> int:
        return next(index for index, (start, end) in enumerate(units) if start <= char < end)

    owner, joined = [], set()
    for start, end in spans:
        chars = [start - 1] if start == end and start else list(range(start, max(end, start + 1)))
        content = [char for char in chars if char < len(text) and not text[char].isspace()]
        if content:
            held = [unit_at(char) for char in content]
            owner.append(held[0])
            joined |= {(unit, unit + 1) for unit in range(held[0], held[-1])}
        else:
            later = [char for char in range(chars[0], len(text)) if not text[char].isspace()]
            owner.append(unit_at(later[0]) if later else len(units) - 1)
    return owner, joined

"""Spans tile the text, by spelling or by offsets that were checked; what can't be made sure of is refused."""

import json

import numpy as np
import pytest
from hf_tokenizers import byte_level, sentencepiece, wordpiece
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from rig.core.errors import ModelError
from rig.models.hf.pieces import Pieces
from rig.models.hf.spans import spans_by_offsets, spans_by_spelling
from rig.models.tokenizer import Encoding

TOKENIZERS = {"byte level": byte_level(), "sentencepiece": sentencepiece()}
PIECES = {name: Pieces.of(json.loads(held.to_str())) for name, held in TOKENIZERS.items()}
for _tokenizer in TOKENIZERS.values():
    _tokenizer.encode_special_tokens = True


def spelled(name: str, text: str) -> Encoding:
    pieces = PIECES[name]
    assert pieces is not None
    token_id = np.array(TOKENIZERS[name].encode(text, add_special_tokens=False).ids, np.int64)
    encoding = spans_by_spelling(text, token_id, pieces)
    assert encoding is not None
    return encoding


def checked(tokenizer: Tokenizer, text: str) -> Encoding:
    encoded = tokenizer.encode(text, add_special_tokens=False)
    return spans_by_offsets(text, np.array(encoded.ids, np.int64), encoded.offsets, where="document 'd'")


def by_hand(text: str, offsets: list[tuple[int, int]]) -> list[tuple[int, int]]:
    return spans(spans_by_offsets(text, np.arange(len(offsets)), offsets, where="document 'd'"))


def spans(encoding: Encoding) -> list[tuple[int, int]]:
    return list(zip(encoding.char_start.tolist(), encoding.char_end.tolist(), strict=True))


def assert_tiles(encoding: Encoding, text: str) -> None:
    edges = [0, *encoding.char_end.tolist()]
    assert encoding.char_start.tolist() == edges[:-1]
    assert edges == sorted(edges)
    assert edges[-1] == len(text)


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_spelling_tiles_any_text(name: str, text: str) -> None:
    encoding = spelled(name, text)
    assert_tiles(encoding, text)
    # An empty span is a later piece of the character before it, so it never stands first.
    assert not len(encoding) or encoding.char_end[0] > 0


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_special_tokens_name_is_text(name: str) -> None:
    text = "o gato </s> viu <0x41>"
    encoding = spelled(name, text)
    assert TOKENIZERS[name].token_to_id("</s>") not in encoding.token_id
    assert_tiles(encoding, text)


def test_a_space_before_the_text_counts_to_the_first_character() -> None:
    """`▁`, four bytes of the smiley: the first spans it, the others are later pieces of it."""
    encoding = spelled("sentencepiece", "😀")
    assert TOKENIZERS["sentencepiece"].id_to_token(int(encoding.token_id[0])) == "▁"
    assert spans(encoding) == [(0, 1), (1, 1), (1, 1), (1, 1), (1, 1)]


def test_a_text_that_begins_with_a_space_keeps_it() -> None:
    for name in TOKENIZERS:
        assert_tiles(spelled(name, " o gato"), " o gato")
        assert_tiles(spelled(name, "  o gato\n"), "  o gato\n")


def test_tokens_that_do_not_write_the_text_have_no_spelling() -> None:
    pieces = PIECES["byte level"]
    assert pieces is not None
    token_id = np.array(TOKENIZERS["byte level"].encode("o gato", add_special_tokens=False).ids, np.int64)
    assert spans_by_spelling("o gatos", token_id, pieces) is None
    assert spans_by_spelling("O gato", token_id, pieces) is None


@given(text=st.text(st.sampled_from("Oo gatoÃãçé.,-\n\t"), max_size=30))
def test_a_lower_casing_tokenizers_offsets_tile(text: str) -> None:
    if text.strip():
        assert_tiles(checked(wordpiece_once(), text), text)


_WORDPIECE = wordpiece()


def wordpiece_once() -> Tokenizer:
    return _WORDPIECE


def test_white_space_goes_to_the_token_after_it_and_at_the_end_to_the_last() -> None:
    assert by_hand("  a b  c \n", [(2, 3), (4, 5), (7, 8)]) == [(0, 3), (3, 5), (5, 10)]


def test_pieces_of_one_character_and_a_piece_that_begins_inside_one() -> None:
    assert by_hand("aãb", [(0, 1), (1, 2), (1, 2), (2, 3)]) == [(0, 1), (1, 2), (2, 2), (2, 3)]
    assert by_hand("aãb", [(0, 2), (1, 3)]) == [(0, 2), (2, 3)]


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([(0, 0), (0, 3)], "token 0 spans the characters 0 to 0, after one that ends at 0"),
        ([(0, 3), (3, 3)], "token 1 spans the characters 3 to 3, after one that ends at 3"),
        ([(0, 3), (0, 3)], "token 1 spans the characters 0 to 3, after one that ends at 3"),
        ([(0, 2), (1, 2), (0, 3)], "token 2 spans the characters 0 to 3, after one that ends at 2"),
        ([(0, 2), (2, 1)], "token 1 spans the characters 2 to 1, after one that ends at 2"),
        ([(0, 2), (2, 4)], "token 1 spans the characters 2 to 4, after one that ends at 2"),
    ],
)
def test_offsets_that_lie_are_refused_with_their_place(offsets: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(ModelError) as caught:
        by_hand("não", offsets)
    assert str(caught.value).startswith(f"document 'd': the tokenizer says that {message}")


@pytest.mark.parametrize(
    ("text", "offsets", "position", "character"),
    [
        ("a§b", [(0, 1), (2, 3)], 1, "'§' (U+00A7)"),
        ("«a", [(1, 2)], 0, "'«' (U+00AB)"),
        ("a»", [(0, 1)], 1, "'»' (U+00BB)"),
        ("a m\u0303b", [(0, 1), (2, 3), (4, 5)], 3, "'\u0303' (U+0303)"),
        ("?", [], 0, "'?' (U+003F)"),
    ],
)
def test_a_dropped_character_is_refused_with_its_place(
    text: str, offsets: list[tuple[int, int]], position: int, character: str
) -> None:
    with pytest.raises(ModelError) as caught:
        by_hand(text, offsets)
    assert f"document 'd': the tokenizer drops character {position}, {character}" in str(caught.value)


def test_characters_that_no_one_sees_may_be_dropped() -> None:
    assert by_hand("a\u200db\x00", [(0, 1), (2, 3)]) == [(0, 1), (1, 4)]


def test_a_text_without_a_token() -> None:
    assert by_hand("", []) == []
    with pytest.raises(ModelError, match="document 'd': it has no token, though 2 characters"):
        by_hand(" \n", [])

"""What entries of a vocabulary write, for tokenizers of each sort."""

import json
from typing import Any

import pytest
from hf_tokenizers import byte_level, sentencepiece, wordpiece
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from rig.models.hf.pieces import Pieces, byte_characters, byte_pieces, unk_id


def description(tokenizer: Tokenizer) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(tokenizer.to_str())
    return parsed


def pieces_of(tokenizer: Tokenizer) -> Pieces:
    pieces = Pieces.of(description(tokenizer))
    assert pieces is not None
    return pieces


def test_the_characters_that_stand_for_bytes_are_the_librarys() -> None:
    characters = byte_characters()
    assert sorted(characters) == sorted(pre_tokenizers.ByteLevel.alphabet())
    assert (characters[0x20], characters[0x0A], characters[0x41]) == ("Ġ", "Ċ", "A")


def test_byte_level_entries_are_bytes() -> None:
    tokenizer = byte_level()
    pieces = pieces_of(tokenizer)
    assert pieces.spells_anything
    assert pieces.space == " "
    ids = tokenizer.encode("não vê", add_special_tokens=False).ids
    assert b"".join(pieces.data[index] for index in ids) == "não vê".encode()
    assert pieces.data[tokenizer.token_to_id("Ã")] == b"\xc3"
    assert pieces.n_bytes.tolist() == [len(piece) for piece in pieces.data]


def test_sentencepiece_entries_are_text_and_bytes() -> None:
    tokenizer = sentencepiece()
    pieces = pieces_of(tokenizer)
    assert pieces.spells_anything
    assert pieces.space == "▁"
    assert pieces.data[tokenizer.token_to_id("<0xF0>")] == b"\xf0"
    assert pieces.data[tokenizer.token_to_id("▁")] == "▁".encode()


def test_what_loses_spaces_has_no_pieces() -> None:
    assert Pieces.of(description(wordpiece())) is None


def changed(tokenizer: Tokenizer, **parts: Any) -> dict[str, Any]:
    return {**description(tokenizer), **parts}


@pytest.mark.parametrize(
    "parts",
    [
        {"normalizer": {"type": "Lowercase"}},
        {"normalizer": {"type": "NFKC"}},
        {"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "StripAccents"}]}},
        {"normalizer": {"type": "Replace", "pattern": {"String": "a"}, "content": "b"}},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"}, {"type": "ByteLevel", "add_prefix_space": False}]}},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"String": " "}, "behavior": "Removed", "invert": False},
            {"type": "ByteLevel", "add_prefix_space": False}]}},
    ],
)  # fmt: skip
def test_a_tokenizer_that_changes_the_text_gives_no_code_length(parts: dict[str, Any]) -> None:
    pieces = Pieces.of(changed(byte_level(), **parts))
    assert pieces is not None
    assert not pieces.spells_anything


def test_llama_3s_way_of_cutting_keeps_the_text() -> None:
    cut = {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": "\\s+|\\S+"}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
    ]}  # fmt: skip
    pieces = Pieces.of(changed(byte_level(), pre_tokenizer=cut))
    assert pieces is not None
    assert pieces.spells_anything


def test_a_vocabulary_without_every_byte_spells_not_everything() -> None:
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert not pieces_of(tokenizer).spells_anything


def test_sentencepiece_without_byte_fallback_spells_not_everything() -> None:
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁", -1.0), ("a", -2.0)], 0, False))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    pieces = pieces_of(tokenizer)
    assert not pieces.spells_anything
    assert pieces.data[0] == b"\xff"  # UNK writes nothing that could be in a text
    assert unk_id(description(tokenizer)) == 0
    assert byte_pieces(description(tokenizer)) == ()


def test_the_unknown_token_by_sort_of_model() -> None:
    assert unk_id(description(wordpiece())) == wordpiece().token_to_id("[UNK]")
    assert unk_id(description(byte_level())) is None
    assert unk_id(description(sentencepiece())) == sentencepiece().token_to_id("<unk>")
    assert unk_id(description(Tokenizer(models.Unigram([("a", 0.0)], None, False)))) is None
    assert unk_id(description(Tokenizer(models.WordLevel({"a": 0}, unk_token="<unk>")))) is None

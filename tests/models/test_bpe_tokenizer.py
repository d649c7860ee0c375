import os

import pytest
from tokenizers.pre_tokenizers import ByteLevel

from rig.models.bpe_tokenizer import BpeTokenizer, _byte_of_character


def test_the_byte_table_is_the_librarys() -> None:
    table = _byte_of_character()
    assert sorted(table) == sorted(ByteLevel.alphabet())
    assert sorted(table.values()) == list(range(256))
    for character in "não é 😀\n\x00":
        (spoken, _), *rest = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(character)
        assert not rest
        assert bytes(table[letter] for letter in spoken) == character.encode()


def test_the_most_frequent_pair_is_merged_first() -> None:
    # "ab" stands 4 times, "bc" and "ca" less: with room for one merge it is "ab".
    tokenizer = BpeTokenizer.train(["ab ab", "abc abx"], vocab_size=258)
    assert tokenizer.vocab_size == 258
    assert tokenizer.tokens[257] == "ab"


def test_equally_frequent_pairs_are_merged_in_the_order_of_their_bytes() -> None:
    tokenizer = BpeTokenizer.train(["zy", "cd", "mn"], vocab_size=258)
    assert tokenizer.tokens[257] == "cd"


def test_a_small_text_gives_fewer_tokens_than_asked_for() -> None:
    tokenizer = BpeTokenizer.train(["ab"], vocab_size=1_000)
    assert tokenizer.vocab_size == 258
    assert tokenizer.encode("ab").token_id.tolist() == [257]


def test_the_smallest_vocabulary_is_bytes() -> None:
    tokenizer = BpeTokenizer.train(["não não"], vocab_size=257)
    assert tokenizer.vocab_size == 257
    assert len(tokenizer.encode("não")) == 4


def test_a_leading_space_stays_with_its_word() -> None:
    tokenizer = BpeTokenizer.train(["a casa a casa a casa"], vocab_size=300)
    assert " casa" in tokenizer.tokens
    encoding = tokenizer.encode("a casa")
    assert encoding.char_start.tolist() == [0, 1]
    assert encoding.char_end.tolist() == [1, 6]


def test_a_cut_character_is_no_token_text_and_decodes_to_the_replacement() -> None:
    tokenizer = BpeTokenizer.train(["x"], vocab_size=257)
    first, second = tokenizer.encode("ã").token_id.tolist()
    assert tokenizer.tokens[first] is None
    assert tokenizer.decode([first]) == "\N{REPLACEMENT CHARACTER}"
    assert tokenizer.decode([first, second]) == "ã"


@pytest.mark.parametrize("before", [None, "true"])
def test_training_leaves_the_environment_as_it_was(
    before: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOKENIZERS_PARALLELISM", raising=False)
    if before is not None:
        monkeypatch.setenv("TOKENIZERS_PARALLELISM", before)
    BpeTokenizer.train(["ab ab"], vocab_size=258)
    assert os.environ.get("TOKENIZERS_PARALLELISM") == before

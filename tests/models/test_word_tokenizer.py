import math

import pytest

from rig.models.spelling import SpellingModel
from rig.models.word_tokenizer import WordTokenizer


def pieces(text: str) -> list[str]:
    encoding = WordTokenizer.train(["x"], vocab_size=3).encode(text)
    return [text[start:end] for start, end in zip(encoding.char_start, encoding.char_end, strict=True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A casa caiu.", ["A", " casa", " caiu", "."]),
        ("vê-la e guarda-chuva", ["vê-la", " e", " guarda-chuva"]),
        ("d'água, d’água", ["d'água", ",", " d’água"]),
        ("custa 1.000,50.", ["custa", " 1.000,50", "."]),
        ("a,b 2.o", ["a", ",", "b", " 2", ".", "o"]),
        ("a  b\n\nc \n d", ["a", " ", " b", "\n", "\n", "c", " \n", " d"]),
        (" - x-", [" -", " x", "-"]),
        ("fim.  ", ["fim", ".", "  "]),
        ("«não»...", ["«", "não", "»", ".", ".", "."]),
        ("a\u0301 q\u0303", ["a", "\u0301", " q", "\u0303"]),
    ],
)
def test_how_text_is_cut(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_the_vocabulary_is_by_frequency_then_code_point() -> None:
    tokenizer = WordTokenizer.train(["b", "a", "c c", "b", "d"], vocab_size=6)
    # b stands twice; " c", "a", "c", "d" once, and a space sorts first.
    assert tokenizer.tokens == (None, None, "b", " c", "a", "c")


def test_the_vocabulary_size_counts_bos_and_unk() -> None:
    assert WordTokenizer.train(["a b c"], vocab_size=4).vocab_size == 4
    assert WordTokenizer.train(["a b c"], vocab_size=99).vocab_size == 5


def test_known_words_come_back_and_unknown_ones_show() -> None:
    tokenizer = WordTokenizer.train(["A casa caiu."], vocab_size=99)
    assert tokenizer.unk_id == 1
    assert tokenizer.decode(tokenizer.encode("A casa caiu.").token_id) == "A casa caiu."
    assert tokenizer.encode("A rua caiu.").token_id.tolist()[1] == 1
    assert tokenizer.decode(tokenizer.encode("A rua caiu.").token_id) == "A \N{REPLACEMENT CHARACTER} caiu."


def test_an_unknown_word_costs_its_spelling_with_its_space() -> None:
    texts = ["A casa caiu.", "A mesa caiu."]
    tokenizer = WordTokenizer.train(texts, vocab_size=3)
    words = {b"A", b" casa", b" mesa", b" caiu", b"."}
    text = "A rua não."
    encoding = tokenizer.encode(text)
    spelling = SpellingModel(sorted(words))
    expected = [spelling.nats(b" rua"), spelling.nats(" não".encode())]
    nats = tokenizer.extra_nats(text, encoding)
    assert nats[1:3].tolist() == pytest.approx(expected, rel=1e-15)


def test_a_word_like_the_trained_ones_is_cheaper_than_one_unlike_them() -> None:
    tokenizer = WordTokenizer.train(["canção nação ação reação sessão visão"], vocab_size=3)
    text = " tração zqxwkj"
    nats = tokenizer.extra_nats(text, tokenizer.encode(text))
    assert nats[0] < nats[1]
    assert nats[1] < 8 * math.log(257) * 1.5


def test_the_hash_covers_what_the_spelling_model_saw() -> None:
    # The same vocabulary, but other rare words: an unknown word has another cost.
    one = WordTokenizer.train(["a a a b"], vocab_size=3)
    other = WordTokenizer.train(["a a a c"], vocab_size=3)
    assert one.tokens == other.tokens
    assert one.sha256 != other.sha256

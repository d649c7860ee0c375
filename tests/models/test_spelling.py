import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.models.spelling import SpellingModel


def test_without_words_every_symbol_is_equally_likely() -> None:
    assert SpellingModel([]).nats(b"ab") == pytest.approx(3 * math.log(257), rel=1e-14)
    assert SpellingModel([]).nats(b"") == pytest.approx(math.log(257), rel=1e-14)


def test_a_unigram_by_hand() -> None:
    # Counts of "aab" and "b": a 2, b 2, end 2; three different symbols, so T = 3 and c = 6.
    model = SpellingModel([b"aab", b"b"], order=1)
    a = (2 + 3 / 257) / 9
    assert model.nats(b"a") == pytest.approx(-2 * math.log(a), rel=1e-14)


def test_a_bigram_by_hand() -> None:
    # After "a": b once, end once. After the start: a once, b once. Unigram: a 1, b 2, end 2 (c = 5, T = 3).
    model = SpellingModel([b"ab", b"b"], order=2)
    low_a, low_end = (1 + 3 / 257) / 8, (2 + 3 / 257) / 8
    first = (1 + 2 * low_a) / (2 + 2)
    end_after_a = (0 + 1 * low_end) / (1 + 1)
    assert model.nats(b"a") == pytest.approx(-math.log(first) - math.log(end_after_a), rel=1e-14)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@settings(deadline=None)
@given(words=st.lists(st.binary(max_size=6), max_size=8), prefix=st.binary(max_size=5))
def test_the_next_symbols_sum_to_one_after_any_prefix(order: int, words: list[bytes], prefix: bytes) -> None:
    model = SpellingModel(words, order=order)
    total = math.fsum(model._probability(prefix, len(prefix), symbol) for symbol in range(257))
    assert total == pytest.approx(1.0, abs=1e-12)


def test_the_strings_of_a_code_share_no_more_than_one() -> None:
    # Kraft: over all strings of up to 2 bytes the probabilities sum to less than one, and most is on these.
    model = SpellingModel([b"a", b"b", b"ab"])
    strings = [
        bytes(s) for n in range(3) for s in itertools.product(range(256), repeat=n) if max(s, default=0) < 128
    ]
    total = math.fsum(math.exp(-model.nats(word)) for word in strings)
    assert 0.5 < total < 1.0


@settings(deadline=None)
@given(word=st.binary(max_size=40))
def test_every_word_has_a_finite_cost(word: bytes) -> None:
    nats = SpellingModel([b"abc", bytes(300)]).nats(word)
    assert 0 < nats < math.inf


def test_a_word_without_end_would_be_no_code() -> None:
    # Every word pays for its end: a prefix is not cheaper by having been seen as a prefix only.
    model = SpellingModel([b"casa"] * 50)
    assert model.nats(b"cas") > model.nats(b"casa")

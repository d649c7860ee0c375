"""Pseudo-likelihood under a hand-made masked model: worked numbers, windows, and nothing hidden is seen."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.core.documents import Document
from rig.core.errors import ModelError
from rig.models.base import Filled, Gaps
from rig.models.pseudo_likelihood import pseudo_scores, span_scores, word_l2r_scores
from rig.models.tokenizer import Encoding

MASK = -1
VOCABULARY = "ab. "


class Neighbours:
    """A token is one character; its probability follows from what it can see next to it.

    1/2 where it sees both neighbours, 1/4 where one, 1/8 where none; the text's edges count as seen.
    """

    def __init__(self, max_tokens: int = 100) -> None:
        self.max_tokens = max_tokens
        self.seen: list[tuple[list[int], list[int]]] = []

    def encode(self, texts: list[str]) -> list[Encoding]:
        return [
            Encoding.from_ends(
                np.array([VOCABULARY.index(char) for char in text], np.int64), np.arange(len(text)) + 1
            )
            for text in texts
        ]

    def fill(self, gaps: list[Gaps]) -> list[Filled]:
        answers = []
        for one in gaps:
            assert len(one.token_id) <= self.max_tokens
            inputs = one.token_id.copy()
            inputs[one.hidden] = MASK
            self.seen.append((inputs.tolist(), one.asked.tolist()))
            around = np.concatenate([[0], inputs, [0]])
            n_hidden = (around[one.asked] == MASK).astype(int) + (around[one.asked + 2] == MASK)
            answers.append(
                Filled(logprob=-math.log(2) * (1 + n_hidden), predicted=np.zeros(len(one.asked), np.int64))
            )
        return answers


def document(text: str, name: str = "d") -> Document:
    return Document(doc_id=name, text=text)


def bits(logprob: np.ndarray) -> list[float]:
    return (-logprob / math.log(2)).tolist()


def test_a_plain_score_hides_its_token_alone() -> None:
    model = Neighbours()
    (scores,) = pseudo_scores(model, [document("ab.")])
    assert bits(scores.logprob) == pytest.approx([1.0, 1.0, 1.0])
    assert [inputs for inputs, _ in model.seen] == [[MASK, 1, 2], [0, MASK, 2], [0, 1, MASK]]
    assert scores.token_id.tolist() == [0, 1, 2]
    assert scores.char_end.tolist() == [1, 2, 3]


def test_word_left_to_right_hides_the_later_pieces_of_the_word_and_no_others() -> None:
    # "abb" is one word of three pieces, "." another: 1/4 for its first two pieces, which see no right
    # neighbour, 1/2 for the last piece and the full stop.
    model = Neighbours()
    plain = pseudo_scores(model, [document("abb.")])
    model.seen.clear()
    (scores,) = word_l2r_scores(model, plain, [np.array([0, 0, 0, 1])])
    assert bits(scores.logprob) == pytest.approx([2.0, 2.0, 1.0, 1.0])
    assert scores.total_nats == pytest.approx(6 * math.log(2))
    assert [inputs for inputs, _ in model.seen] == [[MASK, MASK, MASK, 2], [0, MASK, MASK, 2]]
    assert [asked for _, asked in model.seen] == [[0], [1]]


def test_words_of_one_piece_are_not_asked_again() -> None:
    model = Neighbours()
    plain = pseudo_scores(model, [document("ab")])
    model.seen.clear()
    (scores,) = word_l2r_scores(model, plain, [np.array([0, 1])])
    assert scores.logprob.tolist() == plain[0].logprob.tolist()
    assert model.seen == []


def test_several_documents_and_empty_ones_keep_their_order() -> None:
    documents = [document("ab", "x"), document("", "y"), document("abba", "z")]
    plain = pseudo_scores(Neighbours(), documents)
    assert [(one.doc_id, one.n_tokens) for one in plain] == [("x", 2), ("y", 0), ("z", 4)]
    units = [np.array([0, 0]), np.zeros(0, np.int64), np.array([0, 0, 1, 1])]
    l2r = word_l2r_scores(Neighbours(), plain, units)
    assert [bits(one.logprob) for one in l2r] == [
        pytest.approx([2.0, 1.0]), [], pytest.approx([2.0, 1.0, 2.0, 1.0]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("position", "window", "place"),
    [
        (0, "abb.", 0), (1, "abb.", 1), (2, "abb.", 2), (3, "bb.a", 2), (5, ".abb", 2), (6, "abb.", 2),
        (7, "abb.", 3),
    ],
)  # fmt: skip
def test_a_long_text_is_read_through_the_window_centred_on_the_token(
    position: int, window: str, place: int
) -> None:
    model = Neighbours(max_tokens=4)
    pseudo_scores(model, [document("abb.abb.")])
    inputs, asked = model.seen[position]
    expected = [VOCABULARY.index(char) for char in window]
    expected[place] = MASK
    assert (inputs, asked) == (expected, [place])


def test_a_word_longer_than_the_window_is_hidden_as_far_as_it_reaches() -> None:
    model = Neighbours(max_tokens=3)
    plain = pseudo_scores(model, [document("abbab.")])
    model.seen.clear()
    word_l2r_scores(model, plain, [np.array([0, 0, 0, 0, 0, 1])])
    assert [inputs for inputs, _ in model.seen] == [
        [MASK, MASK, MASK], [0, MASK, MASK], [1, MASK, MASK], [1, MASK, MASK],
    ]  # fmt: skip


@settings(deadline=None)
@given(st.text(VOCABULARY, min_size=1, max_size=30), st.integers(1, 12), st.data())
def test_each_token_is_asked_once_and_never_shown(text: str, max_tokens: int, data: st.DataObject) -> None:
    class Looks(Neighbours):
        def fill(self, gaps: list[Gaps]) -> list[Filled]:
            for one in gaps:
                assert set(one.asked.tolist()) <= set(one.hidden.tolist())
                assert 1 <= len(one.token_id) <= max_tokens
            return super().fill(gaps)

    model = Looks(max_tokens)
    plain = pseudo_scores(model, [document(text)])
    assert len(model.seen) == plain[0].n_tokens == len(text)
    steps = data.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text)))
    units = np.cumsum(steps)
    model.seen.clear()
    word_l2r_scores(model, plain, [units])
    n_followed = sum(units[i] == units[i + 1] for i in range(len(text) - 1))
    assert len(model.seen) == n_followed


def test_a_span_is_charged_each_of_its_pieces_with_the_later_ones_hidden() -> None:
    model = Neighbours()
    scores = span_scores(model, [document("a abb a"), document("a ab. a")], [(2, 5), (2, 3)])
    assert bits(scores.logprob) == pytest.approx([2.0 + 2.0 + 1.0, 1.0])
    assert scores.n_pieces.tolist() == [3, 1]
    assert model.seen[0][0] == [0, 3, MASK, MASK, MASK, 3, 0]
    assert model.seen[1][0] == [0, 3, 0, MASK, MASK, 3, 0]
    assert model.seen[2][0] == [0, 3, 0, 1, MASK, 3, 0]


class Pieces(Neighbours):
    """Two characters a piece, but `e` with two pieces of its own, the later one empty."""

    def encode(self, texts: list[str]) -> list[Encoding]:
        assert texts == ["abceab"]
        ends = np.array([2, 3, 4, 4, 6])
        return [Encoding.from_ends(np.arange(5), ends)]


@pytest.mark.parametrize(
    ("span", "n_pieces"), [((0, 1), 1), ((1, 3), 2), ((3, 4), 2), ((2, 4), 3), ((4, 6), 1), ((3, 5), 3)]
)
def test_a_piece_that_holds_any_character_of_the_span_is_of_it(span: tuple[int, int], n_pieces: int) -> None:
    assert span_scores(Pieces(), [document("abceab")], [span]).n_pieces.tolist() == [n_pieces]


def test_a_span_outside_the_text_is_refused() -> None:
    with pytest.raises(ModelError, match="document 'd': no token lies in characters 5 to 7"):
        span_scores(Neighbours(), [document("ab")], [(5, 7)])


class Wrong(Neighbours):
    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def fill(self, gaps: list[Gaps]) -> list[Filled]:
        answer = np.array([self.value])
        return [Filled(logprob=answer, predicted=np.zeros(1, np.int64)) for _ in gaps]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 0.5])
def test_what_is_no_log_probability_is_refused(value: float) -> None:
    with pytest.raises(ModelError, match="document 'd': a log-probability must be finite and <= 0"):
        pseudo_scores(Wrong(value), [document("ab")])
    with pytest.raises(ModelError, match="document 'd': a span's log-probability must be finite and <= 0"):
        span_scores(Wrong(value), [document("ab")], [(0, 1)])


def test_missing_answers_are_refused() -> None:
    class Lazy(Neighbours):
        def fill(self, gaps: list[Gaps]) -> list[Filled]:
            return super().fill(gaps)[1:]

    with pytest.raises(ModelError, match="was given 2 texts with gaps and filled 1"):
        pseudo_scores(Lazy(), [document("ab")])

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.models.kneser_ney import KneserNey

V, BOS = 6, 0


class PlainKneserNey:
    """The module's definition, word for word, with dictionaries of tuples: slow and obvious."""

    def __init__(self, documents: Sequence[Sequence[int]], order: int, discounts: Sequence[float]) -> None:
        self.discounts = discounts
        plain: list[Counter[tuple[int, ...]]] = [Counter() for _ in range(order + 1)]
        for document in documents:
            tokens = (BOS, *document)
            for k in range(1, order + 1):
                for end in range(max(k, 2), len(tokens) + 1):
                    plain[k][tokens[end - k : end]] += 1
        self.counts: list[dict[tuple[int, ...], int]] = [{} for _ in range(order + 1)]
        for k in range(1, order + 1):
            for gram, n_times in plain[k].items():
                before = {longer[0] for longer in plain[k + 1] if longer[1:] == gram} if k < order else set()
                self.counts[k][gram] = n_times if k == order or gram[0] == BOS else len(before)

    def probability(self, word: int, context: tuple[int, ...]) -> float:
        k = min(len(context) + 1, len(self.counts) - 1)
        return self._of_order(k, word, context[len(context) - (k - 1) :])

    def _of_order(self, k: int, word: int, context: tuple[int, ...]) -> float:
        if k == 0:
            return 0.0 if word == BOS else 1 / (V - 1)
        followers = {gram[-1]: n for gram, n in self.counts[k].items() if gram[:-1] == context}
        lower = self._of_order(k - 1, word, context[1:])
        total = sum(followers.values())
        if total == 0:
            return lower
        discount = self.discounts[k - 1]
        mass = discount * len(followers) / total
        return max(followers.get(word, 0) - discount, 0) / total + mass * lower


a_text = st.lists(st.integers(1, V - 1), max_size=8)
some_documents = st.lists(a_text, min_size=1, max_size=6).filter(any)


def counted(documents: Sequence[Sequence[int]], order: int, discounts: Sequence[float] | None) -> KneserNey:
    arrays = [np.array(document, dtype=np.int64) for document in documents]
    return KneserNey.count(arrays, order=order, vocab_size=V, bos_id=BOS, discounts=discounts)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@settings(deadline=None)
@given(documents=some_documents, text=a_text)
def test_against_the_plain_definition(order: int, documents: list[list[int]], text: list[int]) -> None:
    discounts = [0.4, 0.6, 0.7, 0.8][:order]
    slow = PlainKneserNey(documents, order, discounts)
    expected = [math.log(slow.probability(word, (BOS, *text[:i]))) for i, word in enumerate(text)]
    logprob = counted(documents, order, discounts).logprob(np.array(text, dtype=np.int64))
    assert logprob.dtype == np.float64
    assert logprob.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@settings(deadline=None)
@given(documents=some_documents, context=a_text)
def test_probabilities_sum_to_one_after_any_context(
    order: int, documents: list[list[int]], context: list[int]
) -> None:
    probabilities = counted(documents, order, None).next_probabilities([BOS, *context])
    assert probabilities.shape == (V,)
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    assert probabilities[BOS] == 0
    assert (probabilities[1:] > 0).all()


@settings(deadline=None)
@given(documents=some_documents, text=a_text)
def test_scoring_and_generation_use_the_same_probabilities(
    documents: list[list[int]], text: list[int]
) -> None:
    model = counted(documents, 3, None)
    logprob = model.logprob(np.array(text, dtype=np.int64))
    one_by_one = [model.next_probabilities([BOS, *text[:i]])[word] for i, word in enumerate(text)]
    assert np.exp(logprob).tolist() == pytest.approx(one_by_one, rel=1e-12)


def test_a_bigram_model_by_hand() -> None:
    # Documents "1 2" and "1 3", D = 1/2 for both orders, five ids besides BOS.
    # Bigrams: BOS 1 (twice), 1 2, 1 3. Different tokens before: 1 has one (BOS), 2 one, 3 one.
    # p_1(2) = (1 - 1/2)/3 + (1/2 * 3/3) * 1/5 = 1/6 + 1/10 = 4/15.
    # p(2 | 1) = (1 - 1/2)/2 + (1/2 * 2/2) * 4/15 = 1/4 + 2/15 = 23/60.
    # p(1 | BOS) = (2 - 1/2)/2 + (1/2 * 1/2) * 4/15 = 3/4 + 1/15 = 49/60.
    model = counted([[1, 2], [1, 3]], 2, [0.5, 0.5])
    assert np.exp(model.logprob(np.array([1, 2]))).tolist() == pytest.approx([49 / 60, 23 / 60], rel=1e-14)


def test_a_word_after_many_words_beats_a_frequent_word_after_one() -> None:
    # "San Francisco": 3 stands four times but only after 2; 4 stands three times, after three words.
    documents = [[2, 3], [2, 3], [2, 3], [2, 3], [1, 4], [2, 4], [5, 4]]
    after_an_unseen_context = counted(documents, 2, [0.5, 0.5]).next_probabilities([BOS, 3])
    assert after_an_unseen_context[4] > after_an_unseen_context[3]


def test_discounts_are_estimated_from_counts_of_counts() -> None:
    # Unigrams alone: 1 stands once, 2 once, 3 twice: n1 = 2, n2 = 1, so D = 2 / (2 + 2) = 1/2.
    assert counted([[1, 2, 3, 3]], 1, None).discounts == (0.5,)


def test_without_counts_of_one_or_two_the_discount_falls_back() -> None:
    assert counted([[1, 1, 1]], 1, None).discounts == (0.75,)
    assert counted([[1, 2]], 1, None).discounts == (0.75,)


def test_documents_shorter_than_the_order() -> None:
    model = counted([[1], [], [2]], 5, None)
    assert model.n_grams == (2, 2, 0, 0, 0)
    assert np.isfinite(model.logprob(np.array([1, 2, 3, 4, 5]))).all()


def test_an_empty_document_has_no_scores() -> None:
    assert counted([[1]], 3, None).logprob(np.array([], dtype=np.int64)).shape == (0,)


def test_documents_do_not_leak_into_each_other() -> None:
    model = counted([[1, 2], [3, 4]], 2, [0.5, 0.5])
    after_two = model.next_probabilities([BOS, 2])
    assert after_two[3] == pytest.approx(model.next_probabilities([BOS, 5])[3], rel=1e-14)

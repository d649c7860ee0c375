from collections.abc import Callable

import pytest

from rig.stats.paired import PairedComparison
from rig.stats.verdict import Direction, Word, verdict

CompareOne = Callable[..., PairedComparison]
UP = ([1.0, 2.0, 3.0], [2.0, 3.01, 3.99])


@pytest.mark.parametrize(("direction", "word"), [("higher", Word.BETTER), ("lower", Word.WORSE)])
def test_direction_sets_the_word_only(compare_one: CompareOne, direction: Direction, word: Word) -> None:
    judged = verdict(compare_one(*UP), p_holm=0.01, direction=direction, alpha=0.05)
    assert judged is not None
    assert judged.word is word
    assert str(judged) == word.value


def test_consistent_signs_alone_are_unresolved(worked_example: PairedComparison) -> None:
    judged = verdict(worked_example, p_holm=0.293, direction="lower", alpha=0.05)
    assert str(judged) == "unresolved (3/3 same sign)"


def test_small_t_p_is_not_enough_without_holm(compare_one: CompareOne) -> None:
    comparison = compare_one(*UP)
    assert comparison.t is not None
    assert (comparison.t.p or 1) < 0.05
    judged = verdict(comparison, p_holm=0.2, direction="lower", alpha=0.05)
    assert judged is not None
    assert judged.word is Word.UNRESOLVED


def test_equivalent_only_against_a_declared_margin(compare_one: CompareOne) -> None:
    runs = ([1.0, 2.0, 3.0], [1.001, 1.999, 3.0])
    without = verdict(compare_one(*runs), p_holm=1.0, direction="lower", alpha=0.05)
    within = verdict(compare_one(*runs, margin=0.1), p_holm=1.0, direction="lower", alpha=0.05)
    assert str(without) == "unresolved (1/3 same sign)"
    assert str(within) == "equivalent"


def test_significant_but_within_the_margin_says_both(compare_one: CompareOne) -> None:
    judged = verdict(compare_one(*UP, margin=5.0), p_holm=0.001, direction="higher", alpha=0.05)
    assert judged is not None
    assert (judged.word, judged.is_within_margin) == (Word.BETTER, True)


def test_undefined_p_is_unresolved(compare_one: CompareOne) -> None:
    judged = verdict(compare_one([1.0, 2.0], [1.5, 2.5]), p_holm=None, direction="lower", alpha=0.05)
    assert str(judged) == "unresolved (2/2 same sign)"


def test_a_description_is_not_judged(compare_one: CompareOne) -> None:
    assert verdict(compare_one(*UP), p_holm=0.001, direction="none", alpha=0.05) is None

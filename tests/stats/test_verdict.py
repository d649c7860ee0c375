from collections.abc import Callable

import pytest

from rig.core.seeding import stream
from rig.stats.paired import PairedComparison, compare
from rig.stats.verdict import Direction, Word, verdict

CompareOne = Callable[..., PairedComparison]
UP = ([1.0, 2.0, 3.0], [2.0, 3.01, 3.99])


@pytest.mark.parametrize(("direction", "word"), [("higher", Word.BETTER), ("lower", Word.WORSE)])
def test_direction_sets_the_word_only(compare_one: CompareOne, direction: Direction, word: Word) -> None:
    judged = verdict(compare_one(*UP), p_holm=0.01, direction=direction, alpha=0.05, is_declared=True)
    assert judged is not None
    assert judged.word is word
    assert str(judged) == word.value


def test_consistent_signs_alone_are_unresolved(worked_example: PairedComparison) -> None:
    judged = verdict(worked_example, p_holm=0.293, direction="lower", alpha=0.05, is_declared=True)
    assert str(judged) == "unresolved (3/3 same sign)"


def test_small_t_p_is_not_enough_without_holm(compare_one: CompareOne) -> None:
    comparison = compare_one(*UP)
    assert comparison.t is not None
    assert (comparison.t.p or 1) < 0.05
    judged = verdict(comparison, p_holm=0.2, direction="lower", alpha=0.05, is_declared=True)
    assert judged is not None
    assert judged.word is Word.UNRESOLVED


def test_equivalent_only_against_a_declared_margin(compare_one: CompareOne) -> None:
    runs = ([1.0, 2.0, 3.0], [1.001, 1.999, 3.0])
    without = verdict(compare_one(*runs), p_holm=1.0, direction="lower", alpha=0.05, is_declared=True)
    within = verdict(
        compare_one(*runs, margin=0.1), p_holm=1.0, direction="lower", alpha=0.05, is_declared=True
    )
    assert str(without) == "unresolved (1/3 same sign)"
    assert str(within) == "equivalent"


def test_significant_but_within_the_margin_says_both(compare_one: CompareOne) -> None:
    judged = verdict(
        compare_one(*UP, margin=5.0), p_holm=0.001, direction="higher", alpha=0.05, is_declared=True
    )
    assert judged is not None
    assert (judged.word, judged.is_within_margin) == (Word.BETTER, True)


def test_undefined_p_is_unresolved(compare_one: CompareOne) -> None:
    judged = verdict(
        compare_one([1.0, 2.0], [1.5, 2.5]), p_holm=None, direction="lower", alpha=0.05, is_declared=True
    )
    assert str(judged) == "unresolved (2/2 same sign)"


def test_one_seed_has_no_signs_to_agree(compare_one: CompareOne) -> None:
    judged = verdict(compare_one([1.0], [1.5]), p_holm=None, direction="lower", alpha=0.05, is_declared=True)
    assert str(judged) == "unresolved (one seed)"


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_nothing_is_concluded_outside_the_declared_family(
    compare_one: CompareOne, direction: Direction
) -> None:
    comparison = compare_one(*UP, margin=5.0)
    judged = verdict(comparison, p_holm=1e-9, direction=direction, alpha=0.05, is_declared=False)
    assert str(judged) == "exploratory (3/3 same sign)"


def test_equal_pairs_show_no_difference_and_prove_none(compare_one: CompareOne) -> None:
    runs = compare_one([1.0, 0.5, 0.25], [1.0, 0.5, 0.25])
    seen = verdict(runs, p_holm=None, direction="higher", alpha=0.05, is_declared=False)
    assert str(seen) == "no difference"
    declared = verdict(runs, p_holm=None, direction="higher", alpha=0.05, is_declared=True)
    assert str(declared) == "unresolved (0/3 same sign)"


@pytest.mark.parametrize("is_declared", [True, False])
def test_a_metric_without_direction_is_described(compare_one: CompareOne, is_declared: bool) -> None:
    judged = verdict(compare_one(*UP), p_holm=0.001, direction="none", alpha=0.05, is_declared=is_declared)
    assert str(judged) == "described"


def test_without_a_pair_there_is_no_verdict() -> None:
    (nothing,) = compare(
        [[0.0]], [[0.0]], confidence_level=0.95, n_resamples=100, rng=stream(0, "no pair"),
        base_present=[[False]],
    )  # fmt: skip
    assert verdict(nothing, p_holm=None, direction="lower", alpha=0.05, is_declared=True) is None

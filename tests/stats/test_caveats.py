from collections.abc import Callable

import numpy as np
import pytest

from rig.stats import caveats
from rig.stats.paired import PairedComparison

CompareOne = Callable[..., PairedComparison]


def test_worked_example_says_what_its_bootstrap_line_does_not(worked_example: PairedComparison) -> None:
    assert caveats.caveats(worked_example, confidence_level=0.95) == (
        "With 3 seeds this bootstrap interval is just the smallest and largest of the three differences. "
        "It behaves like a 75% interval, not 95%. "
        "It excludes 0 whenever all seeds agree, which happens by chance 1 time in 4.",
        "Bootstrap interval excludes 0 but paired t p=0.29: treat as unresolved "
        "(needs about 14 seeds to resolve an effect of this size).",
        "Sign-flip p=0.25 is the smallest value 3 seeds can give; it is not evidence for no effect.",
    )


@pytest.mark.parametrize(("n", "percent"), [(4, "80%"), (5, "84%")])
def test_coverage_of_four_and_five_seeds(compare_one: CompareOne, n: int, percent: str) -> None:
    comparison = compare_one(np.zeros(n), np.arange(n) - 1.0)
    text = caveats.bootstrap_coverage_caveat(comparison, confidence_level=0.95)
    assert text == f"With {n} seeds this bootstrap interval, nominal 95%, behaves like a {percent} interval."


def test_no_contradiction_where_both_agree(compare_one: CompareOne) -> None:
    agreeing = compare_one([0.0, 0.0, 0.0], [1.0, 1.1, 0.9])
    assert caveats.contradiction(agreeing, confidence_level=0.95) is None
    neither = compare_one([0.0, 0.0, 0.0], [1.0, -1.0, 0.9])
    assert caveats.contradiction(neither, confidence_level=0.95) is None


def test_floor_is_said_only_where_it_hides_an_effect(compare_one: CompareOne) -> None:
    assert caveats.sign_flip_floor(compare_one(np.zeros(3), [1.0, -2.0, 3.0])) is None
    assert caveats.sign_flip_floor(compare_one(np.zeros(6), np.arange(1.0, 7.0))) is None
    assert caveats.sign_flip_floor(compare_one(np.zeros(5), np.arange(1.0, 6.0))) == (
        "Sign-flip p=0.0625 is the smallest value 5 seeds can give; it is not evidence for no effect."
    )


def test_one_seed(compare_one: CompareOne) -> None:
    assert caveats.caveats(compare_one([1.0], [2.0]), confidence_level=0.95) == (
        "One seed pair shows a difference but no spread: no interval and no test.",
    )


def test_identical_runs_and_equal_differences(compare_one: CompareOne) -> None:
    same = caveats.zero_variance(compare_one([1.0, 2.0], [1.0, 2.0]))
    assert same == (
        "All 2 differences are 0, so a t test is not defined: "
        "check that the two kinds are not the same checkpoints."
    )
    shifted = caveats.zero_variance(compare_one([1.0, 2.0], [1.5, 2.5]))
    assert shifted is not None
    assert shifted.startswith(
        "All 2 differences are equal (zero variance), so t, p and effect size are not defined"
    )


def test_missing_seeds_are_said(compare_one: CompareOne) -> None:
    comparison = compare_one([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], base_present=[[True], [False], [True]])
    text = caveats.missing_pairs(comparison)
    assert text is not None
    assert text.startswith("2 seed pairs used; missing: 1 of the baseline, 0 of the variant.")


def test_no_pair(compare_one: CompareOne) -> None:
    text = caveats.too_few_pairs(compare_one([1.0], [1.0], base_present=[[False]]))
    assert text == "No seed has a value of both kinds, so there is nothing to compare."


def test_exploratory_table_at_three_seeds_expects_a_quarter_of_its_tests() -> None:
    assert caveats.exploratory_exclusions(40, 0.75) == (
        "comparisons.csv holds 40 exploratory tests: if no kind differed at all, "
        "about 10.0 bootstrap intervals would still exclude 0."
    )


def test_scope() -> None:
    assert caveats.SCOPE == (
        "Uncertainty covers training seeds only; test documents, tokenizer and data are held fixed."
    )

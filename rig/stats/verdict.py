"""The one word that a comparison earns. It never says more than the adjusted test does."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, final

from rig.stats.paired import PairedComparison

Direction = Literal["higher", "lower", "none"]
"""Which way a metric is better. It picks the word only: differences are never turned round."""


class Word(StrEnum):
    """What is concluded."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    UNRESOLVED = "unresolved"
    EXPLORATORY = "exploratory"
    """Outside the declared family: nothing is concluded, whatever its p."""
    NO_DIFFERENCE = "no difference"
    """Outside the declared family, and every pair is exactly equal: what was seen, not what was shown."""
    DESCRIBED = "described"
    """The metric has no better direction."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A word, and how the seeds' signs fell."""

    word: Word
    n_same_sign: int
    """Pairs on the majority's side of 0."""
    n_pairs: int
    is_within_margin: bool
    """The difference is shown to lie within the declared margin, also where the word is better or worse."""

    def __str__(self) -> str:
        """For example `better`, `unresolved (3/3 same sign)` or `exploratory (one seed)`."""
        if self.word not in (Word.UNRESOLVED, Word.EXPLORATORY):
            return str(self.word)
        if self.n_pairs == 1:
            return f"{self.word} (one seed)"
        return f"{self.word} ({self.n_same_sign}/{self.n_pairs} same sign)"


def verdict(
    comparison: PairedComparison,
    *,
    p_holm: float | None,
    direction: Direction,
    alpha: float,
    is_declared: bool,
) -> Verdict | None:
    """Judge one comparison.

    In the declared family: `better` or `worse` only if the Holm-adjusted paired t p is below alpha; otherwise
    `equivalent` only if the test against the declared margin is below alpha; otherwise `unresolved`. Outside
    of it nothing is concluded: `exploratory`, or `no difference` where every pair is equal. The bootstrap
    interval and the sign-flip test decide nothing.

    Args:
        comparison: Of the metric.
        p_holm: Its t test's p adjusted over the declared family (`rig.stats.multiplicity.holm`), or None.
        direction: Which way the metric is better; one without direction is `described`, never judged.
        alpha: Level of the family, 1 minus the confidence level.
        is_declared: Whether the metric was declared before any run.

    Returns:
        The verdict; None where no pair is left.
    """
    if comparison.delta_mean is None:
        return None
    tost = comparison.equivalence
    is_within_margin = tost is not None and tost.p < alpha
    if direction == "none":
        word = Word.DESCRIBED
    elif not is_declared:
        word = Word.EXPLORATORY if any(comparison.differences) else Word.NO_DIFFERENCE
    elif p_holm is not None and p_holm < alpha:
        is_better = (comparison.delta_mean > 0) == (direction == "higher")
        word = Word.BETTER if is_better else Word.WORSE
    else:
        word = Word.EQUIVALENT if is_within_margin else Word.UNRESOLVED
    return Verdict(
        word=word,
        n_same_sign=comparison.n_same_sign,
        n_pairs=comparison.n_pairs,
        is_within_margin=is_within_margin,
    )

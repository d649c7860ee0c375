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
        """For example `better`, or `unresolved (3/3 same sign)`."""
        if self.word is Word.UNRESOLVED:
            return f"{self.word} ({self.n_same_sign}/{self.n_pairs} same sign)"
        return str(self.word)


def verdict(
    comparison: PairedComparison, *, p_holm: float | None, direction: Direction, alpha: float
) -> Verdict | None:
    """Judge one comparison.

    `better` or `worse` only if the Holm-adjusted paired t p is below alpha; otherwise `equivalent` only if
    the test against the declared margin is below alpha; otherwise `unresolved`. The bootstrap interval and
    the sign-flip test decide nothing.

    Args:
        comparison: Of the metric.
        p_holm: Its t test's p adjusted over the declared family (`rig.stats.multiplicity.holm`), or None.
        direction: Which way the metric is better.
        alpha: Level of the family, 1 minus the confidence level.

    Returns:
        The verdict; None for a metric without direction, which describes and is not judged, and where no
        pair is left.
    """
    if direction == "none" or comparison.delta_mean is None:
        return None
    tost = comparison.equivalence
    is_within_margin = tost is not None and tost.p < alpha
    if p_holm is not None and p_holm < alpha:
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

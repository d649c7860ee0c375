"""Minimal pairs: does a model give the right member more probability than the wrong one?

A tie counts half and is reported. Harnesses that take the argmax give a tie to whichever member stands first,
so a model that says the same of everything gets 100 % (babylm/evaluation-pipeline-2025 issue 34).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
from scipy.stats import binomtest

from rig.core.items import Item


def preference(
    right_logprob: npt.NDArray[np.float64], wrong_logprob: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """1 where the right member has the higher log-probability, 0 where the lower, 0.5 where they are equal.

    Args:
        right_logprob: (n_pairs,) natural log-probabilities, finite.
        wrong_logprob: (n_pairs,) of the other members, finite.

    Returns:
        (n_pairs,) of 1.0, 0.5 and 0.0.

    Raises:
        ValueError: The shapes differ, or a value is not finite (a NaN is a failure, not a wrong answer).
    """
    if right_logprob.shape != wrong_logprob.shape:
        raise ValueError(f"shapes must be equal, got {right_logprob.shape} and {wrong_logprob.shape}")
    if not (np.isfinite(right_logprob).all() and np.isfinite(wrong_logprob).all()):
        raise ValueError("log-probabilities must be finite")
    return (1.0 + np.sign(right_logprob - wrong_logprob)) / 2.0


def accuracy(items: Sequence[Item]) -> float | None:
    """Mean of the items' answers (1, 0.5, 0): the share of pairs won, ties at half. None without items."""
    return float(np.mean([item.predicted for item in items])) if items else None


def mean_of_cells(items: Sequence[Item], cells: Iterable[str]) -> float | None:
    """Mean over the cells of a design of the accuracy in each: every cell weighs the same, whatever its size.

    Args:
        items: Answers 1, 0.5 or 0, in any order.
        cells: The cells that the design has.

    Returns:
        A share in [0, 1]; None if a cell has no item, since a mean of the others is another quantity.
    """
    by_cell = [accuracy([item for item in items if item.cell == cell]) for cell in cells]
    if not by_cell or None in by_cell:
        return None
    return float(np.mean([value for value in by_cell if value is not None]))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PairAccuracy:
    """Accuracy on a group of pairs, with its uncertainty."""

    n: int
    """Pairs."""
    n_ties: int
    """Pairs whose members got the same log-probability."""
    accuracy: float | None
    """Share won, ties at half; None without pairs."""
    low: float | None
    """Lower end of the 95 % Wilson interval, ties counted as lost."""
    high: float | None
    """Upper end of the 95 % Wilson interval, ties counted as won."""


def pair_accuracy(items: Sequence[Item], *, confidence_level: float = 0.95) -> PairAccuracy:
    """Accuracy with a Wilson score interval (Wilson 1927; `scipy.stats.binomtest`, method "wilson").

    Wilson's interval is for whole wins. With ties its lower end counts them all as lost and its upper end as
    won, so that an undecided model has a wide interval and not a confident half.

    Raises:
        ValueError: An answer is not 1, 0.5 or 0.
    """
    answers = [item.predicted for item in items]
    if not set(answers) <= {0.0, 0.5, 1.0}:
        raise ValueError("answers to pairs must be 1, 0.5 or 0")
    n, n_won, n_ties = len(answers), answers.count(1.0), answers.count(0.5)
    if n == 0:
        return PairAccuracy(n=0, n_ties=0, accuracy=None, low=None, high=None)
    lost = binomtest(n_won, n).proportion_ci(confidence_level=confidence_level, method="wilson")
    won = binomtest(n_won + n_ties, n).proportion_ci(confidence_level=confidence_level, method="wilson")
    return PairAccuracy(
        n=n, n_ties=n_ties, accuracy=accuracy(items), low=float(lost.low), high=float(won.high)
    )

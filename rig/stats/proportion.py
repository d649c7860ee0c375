"""Intervals and tests of one model's proportions over items: for a metric at or near 0 or 1."""

from dataclasses import dataclass
from typing import final

from scipy import stats

from rig.core.errors import DataError
from rig.stats.replicates import checked_level


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Proportion:
    """A proportion of items and its Wilson interval: new items, this one model."""

    value: float
    low: float
    high: float
    n_items: int


def wilson(n_successes: int, n_items: int, *, confidence_level: float) -> Proportion | None:
    """Wilson's score interval (1927) of a proportion; it keeps a width at 0 and 1.

    From `scipy.stats.binomtest(k, n).proportion_ci(method="wilson")`. Items must be independent.

    Args:
        n_successes: Items that succeeded.
        n_items: All items.
        confidence_level: For example 0.95.

    Returns:
        The proportion; None for no items.

    Raises:
        DataError: A count is negative or there are more successes than items.
    """
    level = checked_level(confidence_level)
    if not 0 <= n_successes <= n_items:
        raise DataError(f"need 0 <= successes <= items, got {n_successes} of {n_items}")
    if n_items == 0:
        return None
    interval = stats.binomtest(n_successes, n_items).proportion_ci(level, method="wilson")
    return Proportion(
        value=n_successes / n_items, low=float(interval.low), high=float(interval.high), n_items=n_items
    )


def mcnemar(n_only_base: int, n_only_variant: int) -> float:
    """Exact two-sided McNemar p of two models on the same items.

    Args:
        n_only_base: Items that only the baseline got right.
        n_only_variant: Items that only the variant got right.

    Returns:
        The binomial p of an even split of the items on which they differ; 1 if there are none.

    Raises:
        DataError: A count is negative.
    """
    if min(n_only_base, n_only_variant) < 0:
        raise DataError(f"counts must be at least 0, got {n_only_base} and {n_only_variant}")
    n_discordant = n_only_base + n_only_variant
    return float(stats.binomtest(n_only_base, n_discordant).pvalue) if n_discordant else 1.0

"""How many seeds a difference needs, from a finished report's own spread of differences."""

from dataclasses import dataclass
from typing import final

from rig.report.comparison import Comparison
from rig.stats.power import minimum_detectable_d_z, seeds_needed, std_interval_factors

SEEDS_SHOWN: tuple[int, ...] = tuple(range(3, 11))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SeedsNeeded:
    """Seeds to find one difference with the stated power, if the std of the differences is as given."""

    std: float
    n_seeds: int | None
    """None if 10,000 are not enough."""
    n_seeds_family: int | None
    """The same at alpha / m, enough whatever place Holm gives this test among m."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """One variant's difference from the baseline on the primary metric, and what more seeds would find."""

    kind: str
    metric: str
    n_pairs: int
    needed: tuple[SeedsNeeded, SeedsNeeded, SeedsNeeded]
    """With the observed std, then with the low and the high end of its interval."""
    detectable: tuple[tuple[int, float], ...]
    """Seeds, and the smallest difference that so many find, with the observed std."""


def plan_seeds(
    comparison: Comparison, *, effect: float, confidence_level: float, power: float, n_tests: int
) -> Planning | None:
    """Plan the seeds of one comparison.

    Args:
        comparison: Of the primary metric.
        effect: The difference to find, on the scale of tests, > 0.
        confidence_level: Alpha is 1 minus it.
        power: Chance to find the difference if it is there.
        n_tests: Tests in the declared family.

    Returns:
        The plan; None where the differences have no spread to plan from.
    """
    tested = comparison.tested
    if tested is None or tested.t is None or tested.t.t is None or tested.t.std is None:
        return None
    factors = std_interval_factors(tested.n_pairs, confidence_level=confidence_level)
    if factors is None:
        return None
    alpha, std = 1.0 - confidence_level, tested.t.std

    def needed(std: float) -> SeedsNeeded:
        return SeedsNeeded(
            std=std,
            n_seeds=seeds_needed(effect / std, alpha=alpha, power=power),
            n_seeds_family=seeds_needed(effect / std, alpha=alpha / n_tests, power=power),
        )

    detectable = []
    for n in SEEDS_SHOWN:
        d_z = minimum_detectable_d_z(n, alpha=alpha, power=power)
        if d_z is not None:
            detectable.append((n, d_z * std))
    return Planning(
        kind=comparison.kind,
        metric=comparison.column.name,
        n_pairs=tested.n_pairs,
        needed=(needed(std), needed(std * factors[0]), needed(std * factors[1])),
        detectable=tuple(detectable),
    )

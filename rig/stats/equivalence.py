"""Equivalence against a declared margin: two one-sided t tests (Schuirmann 1987)."""

from dataclasses import dataclass
from typing import final

from scipy import special

from rig.stats.student_t import StudentT


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Two one-sided tests that the mean difference lies within (-margin, +margin)."""

    margin: float
    p: float
    """The larger of the two one-sided p values; below alpha the kinds are equivalent within the margin."""


def equivalence(differences: StudentT, *, margin: float) -> Equivalence | None:
    """TOST of the mean paired difference.

    Equal to `statsmodels.stats.weightstats.ttost_paired(variant, base, -margin, margin)`.

    Args:
        differences: The t summary of the paired differences.
        margin: The declared smallest difference that matters, in the metric's unit, > 0.

    Returns:
        The test; None where the t test is undefined.
    """
    if differences.t is None or differences.std is None or differences.df is None:
        return None
    se = differences.std / differences.n**0.5
    above = special.stdtr(differences.df, -(differences.mean + margin) / se)
    below = special.stdtr(differences.df, (differences.mean - margin) / se)
    return Equivalence(margin=margin, p=float(max(above, below)))

"""What a reader must be told beside the numbers, as sentences. Each is a fact of n, not an opinion."""

from rig.stats.paired import PairedComparison
from rig.stats.power import seeds_needed

SCOPE = "Uncertainty covers training seeds only; test documents, tokenizer and data are held fixed."


def caveats(comparison: PairedComparison, *, confidence_level: float) -> tuple[str, ...]:
    """All caveats that one comparison needs, in the order in which they are printed."""
    found = (
        missing_pairs(comparison),
        too_few_pairs(comparison),
        zero_variance(comparison),
        bootstrap_coverage_caveat(comparison, confidence_level=confidence_level),
        contradiction(comparison, confidence_level=confidence_level),
        sign_flip_floor(comparison),
    )
    return tuple(text for text in found if text is not None)


def missing_pairs(comparison: PairedComparison) -> str | None:
    """Which kind lost seeds, if one did."""
    if not comparison.n_missing_base and not comparison.n_missing_variant:
        return None
    return (
        f"{comparison.n_pairs} seed pairs used; missing: {comparison.n_missing_base} of the baseline, "
        f"{comparison.n_missing_variant} of the variant. "
        "Failed runs are seldom missing at random, so the seeds that are left may flatter a kind."
    )


def too_few_pairs(comparison: PairedComparison) -> str | None:
    """One pair or none."""
    if comparison.n_pairs == 0:
        return "No seed has a value of both kinds, so there is nothing to compare."
    if comparison.n_pairs == 1:
        return "One seed pair shows a difference but no spread: no interval and no test."
    return None


def zero_variance(comparison: PairedComparison) -> str | None:
    """All differences equal: a sign of duplicated runs or of a metric at its bound, not of certainty."""
    if comparison.n_pairs < 2 or comparison.t is None or comparison.t.t is not None:
        return None
    if not any(comparison.differences):
        return (
            f"All {comparison.n_pairs} differences are 0, so a t test is not defined: "
            "check that the two kinds are not the same checkpoints."
        )
    return (
        f"All {comparison.n_pairs} differences are equal (zero variance), so t, p and effect size are not "
        "defined, and the bootstrap interval has no width: that is not certainty."
    )


def bootstrap_coverage_caveat(comparison: PairedComparison, *, confidence_level: float) -> str | None:
    """What the required bootstrap interval is worth at this number of seeds."""
    bootstrap, n = comparison.bootstrap, comparison.n_pairs
    if bootstrap is None or bootstrap.coverage is None:
        return None
    if n == 3 and confidence_level == 0.95:
        return (
            "With 3 seeds this bootstrap interval is just the smallest and largest of the three differences. "
            "It behaves like a 75% interval, not 95%. "
            "It excludes 0 whenever all seeds agree, which happens by chance 1 time in 4."
        )
    return (
        f"With {n} seeds this bootstrap interval, nominal {_percent(confidence_level)}, "
        f"behaves like a {bootstrap.coverage:.0%} interval."
    )


def contradiction(comparison: PairedComparison, *, confidence_level: float) -> str | None:
    """The bootstrap interval excludes 0 but the t test does not."""
    alpha = 1.0 - confidence_level
    bootstrap, t, effect = comparison.bootstrap, comparison.t, comparison.effect
    if bootstrap is None or t is None or t.p is None or effect is None or t.p < alpha:
        return None
    if bootstrap.low <= 0.0 <= bootstrap.high:
        return None
    n = seeds_needed(abs(effect.d_z), alpha=alpha)
    needs = "more than 10,000 seeds" if n is None else f"about {n} seeds"
    return (
        f"Bootstrap interval excludes 0 but paired t p={t.p:.2g}: treat as unresolved "
        f"(needs {needs} to resolve an effect of this size)."
    )


def sign_flip_floor(comparison: PairedComparison) -> str | None:
    """The sign-flip p stands at the smallest value that n seeds can give, and that is above 0.05."""
    flip = comparison.sign_flip
    if flip is None or flip.p > flip.floor or flip.floor < 0.05:
        return None
    return (
        f"Sign-flip p={flip.p:.4g} is the smallest value {comparison.n_pairs} seeds can give; "
        "it is not evidence for no effect."
    )


def exploratory_exclusions(n_tests: int, coverage: float) -> str:
    """How many bootstrap intervals of the table of comparisons exclude 0 by chance alone.

    Args:
        n_tests: Tests outside the declared family.
        coverage: Real coverage of each interval.
    """
    expected = n_tests * (1.0 - coverage)
    return (
        f"comparisons.csv holds {n_tests} exploratory tests: if no kind differed at all, "
        f"about {expected:.1f} bootstrap intervals would still exclude 0."
    )


def _percent(level: float) -> str:
    return f"{100.0 * level:g}%"

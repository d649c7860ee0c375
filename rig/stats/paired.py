"""Every statistic of a paired comparison over training seeds, for all metrics and kinds at once.

The question answered: would new training seeds show the same difference, on these documents? Test documents,
tokenizer and data are held fixed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.errors import DataError
from rig.stats.coverage import bootstrap_coverage
from rig.stats.effect_size import EffectSize, effect_sizes
from rig.stats.equivalence import Equivalence, equivalence
from rig.stats.exact_bootstrap import MAX_SEEDS_ENUMERATED, exact_bounds
from rig.stats.pairing import Welch, seed_correlation, welch
from rig.stats.power import minimum_detectable_d_z, seeds_needed
from rig.stats.replicates import FloatArray, checked_level, checked_values
from rig.stats.seed_bootstrap import SeedBootstrap, SeedResampler, percentile_bounds
from rig.stats.sign_flip import SignFlip, sign_flip
from rig.stats.student_t import StudentT, student_t


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PairedComparison:
    """Variant minus baseline on one metric, paired by training seed.

    A field is None where the quantity is not defined: everything but the differences for one pair; t, effect
    size and equivalence at zero variance. It is never 0 or NaN instead.
    """

    n_pairs: int
    """Seeds that both kinds have."""
    n_missing_base: int
    """Seeds without a value of the baseline; their pairs are dropped in both kinds."""
    n_missing_variant: int
    """Seeds without a value of the variant."""
    base_mean: float | None
    variant_mean: float | None
    """Means over the pairs used; None without any pair."""
    differences: tuple[float, ...]
    """(n_pairs,) variant minus baseline, in the order of the seeds."""
    n_positive: int
    n_negative: int
    """Signs of the differences; the rest are exact zeros."""
    t: StudentT | None
    """Headline: mean, std, paired t test and interval of the difference; None without any pair."""
    bootstrap: SeedBootstrap | None
    """The required bootstrap; None below 2 pairs."""
    sign_flip: SignFlip | None
    """None below 2 pairs and above 20."""
    effect: EffectSize | None
    r_seeds: float | None
    """Correlation of the two kinds over seeds; None below 3 pairs or without spread."""
    welch: Welch | None
    """Sensitivity: unpaired, on all runs of each kind."""
    mde_d_z: float | None
    """Smallest true effect found with the stated power, in standard deviations of the differences."""
    mde: float | None
    """The same in the metric's unit: mde_d_z times the observed standard deviation, itself uncertain."""
    seeds_needed: int | None
    """Pairs needed to find the declared smallest effect of interest with the stated power."""
    equivalence: Equivalence | None
    """Test against the declared margin; None without one."""

    @property
    def delta_mean(self) -> float | None:
        """Mean difference, variant minus baseline."""
        return None if self.t is None else self.t.mean

    @property
    def n_same_sign(self) -> int:
        """Pairs on the majority's side of 0."""
        return max(self.n_positive, self.n_negative)


def compare(
    base: npt.ArrayLike,
    variant: npt.ArrayLike,
    *,
    confidence_level: float,
    n_resamples: int,
    rng: np.random.Generator,
    sesoi: Sequence[float | None] | float | None = None,
    margin: Sequence[float | None] | float | None = None,
    power: float = 0.8,
    base_present: npt.ArrayLike | None = None,
    variant_present: npt.ArrayLike | None = None,
) -> tuple[PairedComparison, ...]:
    """Compare variants with the baseline over training seeds, each column one test.

    Columns may be metrics, or kinds times metrics: all columns with n pairs share one draw of seed resamples.
    Two calls with generators in equal states share it too. Rows are seeds, the same in both arrays and in a
    fixed order; a missing value is marked in a mask, never by NaN, and drops the pair in both kinds.

    Args:
        base: (n_seeds, n_tests) the baseline, on the testing scale (nats per token, bits per character).
        variant: (n_seeds, n_tests) the variant, same seeds in the same rows.
        confidence_level: Of every interval; alpha is 1 minus it.
        n_resamples: Of the required bootstrap, 10,000.
        rng: Source of the resamples.
        sesoi: Declared smallest effect of interest in the metric's unit, > 0; one for all or one a column.
        margin: Declared margin of equivalence in the metric's unit, > 0; one for all or one a column.
        power: Of the minimum detectable effect and the seeds needed.
        base_present: (n_seeds, n_tests) bool, False where the baseline's run failed or has no value.
        variant_present: (n_seeds, n_tests) bool, the same for the variant.

    Returns:
        One comparison a column.

    Raises:
        DataError: Shapes differ, a present value is not finite, or an option is out of range.
    """
    level = checked_level(confidence_level)
    base_values, base_mask = checked_values("base", base, base_present)
    variant_values, variant_mask = checked_values("variant", variant, variant_present)
    if base_values.shape != variant_values.shape:
        raise DataError(
            f"`base` and `variant` must have the same seeds and tests, got {base_values.shape} "
            f"and {variant_values.shape}; mark a seed that one kind lacks in its mask"
        )
    n_tests = base_values.shape[1]
    sesois = _one_a_test("sesoi", sesoi, n_tests)
    margins = _one_a_test("margin", margin, n_tests)
    resampler = SeedResampler(n_resamples, rng=rng)
    paired = base_mask & variant_mask
    n_pairs = paired.sum(axis=0)
    results: dict[int, PairedComparison] = {}
    for n in sorted(set(n_pairs.tolist())):
        columns = np.flatnonzero(n_pairs == n)
        group = _compare_complete(
            _compact(base_values, paired, columns, n),
            _compact(variant_values, paired, columns, n),
            resampler=resampler,
            confidence_level=level,
            sesois=[sesois[j] for j in columns],
            margins=[margins[j] for j in columns],
            power=power,
            runs=[(base_values[base_mask[:, j], j], variant_values[variant_mask[:, j], j]) for j in columns],
            n_seeds=len(base_values),
        )
        results.update(zip(columns.tolist(), group, strict=True))
    return tuple(results[j] for j in range(n_tests))


def _compact(
    values: FloatArray, paired: npt.NDArray[np.bool_], columns: npt.NDArray[np.intp], n_pairs: int
) -> FloatArray:
    """The rows that are paired, for columns that all have n_pairs of them: (n_pairs, n_columns)."""
    return values.T[columns][paired.T[columns]].reshape(len(columns), n_pairs).T


def _one_a_test(name: str, value: Sequence[float | None] | float | None, n_tests: int) -> list[float | None]:
    values = [value] * n_tests if value is None or isinstance(value, int | float) else list(value)
    if len(values) != n_tests:
        raise DataError(f"`{name}` must be one number or one for each of {n_tests} tests, got {len(values)}")
    for position, declared in enumerate(values):
        if declared is not None and not 0.0 < declared < np.inf:
            raise DataError(f"`{name}` must be positive and finite, got {declared} for test {position}")
    return values


def _compare_complete(
    base: FloatArray,
    variant: FloatArray,
    *,
    resampler: SeedResampler,
    confidence_level: float,
    sesois: Sequence[float | None],
    margins: Sequence[float | None],
    power: float,
    runs: Sequence[tuple[FloatArray, FloatArray]],
    n_seeds: int,
) -> list[PairedComparison]:
    """Compare columns that all have the same number of pairs."""
    n_pairs, n_tests = base.shape
    alpha = 1.0 - confidence_level
    differences = variant - base
    tests: Sequence[StudentT | None] = [None] * n_tests
    bootstraps: Sequence[SeedBootstrap | None] = [None] * n_tests
    flips: Sequence[SignFlip | None] = [None] * n_tests
    if n_pairs >= 1:
        scale = np.maximum(np.abs(base), np.abs(variant)).max(axis=0)
        defined = student_t(differences, scale=scale, confidence_level=confidence_level)
        tests = defined
        if n_pairs >= 2:
            bootstraps = _bootstraps(differences, defined, resampler, confidence_level)
            flips = sign_flip(differences)
    effects = _effects(tests, n_pairs, confidence_level)
    correlations = seed_correlation(base, variant)
    mde_d_z = minimum_detectable_d_z(n_pairs, alpha=alpha, power=power)
    results = []
    for j, test in enumerate(tests):
        std = test.std if test is not None and test.t is not None else None
        sesoi, margin = sesois[j], margins[j]
        results.append(
            PairedComparison(
                n_pairs=n_pairs,
                n_missing_base=n_seeds - len(runs[j][0]),
                n_missing_variant=n_seeds - len(runs[j][1]),
                base_mean=float(base[:, j].mean()) if n_pairs else None,
                variant_mean=float(variant[:, j].mean()) if n_pairs else None,
                differences=tuple(differences[:, j].tolist()),
                n_positive=int((differences[:, j] > 0).sum()),
                n_negative=int((differences[:, j] < 0).sum()),
                t=test,
                bootstrap=bootstraps[j],
                sign_flip=flips[j],
                effect=effects[j],
                r_seeds=correlations[j],
                welch=welch(*runs[j], confidence_level=confidence_level),
                mde_d_z=mde_d_z,
                mde=None if std is None or mde_d_z is None else mde_d_z * std,
                seeds_needed=None
                if std is None or sesoi is None
                else seeds_needed(sesoi / std, alpha=alpha, power=power),
                equivalence=None if test is None or margin is None else equivalence(test, margin=margin),
            )
        )
    return results


def _bootstraps(
    differences: FloatArray,
    tests: Sequence[StudentT],
    resampler: SeedResampler,
    confidence_level: float,
) -> tuple[SeedBootstrap, ...]:
    n_pairs = len(differences)
    draw = resampler.draw(n_pairs)
    low, high = percentile_bounds(differences, draw, confidence_level=confidence_level)
    has_exact = n_pairs <= MAX_SEEDS_ENUMERATED
    exact_low, exact_high = (
        exact_bounds(differences, confidence_level=confidence_level) if has_exact else (low, high)
    )
    coverage = bootstrap_coverage(n_pairs, confidence_level=confidence_level)
    sha256 = draw.sha256
    results = []
    for j, test in enumerate(tests):
        bounds = [float(bound[j]) for bound in (low, high, exact_low, exact_high)]
        is_degenerate = test.t is None
        if is_degenerate:  # equal differences: their last bits are no interval
            bounds = [test.mean] * 4
        results.append(
            SeedBootstrap(
                low=bounds[0],
                high=bounds[1],
                n_resamples=draw.n_resamples,
                exact_low=bounds[2] if has_exact else None,
                exact_high=bounds[3] if has_exact else None,
                coverage=None if is_degenerate else coverage,
                is_degenerate=is_degenerate,
                draw_sha256=sha256,
            )
        )
    return tuple(results)


def _effects(
    tests: Sequence[StudentT | None], n_pairs: int, confidence_level: float
) -> list[EffectSize | None]:
    """Effect sizes of the tests that are defined."""
    defined = [j for j, test in enumerate(tests) if test is not None and test.t is not None]
    effects: list[EffectSize | None] = [None] * len(tests)
    if defined:
        t = np.array([test.t for test in tests if test is not None and test.t is not None])
        sizes = effect_sizes(t / np.sqrt(n_pairs), n_pairs, confidence_level=confidence_level)
        for j, size in zip(defined, sizes, strict=True):
            effects[j] = size
    return effects

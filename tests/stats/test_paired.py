from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from rig.core.errors import DataError
from rig.stats.paired import PairedComparison, compare
from rig.stats.summary import summarise

CompareOne = Callable[..., PairedComparison]


def test_worked_example(worked_example: PairedComparison) -> None:
    """Every figure; only its labels keep the bootstrap line from reading 'significant'."""
    t, bootstrap = worked_example.t, worked_example.bootstrap
    assert t is not None
    assert bootstrap is not None
    assert worked_example.sign_flip is not None
    assert worked_example.effect is not None
    assert round(t.mean, 4) == -0.0150
    assert (round(t.low or 0, 4), round(t.high or 0, 4)) == (-0.0606, 0.0306)
    assert round(t.p or 0, 3) == 0.293
    assert t.df == 2
    assert (round(bootstrap.low, 4), round(bootstrap.high, 4)) == (-0.0360, -0.0020)
    assert (bootstrap.exact_low, bootstrap.exact_high) == (bootstrap.low, bootstrap.high)
    assert bootstrap.n_resamples == 10_000
    assert (worked_example.sign_flip.p, worked_example.sign_flip.floor) == (0.25, 0.25)
    assert round(worked_example.effect.d_z, 2) == -0.82
    assert round(worked_example.effect.g_z or 0, 2) == -0.46
    assert (worked_example.n_positive, worked_example.n_negative, worked_example.n_same_sign) == (0, 3, 3)


def test_equals_scipy_for_many_metrics_at_once() -> None:
    rng = np.random.default_rng(0)
    base, variant = rng.normal(3.5, 0.1, (2, 5, 8))
    results = compare(base, variant, confidence_level=0.95, n_resamples=500, rng=np.random.default_rng(1))
    theirs = stats.ttest_rel(variant, base)
    for j, result in enumerate(results):
        assert result.t is not None
        assert result.t.p == pytest.approx(theirs.pvalue[j], rel=1e-12)
        assert result.effect is not None
        d = variant[:, j] - base[:, j]
        assert result.effect.d_z == pytest.approx(d.mean() / d.std(ddof=1), rel=1e-12)
        assert result.mde == pytest.approx((result.mde_d_z or 0) * d.std(ddof=1), rel=1e-12)
        assert result.differences == tuple(d.tolist())
        assert result.base_mean == pytest.approx(base[:, j].mean(), rel=1e-14)
        assert result.variant_mean == pytest.approx(variant[:, j].mean(), rel=1e-14)


def test_all_metrics_and_kinds_share_one_draw() -> None:
    rng = np.random.default_rng(0)
    base, variant = rng.normal(size=(2, 5, 3))
    together = compare(base, variant, confidence_level=0.95, n_resamples=500, rng=np.random.default_rng(1))
    alone = [
        compare(
            base[:, [j]],
            variant[:, [j]],
            confidence_level=0.95,
            n_resamples=500,
            rng=np.random.default_rng(1),
        )[0]
        for j in range(3)
    ]
    assert len({result.bootstrap.draw_sha256 for result in together if result.bootstrap}) == 1
    for one, of_all in zip(alone, together, strict=True):
        assert one.bootstrap is not None
        assert of_all.bootstrap is not None
        assert one.bootstrap.draw_sha256 == of_all.bootstrap.draw_sha256
        assert one.bootstrap.low == pytest.approx(of_all.bootstrap.low, abs=1e-15)


def test_same_generator_state_gives_the_same_bits_whatever_the_global_seed() -> None:
    base, variant = np.random.default_rng(0).normal(size=(2, 6, 4))
    results = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002 - what a careless caller does
        results.append(
            compare(base, variant, confidence_level=0.95, n_resamples=500, rng=np.random.default_rng(5))
        )
    assert results[0] == results[1]


def test_one_seed_has_a_difference_only(compare_one: CompareOne) -> None:
    result = compare_one([3.5], [3.25])
    assert result.delta_mean == -0.25
    assert result.t is not None
    assert (result.t.std, result.t.t, result.t.p, result.t.low, result.t.high) == (None,) * 5
    assert (result.bootstrap, result.sign_flip, result.effect, result.welch) == (None,) * 4
    assert (result.mde_d_z, result.mde, result.r_seeds) == (None,) * 3


def test_two_seeds(compare_one: CompareOne) -> None:
    result = compare_one([1.0, 2.0], [1.5, 2.1])
    assert result.bootstrap is not None
    assert (result.bootstrap.low, result.bootstrap.high) == (min(result.differences), max(result.differences))
    assert result.bootstrap.coverage == 0.5
    assert result.t is not None
    assert result.t.low is not None
    assert result.t.std is not None
    # t(1) 97.5% is 12.7: the interval is wide, and valid.
    assert result.t.mean - result.t.low == pytest.approx(12.7062047 * result.t.std / 2**0.5, rel=1e-8)
    assert result.sign_flip is not None
    assert result.sign_flip.floor == 0.5
    assert result.effect is not None
    assert result.effect.g_z is None


def test_all_differences_identical_is_zero_variance_despite_float_noise(compare_one: CompareOne) -> None:
    base = np.array([3.512, 0.1, 3.53])
    variant = base + 0.25
    assert len(set((variant - base).tolist())) > 1, "the case is float noise"
    result = compare_one(base, variant, margin=1.0)
    assert result.t is not None
    assert (result.t.t, result.t.p, result.t.low, result.t.std) == (None, None, None, 0.0)
    assert result.t.reason == "zero variance"
    assert (result.effect, result.equivalence, result.mde) == (None, None, None)
    assert result.bootstrap is not None
    assert result.bootstrap.is_degenerate
    assert result.bootstrap.low == result.bootstrap.high == result.t.mean
    assert result.bootstrap.coverage is None
    assert result.sign_flip is not None
    assert result.sign_flip.p == 0.25


def test_all_differences_zero(compare_one: CompareOne) -> None:
    result = compare_one([1.0, 2.0, 4.0], [1.0, 2.0, 4.0])
    assert result.sign_flip is not None
    assert result.sign_flip.p == 1.0
    assert result.t is not None
    assert (result.t.mean, result.t.t, result.t.p) == (0.0, None, None)
    assert (result.n_positive, result.n_negative) == (0, 0)


def test_nan_in_one_seed_is_refused_by_default(compare_one: CompareOne) -> None:
    with pytest.raises(
        DataError, match=r"`variant` holds nan at seed row 1, .*`variant_present` to drop its pair"
    ):
        compare_one([1.0, 2.0, 3.0], [1.0, np.nan, 3.0])


def test_infinite_cross_entropy_is_refused_until_the_seed_counts_as_failed(compare_one: CompareOne) -> None:
    with pytest.raises(DataError, match=r"`base` holds inf at seed row 0"):
        compare_one([np.inf, 2.0, 3.0], [1.0, 2.0, 3.0])
    result = compare_one([np.inf, 2.0, 3.0], [1.0, 2.5, 3.0], base_present=[[False], [True], [True]])
    assert (result.n_pairs, result.n_missing_base, result.n_missing_variant) == (2, 1, 0)


def test_missing_seed_drops_its_pair_in_both_kinds_and_welch_keeps_all_runs(compare_one: CompareOne) -> None:
    base, variant = [1.0, 2.0, 4.0, 9.0], [1.5, 2.0, np.nan, 8.0]
    result = compare_one(base, variant, variant_present=[[True], [True], [False], [True]])
    assert result.differences == (0.5, 0.0, -1.0)
    assert (result.n_pairs, result.n_missing_base, result.n_missing_variant) == (3, 0, 1)
    assert result.base_mean == 4.0
    assert result.welch is not None
    assert (result.welch.n_base, result.welch.n_variant) == (4, 3)
    theirs = stats.ttest_ind([1.5, 2.0, 8.0], base, equal_var=False)
    assert result.welch.p == pytest.approx(theirs.pvalue, rel=1e-12)


def test_no_pair_is_left(compare_one: CompareOne) -> None:
    result = compare_one(
        [1.0, 2.0], [1.0, 2.0], base_present=[[True], [False]], variant_present=[[False], [True]]
    )
    assert (result.n_pairs, result.delta_mean, result.base_mean, result.bootstrap) == (0, None, None, None)


def test_columns_may_miss_different_seeds() -> None:
    base, variant = np.random.default_rng(0).normal(size=(2, 5, 3))
    present = np.ones((5, 3), dtype=bool)
    present[4, 1] = present[0, 2] = present[3, 2] = False
    results = compare(
        base,
        variant,
        confidence_level=0.95,
        n_resamples=200,
        rng=np.random.default_rng(1),
        base_present=present,
    )
    for j, result in enumerate(results):
        kept = present[:, j]
        assert result.n_pairs == kept.sum()
        assert result.t is not None
        theirs = stats.ttest_rel(variant[kept, j], base[kept, j])
        assert result.t.p == pytest.approx(theirs.pvalue, rel=1e-12)


def test_ties_and_zero_differences_are_kept(compare_one: CompareOne) -> None:
    result = compare_one([1.0, 2.0, 3.0, 4.0], [1.0, 2.5, 3.5, 3.5])
    assert (result.n_positive, result.n_negative, result.n_pairs) == (2, 1, 4)
    # 0, .5, .5, -.5: |sum| >= .5 in all of the 16 patterns (sums are odd multiples of .5).
    assert result.sign_flip is not None
    assert result.sign_flip.p == 1.0


def test_scale_of_the_metric_matters_so_log_is_tested(compare_one: CompareOne) -> None:
    """The same runs as perplexities and as cross-entropies: two different tests, so the scale is declared."""
    ce_base, ce_variant = np.array([3.0, 3.4, 4.2]), np.array([2.9, 3.35, 3.9])
    log = compare_one(ce_base, ce_variant)
    raw = compare_one(np.exp(ce_base), np.exp(ce_variant))
    assert log.t is not None
    assert raw.t is not None
    assert log.t.p == pytest.approx(stats.ttest_rel(ce_variant, ce_base).pvalue, rel=1e-12)
    assert raw.t.p == pytest.approx(stats.ttest_rel(np.exp(ce_variant), np.exp(ce_base)).pvalue, rel=1e-12)
    assert raw.t.p > log.t.p


def test_delta_is_variant_minus_baseline_whatever_the_direction(compare_one: CompareOne) -> None:
    forward = compare_one([1.0, 2.0, 3.0], [1.5, 2.2, 3.9])
    backward = compare_one([1.5, 2.2, 3.9], [1.0, 2.0, 3.0])
    assert forward.delta_mean is not None
    assert forward.delta_mean > 0
    assert backward.delta_mean == -forward.delta_mean


def test_bounded_metric_is_not_clipped(compare_one: CompareOne) -> None:
    result = compare_one([0.99, 1.0, 0.98], [1.0, 1.0, 1.0])
    (summary,) = summarise([[0.99], [1.0], [0.98]], confidence_level=0.95)
    assert result.t is not None
    assert result.t.high is not None
    assert summary.high is not None
    assert summary.high > 1.0


def test_constant_scores_have_no_nan(compare_one: CompareOne) -> None:
    """For equal samples scipy's paired t and its BCa interval are NaN; ours says why."""
    result = compare_one([0.5, 0.5, 0.5], [0.5, 0.5, 0.5])
    assert result.bootstrap is not None
    assert (result.bootstrap.low, result.bootstrap.high, result.bootstrap.is_degenerate) == (0.0, 0.0, True)
    assert result.r_seeds is None


def test_sample_standard_deviation_has_ddof_one(compare_one: CompareOne) -> None:
    result = compare_one([0.0, 0.0, 0.0], [1.0, 2.0, 3.0])
    assert result.t is not None
    assert result.t.std == 1.0


def test_declared_effect_and_margin(compare_one: CompareOne) -> None:
    result = compare_one([0.0, 0.0, 0.0], [1.0, 2.0, 3.0], sesoi=2.0, margin=100.0)
    assert result.seeds_needed == 5  # d_z = 2 at power 0.8
    assert result.equivalence is not None
    assert result.equivalence.p < 0.001


@pytest.mark.parametrize("name", ["sesoi", "margin"])
def test_declared_values_are_checked(compare_one: CompareOne, name: str) -> None:
    with pytest.raises(DataError, match=rf"`{name}` must be positive and finite, got -1.0 for test 0"):
        compare_one([1.0, 2.0], [1.0, 2.0], **{name: -1.0})
    with pytest.raises(DataError, match=rf"`{name}` must be one number or one for each of 1 tests, got 2"):
        compare_one([1.0, 2.0], [1.0, 2.0], **{name: [1.0, 2.0]})


def test_different_numbers_of_seeds_are_refused() -> None:
    with pytest.raises(DataError, match=r"same seeds and tests, got \(3, 1\) and \(2, 1\); mark a seed"):
        compare(
            np.ones((3, 1)),
            np.ones((2, 1)),
            confidence_level=0.95,
            n_resamples=10,
            rng=np.random.default_rng(0),
        )


@pytest.mark.parametrize("shape", [(3,), (0, 2), (2, 2, 2)])
def test_wrong_shapes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(
        DataError, match=r"`base` must have shape \(n_seeds, n_tests\) with at least one seed"
    ):
        compare(
            np.ones(shape),
            np.ones(shape),
            confidence_level=0.95,
            n_resamples=10,
            rng=np.random.default_rng(0),
        )


def test_mask_must_be_bool(compare_one: CompareOne) -> None:
    with pytest.raises(DataError, match=r"`base_present` must be bool of shape \(2, 1\), got int64"):
        compare_one([1.0, 2.0], [1.0, 2.0], base_present=np.array([[1], [0]]))


@pytest.mark.slow
def test_at_three_seeds_the_bootstrap_excludes_zero_in_a_quarter_of_null_comparisons() -> None:
    n_tests = 1_000
    rng = np.random.default_rng(11)
    base, variant = rng.normal(size=(2, 3, n_tests))
    results = compare(base, variant, confidence_level=0.95, n_resamples=1_000, rng=rng)
    excluded = [r for r in results if r.bootstrap and not r.bootstrap.low <= 0 <= r.bootstrap.high]
    assert stats.binomtest(len(excluded), n_tests, 0.25).pvalue > 1e-4
    assert all(r.n_same_sign == 3 for r in excluded)
    contradicting = sum(r.t is not None and (r.t.p or 0) > 0.05 for r in excluded)
    assert stats.binomtest(contradicting, n_tests, 0.20).pvalue > 1e-4

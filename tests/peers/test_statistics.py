"""Faults of statistics that were reported in public, each tried on rig."""

import numpy as np
import pytest
from scipy import stats
from synthetic_reports import BASE, report_of, written

from rig.report.answer import answer_sentences, stamps, warnings
from rig.stats.paired import compare


def paired(base: list[float], variant: list[float]):
    (result,) = compare(
        np.array(base)[:, None],
        np.array(variant)[:, None],
        confidence_level=0.95,
        n_resamples=10_000,
        rng=np.random.default_rng(0),
    )
    return result


def test_peers_30_lm_evaluation_harness_2089_a_seed_that_changes_nothing_is_told(tmp_path) -> None:
    """EleutherAI/lm-evaluation-harness #2089, #1906: another seed gives the same numbers, or none is set."""
    report = report_of({"base": {1: 3.5, 2: 3.5, 3: 3.6}, "new": {1: 3.4, 2: 3.45, 3: 3.5}})
    text = "base: seeds 1 and 2 gave identical scores, so 2 is no replicate"
    assert any(stamp.startswith(text) for stamp in stamps(report))
    assert text in (written(report, tmp_path / "report") / "report.md").read_text(encoding="utf-8")
    comparison = next(one for one in report.comparisons if one.column.name == "bpc")
    assert comparison.seeds == (1, 3)


def test_peers_32_scipy_20179_equal_samples_are_undefined_and_said_to_be() -> None:
    """scipy/scipy #20179: `ttest_rel` of equal samples is NaN."""
    result = paired([3.5, 3.6, 3.4], [3.5, 3.6, 3.4])
    assert result.delta_mean == 0.0
    assert result.t is not None
    assert (result.t.t, result.t.p, result.effect) == (None, None, None)
    report = report_of({"base": BASE, "new": BASE})
    said = " ".join([*answer_sentences(report), *warnings(report)])
    assert "All 3 differences are 0, so a t test is not defined" in said
    assert "nan" not in said.lower().replace("nano", "")


def test_peers_33_scipy_15160_a_bootstrap_of_constant_scores_has_no_width() -> None:
    """scipy/scipy #15160: BCa of constant data is NaN. Here it is [c, c], and called no certainty."""
    result = paired([3.5, 3.75, 3.25], [3.75, 4.0, 3.5])
    assert result.bootstrap is not None
    assert (result.bootstrap.low, result.bootstrap.high) == (0.25, 0.25)
    assert result.bootstrap.is_degenerate
    assert result.bootstrap.coverage is None


def test_peers_33_scipy_14351_a_bootstrap_is_as_wide_as_its_replicates() -> None:
    """scipy PR #14351: the standard error is the replicates' deviation, not that over a root of their number.

    (lighteval divides by it: 31.6 times too narrow at 1,000 resamples.) Forty differences with deviation 1
    have a mean with standard error 0.158, so the interval is about 0.62 wide.
    """
    differences = stats.norm.ppf((np.arange(40) + 0.5) / 40)
    differences /= differences.std()
    result = paired([0.0] * 40, differences.tolist())
    assert result.bootstrap is not None
    width = result.bootstrap.high - result.bootstrap.low
    assert width == pytest.approx(2 * 1.96 / np.sqrt(40), rel=0.03)


def test_peers_34_lm_evaluation_harness_3831_the_test_is_paired() -> None:
    """EleutherAI/lm-evaluation-harness #3831, PR #3882: an unpaired z on paired data.

    Seeds move both kinds alike by 1; the variant is 0.1 better in each. Unpaired that is lost in the spread.
    """
    base = [3.0, 4.0, 5.0, 3.5, 4.5]
    variant = [2.91, 3.9, 4.89, 3.4, 4.4]
    result = paired(base, variant)
    expected = stats.ttest_rel(variant, base)
    assert result.t is not None
    assert result.t.t == pytest.approx(expected.statistic, rel=1e-9)
    assert result.t.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert result.t.p < 1e-4 < 0.8 < stats.ttest_ind(variant, base).pvalue
    # The spread is that of the same estimator: the differences'.
    assert result.t.std == pytest.approx(np.std(np.subtract(variant, base), ddof=1), rel=1e-12)

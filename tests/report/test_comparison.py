import dataclasses
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from synthetic_reports import BASE, VARIANT, record_of, report_of, row

from rig.core.errors import ConfigError
from rig.report.answer import answer_sentences, warnings
from rig.report.build import Report, report_of_rows
from rig.report.comparison import Comparison
from rig.report.rows import SeedRow
from rig.store.cells import DoneCell


def compared(report: Report, metric: str) -> Comparison:
    return next(comparison for comparison in report.comparisons if comparison.column.name == metric)


def with_tokenizer(made: SeedRow, sha256: str) -> SeedRow:
    result = {"facts": {"tokenizer_sha256": sha256}, "tasks": {}}
    return dataclasses.replace(
        made, done=DoneCell(directory=Path(), attempt=Path(), result=result, timing={})
    )


def test_bits_per_character_are_tested_as_scipy_tests_them() -> None:
    tested = compared(report_of({"base": BASE, "new": VARIANT}), "bpc").tested
    expected = stats.ttest_rel(list(VARIANT.values()), list(BASE.values()))
    interval = expected.confidence_interval(0.95)
    assert tested is not None
    assert tested.t is not None
    assert (tested.t.t, tested.t.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert (tested.t.low, tested.t.high) == pytest.approx((interval.low, interval.high))
    assert tested.differences == pytest.approx((-0.007, -0.036, -0.002))
    # With three seeds the percentile interval is the range of the differences.
    assert tested.bootstrap is not None
    assert (tested.bootstrap.low, tested.bootstrap.high) == pytest.approx((-0.036, -0.002))


def test_a_perplexity_is_tested_on_its_logarithm_and_described_as_it_is() -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    ppl, ce = compared(report, "ppl"), compared(report, "ce")
    assert ppl.tested is not None
    assert ce.tested is not None
    assert ppl.tested.t == ce.tested.t
    values = [np.exp([v * 3 * np.log(2) for v in kind.values()]) for kind in (BASE, VARIANT)]
    assert ppl.raw is not None
    assert ppl.raw.delta_mean == pytest.approx((values[1] - values[0]).mean())


def test_figures_per_token_are_not_tested_across_tokenizers() -> None:
    rows = [with_tokenizer(row("base", seed, value), "a" * 64) for seed, value in BASE.items()]
    rows += [with_tokenizer(row("new", seed, value), "b" * 64) for seed, value in VARIANT.items()]
    report = report_of_rows(record_of(["base", "new"], list(BASE)), rows)
    for metric in ("ce", "ppl", "ppl_noun"):
        comparison = compared(report, metric)
        assert comparison.tested is None
        assert comparison.not_compared == "not compared: per token, and the kinds have different tokenizers"
    for metric in ("bpc", "bpb", "word_ppl", "wppl_noun", "bpc_noun"):
        assert compared(report, metric).tested is not None
    held = {one["metric"]: one for one in report.aggregate if one["kind"] == "new"}
    assert held["ppl"]["mean"] is not None, "shown"
    assert held["ppl"].get("delta_mean") is None, "and not compared"
    assert any(
        text.startswith("new: ce, ppl, ppl_noun") and "different tokenizers; read bpc, bpb" in text
        for text in warnings(report)
    )


def test_the_same_tokenizer_is_compared() -> None:
    rows = [with_tokenizer(row("base", seed, value), "a" * 64) for seed, value in BASE.items()]
    rows += [with_tokenizer(row("new", seed, value), "a" * 64) for seed, value in VARIANT.items()]
    report = report_of_rows(record_of(["base", "new"], list(BASE)), rows)
    assert compared(report, "ppl").tested is not None
    assert not any("tokenizers" in text for text in warnings(report)[:-1])


@pytest.mark.parametrize("option", ["primary", "family"])
def test_a_declared_metric_that_does_not_exist_is_refused(option: str) -> None:
    value = "bpx" if option == "primary" else ["bpc", "bpx"]
    with pytest.raises(ConfigError, match=rf"`stats\.{option}` names 'bpx'\. Did you mean 'bpc'\?"):
        report_of({"base": BASE}, **{option: value})


def test_where_every_cell_failed_a_tasks_metric_can_be_declared_and_the_report_still_says_so() -> None:
    record = record_of(["base", "new"], [41], primary="sv_agreement", family=["sv_agreement"])
    rows = [row(kind, 41, None, status="failed", error="killed") for kind in ("base", "new")]
    report = report_of_rows(record, rows)
    assert answer_sentences(report) == ["No cell finished, so there is nothing to report but why; see above."]
    assert report.aggregate == []


def test_exploratory_tests_have_a_holm_of_their_own() -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    declared = compared(report, "bpc")
    assert declared.tested is not None
    assert declared.tested.t is not None
    assert declared.p_holm == declared.tested.t.p, "a family of one is not adjusted"
    assert compared(report, "bpb").p_holm == 1.0

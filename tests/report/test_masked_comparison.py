"""Masked kinds are compared with masked kinds of their own tokenizer, and with nothing else."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from synthetic_reports import BASE, VARIANT, record_of, row

from rig.report.answer import answer_sentences, warnings
from rig.report.build import Report, report_of_rows
from rig.report.comparison import Comparison
from rig.report.rows import SeedRow
from rig.store.cells import DoneCell

MASKED = ("mlm_accuracy", "pppl", "pppl_l2r", "wpppl_l2r_noun")


def made(kind: str, seed: int, nats: float, *, tokenizer: str, objective: str = "masked") -> SeedRow:
    result = {"facts": {"tokenizer_sha256": tokenizer}, "tasks": {}}
    return dataclasses.replace(
        row(kind, seed, nats, objective=objective),
        values={**dict.fromkeys(MASKED, float(np.exp(nats))), "mlm_accuracy": 0.1 * nats, "unk_rate": 0.1},
        test_values={**dict.fromkeys(MASKED, nats), "mlm_accuracy": 0.1 * nats, "unk_rate": 0.1},
        reasons={},
        done=DoneCell(directory=Path(), attempt=Path(), result=result, timing={}),
    )


def report(*, tokenizer: str = "a" * 64, objective: str = "masked") -> Report:
    rows = [made("base", seed, nats, tokenizer="a" * 64) for seed, nats in BASE.items()]
    rows += [
        made("new", seed, nats, tokenizer=tokenizer, objective=objective) for seed, nats in VARIANT.items()
    ]
    record = record_of(
        ["base", "new"], list(BASE), objectives={"base": "masked", "new": objective}, primary="pppl_l2r",
        family=["pppl_l2r"],
    )  # fmt: skip
    return report_of_rows(record, rows)


def compared(of: Report, metric: str) -> Comparison:
    return next(comparison for comparison in of.comparisons if comparison.column.name == metric)


def test_pseudo_perplexities_are_tested_on_their_logarithm() -> None:
    comparison = compared(report(), "pppl_l2r")
    assert comparison.tested is not None
    assert comparison.tested.t is not None
    assert comparison.raw is not None
    expected = stats.ttest_rel(list(VARIANT.values()), list(BASE.values()))
    assert comparison.tested.t.p == pytest.approx(expected.pvalue)
    difference = np.exp(list(VARIANT.values())) - np.exp(list(BASE.values()))
    assert comparison.raw.delta_mean == pytest.approx(difference.mean())


@pytest.mark.parametrize("metric", MASKED)
def test_nothing_masked_is_compared_across_tokenizers(metric: str) -> None:
    comparison = compared(report(tokenizer="b" * 64), metric)
    assert comparison.tested is None
    assert comparison.verdict is None
    assert "what is hidden differs, since the kinds have different tokenizers" in comparison.not_compared


@pytest.mark.parametrize("metric", [*MASKED, "unk_rate"])
def test_across_objectives_not_even_a_difference_is_shown(metric: str) -> None:
    comparison = compared(report(objective="causal"), metric)
    assert comparison.tested is None
    assert comparison.raw is None
    assert comparison.not_compared == "not compared: the kinds have different objectives"


def test_masked_kinds_of_other_tokenizers_are_told_what_they_need() -> None:
    found = warnings(report(tokenizer="b" * 64))
    assert any(
        text.endswith("different tokenizers; masked kinds need one tokenizer to be compared.")
        for text in found
    )
    assert not any("bpb" in text for text in found)


def test_masked_kinds_are_not_compared_on_a_metric_of_causal_ones() -> None:
    rows = [made("base", seed, nats, tokenizer="a" * 64) for seed, nats in BASE.items()]
    rows += [made("new", seed, nats, tokenizer="a" * 64) for seed, nats in VARIANT.items()]
    rows += [row("plain", seed, bpc) for seed, bpc in BASE.items()]
    record = record_of(["base", "plain", "new"], list(BASE), objectives={"base": "masked", "new": "masked"})
    assert answer_sentences(report_of_rows(record, rows)) == [
        "plain and base are not compared on bpc: the kinds have different objectives.",
        "new and base are not compared on bpc: masked kinds have no bpc; declare `stats.primary=pppl_l2r`.",
    ]

import dataclasses

import pytest
from synthetic_reports import BASE, VARIANT, record_of, report_of, row, with_rows

from rig.report.answer import answer_sentences, stamps, warnings
from rig.report.build import report_of_rows

CLEAR = {
    seed: value - delta for (seed, value), delta in zip(BASE.items(), (0.100, 0.101, 0.102), strict=True)
}


def test_the_worked_example_is_unresolved_and_says_how_many_seeds_would_resolve_it() -> None:
    # d_z = -0.0150 / 0.01836 = -0.82; 15 seeds find d_z = 0.8 with power 0.8, 14 find 0.82.
    assert answer_sentences(report_of({"base": BASE, "new": VARIANT})) == [
        "new is 0.015 bits per character better than base in bpc over 3 seeds, 95% CI of the difference "
        "[−0.061, +0.031], Holm p = 0.293: **unresolved (3/3 same sign)**; about 14 seeds would resolve a "
        "difference of this size."
    ]


def test_a_clear_difference_is_resolved() -> None:
    (sentence,) = answer_sentences(report_of({"base": BASE, "new": CLEAR}))
    assert sentence.startswith("new is 0.1010 bits per character better than base in bpc over 3 seeds")
    assert sentence.endswith("Holm p < 0.001: **resolved: better**.")


def test_a_clear_loss_is_resolved_too() -> None:
    (sentence,) = answer_sentences(report_of({"base": CLEAR, "new": BASE}))
    assert sentence.endswith("**resolved: worse**.")
    assert "0.1010 bits per character worse than base" in sentence


def test_a_declared_smallest_effect_decides_how_many_seeds() -> None:
    (sentence,) = answer_sentences(report_of({"base": BASE, "new": VARIANT}, sesoi=0.02))
    # 0.02 / 0.01836 = 1.089: 9 seeds (10 find d_z = 1).
    assert sentence.endswith(
        "; about 9 seeds would resolve the declared smallest effect of 0.02 bits per character."
    )


def test_equivalence_needs_a_declared_margin() -> None:
    near = {41: 3.5125, 42: 3.4975, 43: 3.5300}
    assert "unresolved" in answer_sentences(report_of({"base": BASE, "new": near}))[0]
    assert answer_sentences(report_of({"base": BASE, "new": near}, margin=0.05))[0].endswith(
        ": **equivalent** within the declared margin of 0.05."
    )


def test_one_seed_shows_a_difference_and_no_test() -> None:
    (sentence,) = answer_sentences(report_of({"base": {41: 3.5}, "new": {41: 3.4}}))
    assert sentence == (
        "new is 0.100 bits per character better than base in bpc over one seed "
        "(one seed has no spread: no interval, no test): **unresolved (one seed)**."
    )


def test_equal_means_are_called_the_same() -> None:
    (sentence,) = answer_sentences(report_of({"base": {41: 3.5, 42: 3.25}, "new": {41: 3.25, 42: 3.5}}))
    assert sentence.startswith("new and base have the same mean bpc over 2 seeds")


def test_a_perplexity_is_compared_in_percent() -> None:
    (sentence,) = answer_sentences(report_of({"base": BASE, "new": CLEAR}, primary="ppl", family=["ppl"]))
    # 0.101 bits x 3 characters a token x ln 2 = 0.2100 nats: 1 - exp(-0.21) = 18.94%.
    assert sentence.startswith("new is 18.94% better than base in ppl over 3 seeds")
    assert "%, Holm p" in sentence


def test_one_kind_compares_nothing() -> None:
    assert answer_sentences(report_of({"base": BASE})) == [
        "One kind (base) was run, so there is nothing to compare."
    ]


def test_an_unseeded_baseline_is_in_no_test() -> None:
    report = report_of({"floor": {None: 4.0}, "new": VARIANT})
    assert answer_sentences(report) == [
        "The baseline floor is not seeded, so nothing is tested over seeds; the tables describe. "
        "Name a seeded kind with `--baseline`."
    ]
    assert "Not seeded, so one cell, shown beside the others and in no test: floor." in warnings(report)


def test_k_kinds_share_one_family_under_holm() -> None:
    others = {f"new{index}": CLEAR for index in (1, 2, 3)}
    report = report_of({"base": BASE, **others})
    raw = report.comparisons[0].tested
    assert raw is not None
    assert raw.t is not None
    assert raw.t.p is not None
    declared = [comparison for comparison in report.comparisons if comparison.is_declared]
    assert [comparison.p_holm for comparison in declared] == pytest.approx([3 * raw.t.p] * 3)
    assert len(answer_sentences(report)) == 3


def test_kinds_with_the_same_warning_share_its_line() -> None:
    found = warnings(report_of({"base": BASE, "one": VARIANT, "two": VARIANT}))
    assert found[0] == (
        "one, two: With 3 seeds this bootstrap interval is just the smallest and largest of the three "
        "differences. It behaves like a 75% interval, not 95%. It excludes 0 whenever all seeds agree, which "
        "happens by chance 1 time in 4."
    )
    assert any(
        text.startswith("one, two: Bootstrap interval excludes 0 but paired t p=0.29") for text in found
    )
    assert any("Sign-flip p=0.25 is the smallest value 3 seeds can give" in text for text in found)
    assert found[-1] == (
        "Uncertainty covers training seeds only; test documents, tokenizer and data are held fixed."
    )


def test_a_seed_that_changes_nothing_is_stamped_and_is_no_replicate() -> None:
    report = report_of({"base": BASE, "new": {41: 3.4, 42: 3.4, 43: 3.45}})
    assert stamps(report) == [
        "new: seeds 41 and 42 gave identical scores, so 42 is no replicate and is left out of every mean, "
        "interval and test; does the seed reach the training?"
    ]
    primary = next(comparison for comparison in report.comparisons if comparison.column.name == "bpc")
    assert primary.seeds == (41, 43)
    assert primary.tested is not None
    assert primary.tested.n_pairs == 2
    mean = next(r["mean"] for r in report.aggregate if (r["kind"], r["metric"]) == ("new", "bpc"))
    assert mean == pytest.approx((3.4 + 3.45) / 2)
    assert warnings(report)[0] == "new: 2 seed pairs used; left out as duplicates of other seeds: new 42."
    assert not any("seldom missing at random" in text for text in warnings(report))


def test_a_failed_seed_beside_a_duplicate_is_still_a_failed_one() -> None:
    report = report_of({"base": {**BASE, 44: 3.6}, "new": {41: 3.4, 42: 3.4, 43: 3.45, 44: 3.5}})
    rows = [one for one in report.rows if (one.kind, one.seed) != ("base", 44)]
    rows.append(row("base", 44, None, status="failed", error="killed"))
    assert warnings(with_rows(report, rows))[:2] == [
        "new: 2 seed pairs used; left out as duplicates of other seeds: new 42.",
        "new: 2 seed pairs used; missing: 1 of the baseline, 0 of the variant. "
        "Failed runs are seldom missing at random, so the seeds that are left may flatter a kind.",
    ]


def test_failed_and_diverged_seeds_are_stamped_with_their_reason() -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    rows = [one for one in report.rows if (one.kind, one.seed) not in {("new", 42), ("new", 43)}]
    rows.append(row("new", 42, None, status="diverged", error="the loss is not finite at step 7"))
    rows.append(row("new", 43, None, status="failed", error="killed"))
    found = with_rows(report, rows)
    assert stamps(found) == [
        "new seed 42 diverged: the loss is not finite at step 7",
        "new seed 43 failed: killed",
    ]
    assert warnings(found)[0] == (
        "new: 1 seed pairs used; missing: 0 of the baseline, 2 of the variant. "
        "Failed runs are seldom missing at random, so the seeds that are left may flatter a kind."
    )


def test_kinds_of_different_objective_are_not_compared() -> None:
    record = record_of(["base", "new"], [41, 42, 43], objectives={"new": "masked"})
    rows = [
        *(row("base", seed, value) for seed, value in BASE.items()),
        *(row("new", seed, value, objective="masked") for seed, value in VARIANT.items()),
    ]
    report = report_of_rows(record, rows)
    assert answer_sentences(report) == [
        "new and base are not compared on bpc: the kinds have different objectives."
    ]


def test_the_built_in_masha_kinds_say_whose_reading_they_are() -> None:
    report = report_of({"base": BASE, "mine": VARIANT})
    record = dict(report.record)
    own = record["kinds"][1]["config"]["kind"]
    own |= {"family": "transformer", "options": {"embedding": False, "output_logits": False}}
    assert stamps(dataclasses.replace(report, record=record)) == []
    own["options"]["embedding"] = True
    assert stamps(dataclasses.replace(report, record=record)) == [
        "The built-in MASHA kinds are this project's own reading of the idea, not its authors' code."
    ]


def test_an_unlocked_kind_is_stamped() -> None:
    assert stamps(report_of({"base": BASE, "new": VARIANT}, unlocked=["new"])) == ["new: UNLOCKED (missing)"]


@pytest.mark.parametrize(("hashes", "is_stamped"), [(("a", "a"), False), (("a", "b"), True)])
def test_kinds_tuned_on_unequal_terms_are_stamped(hashes: tuple[str, str], is_stamped: bool) -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    kinds = [
        {**kind, "lock": {**kind["lock"], "lock_id": "abc", "protocol_sha256": sha256}}
        for kind, sha256 in zip(report.record["kinds"], hashes, strict=True)
    ]
    changed = dataclasses.replace(report, record={**report.record, "kinds": kinds})
    assert any("Unequal tuning budgets" in stamp for stamp in stamps(changed)) is is_stamped

import copy
import dataclasses

from synthetic_reports import BASE, VARIANT, record_of, report_of, row, with_rows

from rig.report.build import Report, report_of_rows
from rig.report.not_tested import not_tested_section

ALL_TASKS = ["agreement", "similarity", "generation"]


def told(report: Report) -> tuple[str, ...]:
    return not_tested_section(report, {}).bullets


def test_a_plain_comparison() -> None:
    assert told(report_of({"base": BASE, "new": VARIANT})) == (
        "Other text: everything was scored on toy.",
        "Other tokenizers: all kinds share one (type bpe, vocab_size 400).",
        "Other model sizes: every kind ran at one (context 64).",
        "Other settings: nothing was tuned; all else is as the configs have it.",
        "New documents for any metric but bpc: other intervals are over seeds, on these documents.",
        "Every metric but the declared bpc: exploratory, nothing is concluded whatever its p.",
        "Tasks that were not asked for: generation, agreement, similarity.",
    )


def test_kinds_of_their_own_tokenizer_size_and_options() -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    record = copy.deepcopy(dict(report.record))
    config = record["kinds"][1]["config"]
    config["tokenizer"] = {"type": "byte"}
    config["model"] = {"context": 32}
    config["kind"]["options"] = {"embedding": True, "order": 3}
    rows = [
        dataclasses.replace(one, facts={**one.facts, "n_params": 2000}) if one.kind == "new" else one
        for one in report.rows
    ]
    found = told(report_of_rows(record, rows))
    assert (
        "Other tokenizers: each kind ran with one alone (base: type bpe, vocab_size 400; new: type byte)."
        in found
    )
    assert "Other model sizes: every kind ran at one (base: context 64; new: context 32)." in found
    assert "Equal numbers of parameters: the kinds differ (base 1 000, new 2 000)." in found
    assert "Other options of a kind, none of which was tuned: base –; new embedding yes, order 3." in found


def test_an_unlocked_learning_rate_was_not_tuned() -> None:
    found = told(report_of({"base": BASE, "new": VARIANT}, unlocked=["new"]))
    assert (
        "Other learning rates for new: the value is conf's, no valid lock holds it, a better one may exist."
        in found
    )


def test_documents_that_do_not_cross_with_seeds_say_why() -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    rows = [dataclasses.replace(one, sums=None) if one.kind == "new" else one for one in report.rows]
    found = told(with_rows(report, rows))
    assert "New documents for new on bpc: no seed has scores of both kinds." in found
    assert "New documents: every interval is over seeds, on these documents." in found


def test_kinds_that_were_not_run_or_not_finished_or_not_tested() -> None:
    record = record_of(["base", "new", "lost", "floor"], [41, 42, 43], unseeded=["floor"])
    record["conf"]["kinds"] = ["base", "floor", "lost", "new", "other", "third"]
    rows = [row("base", seed, value) for seed, value in BASE.items()]
    rows += [row("new", seed, value) for seed, value in VARIANT.items()]
    rows += [row("lost", seed, None, status="failed", error="killed") for seed in BASE]
    rows += [row("floor", None, 5.0)]
    found = told(report_of_rows(record, rows))
    assert "Kinds that were not run: other, third." in found
    assert "Kinds of which no cell finished: lost." in found
    assert "Kinds in no test, being one cell each: floor." in found


def test_variants_are_not_compared_with_each_other() -> None:
    found = told(report_of({"base": BASE, "one": VARIANT, "two": VARIANT}))
    assert "one, two against each other: each is compared with base alone." in found


def test_one_kind_alone_compares_nothing() -> None:
    report = report_of({"base": BASE})
    for kind in report.record["kinds"]:
        kind["config"]["tasks"] = ALL_TASKS
    assert told(report) == (
        "Other text: everything was scored on toy.",
        "Other tokenizers: all kinds share one (type bpe, vocab_size 400).",
        "Other model sizes: every kind ran at one (context 64).",
        "Other settings: nothing was tuned; all else is as the configs have it.",
    )

import dataclasses

import pytest
from synthetic_reports import BASE, CHARS, VARIANT, record_of, report_of, row, sums_of

from rig.report.build import report_of_rows
from rig.stats.crossed_sums import crossed_sums
from rig.stats.two_way import two_way


def test_documents_too_gives_the_same_difference_and_says_how_many_it_crossed() -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    (entry,) = report.documents_too
    assert (entry.kind, entry.metric, entry.n_seeds, entry.n_documents) == ("new", "bpc", 3, 4)
    assert entry.t is not None
    assert entry.bootstrap is not None
    assert entry.t.estimate == pytest.approx(-0.015)
    assert entry.bootstrap.estimate == pytest.approx(-0.015)
    assert entry.t.question == entry.bootstrap.question == "new seeds and new documents"


def test_it_is_the_two_way_t_of_the_documents_own_sums() -> None:
    (entry,) = report_of({"base": BASE, "new": VARIANT}).documents_too
    totals = [
        [sums_of(value).total[:, [sums_of(value).names.index("bpc")]] for value in values.values()]
        for values in (BASE, VARIANT)
    ]
    sums = crossed_sums(totals, CHARS[:, None], kinds=("base", "new"), seeds=list(BASE))
    assert entry.t == two_way(sums, confidence_level=0.95)[0][0].new_seeds_and_documents


def test_the_draw_depends_on_the_declared_seed_alone() -> None:
    one, again = (report_of({"base": BASE, "new": VARIANT}).documents_too[0] for _ in range(2))
    other = report_of({"base": BASE, "new": VARIANT}, boot_seed=2).documents_too[0]
    assert one == again
    assert one.bootstrap != other.bootstrap


def test_only_declared_metrics_made_of_sums_are_crossed() -> None:
    report = report_of({"base": BASE, "new": VARIANT, "third": VARIANT}, family=["bpc", "ppl_noun"])
    assert [(entry.kind, entry.metric) for entry in report.documents_too] == [
        ("new", "bpc"), ("new", "ppl_noun"), ("third", "bpc"), ("third", "ppl_noun"),
    ]  # fmt: skip


def test_cells_that_scored_different_documents_do_not_cross() -> None:
    rows = [row("base", seed, value) for seed, value in BASE.items()]
    for seed, value in VARIANT.items():
        made = row("new", seed, value)
        assert made.sums is not None
        shortened = dataclasses.replace(
            made.sums, doc_ids=("a", "b", "c"), total=made.sums.total[:3], weight=made.sums.weight[:3]
        )
        rows.append(dataclasses.replace(made, sums=shortened))
    (entry,) = report_of_rows(record_of(["base", "new"], list(BASE)), rows).documents_too
    assert entry.reason == "the cells scored different documents"
    assert entry.t is None

"""Every shape that a few-seed report can take: it is written, it is finite, and a dash is never a 0."""

import csv
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from synthetic_reports import BASE, VARIANT, record_of, report_of, row, with_rows, written

from rig.report.build import Report, report_of_rows

HUGE = 400.0
"""Bits per character whose perplexity per token is exp(832): no float."""


def one_seed() -> Report:
    return report_of({"base": {41: 3.5}, "new": {41: 3.4}})


def two_seeds() -> Report:
    return report_of({"base": {41: 3.5, 42: 3.6}, "new": {41: 3.4, 42: 3.55}})


def failed_seed() -> Report:
    report = report_of({"base": BASE, "new": VARIANT})
    rows = [*report.rows[:-1], row("new", 43, None, status="failed", error="killed")]
    return with_rows(report, rows)


def diverged_seed() -> Report:
    report = report_of({"base": BASE, "new": VARIANT})
    return with_rows(report, [*report.rows[:-1], row("new", 43, None, status="diverged", error="at step 7")])


def all_failed() -> Report:
    report = report_of({"base": BASE, "new": VARIANT})
    rows = [*report.rows[:3], *(row("new", seed, None, status="failed", error="killed") for seed in VARIANT)]
    return with_rows(report, rows)


def everything_failed() -> Report:
    report = report_of({"base": BASE, "new": VARIANT})
    rows = [row(one.kind, one.seed, None, status="failed", error="killed") for one in report.rows]
    return with_rows(report, rows)


def lacking_seed() -> Report:
    return report_of({"base": {**BASE, 44: 3.51}, "new": VARIANT})


def unseeded_beside() -> Report:
    return report_of({"base": BASE, "new": VARIANT, "floor": {None: 5.0}})


def only_unseeded() -> Report:
    return report_of({"floor": {None: 5.0}, "ground": {None: 6.0}})


def one_kind() -> Report:
    return report_of({"base": BASE})


def identical_seeds() -> Report:
    return report_of({"base": BASE, "new": dict.fromkeys(BASE, 3.5)})


def identical_kinds() -> Report:
    return report_of({"base": BASE, "new": BASE})


def equal_differences() -> Report:
    return report_of({"base": {41: 3.5, 42: 3.25}, "new": {41: 3.25, 42: 3.0}})


def infinite_perplexity() -> Report:
    return report_of({"base": BASE, "new": {41: 3.5, 42: HUGE, 43: 3.6}})


def no_code_length() -> Report:
    record = record_of(["base", "new"], [41, 42, 43], primary="ppl", family=["ppl"])
    rows = [
        row(kind, seed, value, is_code_length=False)
        for kind, values in (("base", BASE), ("new", VARIANT))
        for seed, value in values.items()
    ]
    return report_of_rows(record, rows)


def many_kinds() -> Report:
    shifted = {
        f"new{index}": {seed: value + index / 10 for seed, value in VARIANT.items()} for index in range(7)
    }
    return report_of({"base": BASE, **shifted}, margin=0.01, sesoi=0.01)


def many_seeds() -> Report:
    base = {seed: 3.5 + 0.01 * math.sin(seed) for seed in range(12)}
    return report_of({"base": base, "new": {s: v - 0.02 * math.cos(3 * s) for s, v in base.items()}})


def different_objectives() -> Report:
    record = record_of(["base", "new"], [41, 42, 43], objectives={"new": "masked"})
    rows = [row("base", seed, value) for seed, value in BASE.items()]
    rows += [row("new", seed, value, objective="masked") for seed, value in VARIANT.items()]
    return report_of_rows(record, rows)


CASES: tuple[Callable[[], Report], ...] = (
    one_seed, two_seeds, failed_seed, diverged_seed, all_failed, everything_failed, lacking_seed,
    unseeded_beside, only_unseeded, one_kind, identical_seeds, identical_kinds, equal_differences,
    infinite_perplexity, no_code_length, many_kinds, many_seeds, different_objectives,
)  # fmt: skip


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.__name__)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(request.param(), tmp_path_factory.mktemp("reports") / "report")


def _refuse(name: str) -> Any:
    raise AssertionError(f"report.json holds {name}")


def test_nothing_written_is_infinite_or_not_a_number(folder: Path) -> None:
    json.loads((folder / "report.json").read_text(encoding="utf-8"), parse_constant=_refuse)
    for name in ("per_seed", "aggregate", "comparisons"):
        for held in pq.read_table(folder / f"{name}.parquet").to_pylist():
            assert all(math.isfinite(value) for value in held.values() if isinstance(value, float))
    # Outside words: `nan` in `nano` is no number.
    for name in ("report.md", "tables.tex", "per_seed.csv", "aggregate.csv", "comparisons.csv"):
        text = (folder / name).read_text(encoding="utf-8")
        assert not re.search(r"(?<![A-Za-z])(nan|inf|NaN|Infinity|None)(?![A-Za-z])", text), name


def test_the_page_opens_with_an_answer(folder: Path) -> None:
    text = (folder / "report.md").read_text(encoding="utf-8")
    answer = text.split("## Answer\n\n")[1].split("\n")[0]
    assert answer.endswith(".")
    assert len(answer.split()) > 5


def test_csv_and_parquet_hold_the_same(folder: Path) -> None:
    for name in ("per_seed", "aggregate", "comparisons"):
        with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        held = pq.read_table(folder / f"{name}.parquet").to_pylist()
        assert len(rows) == len(held)
        for text, exact in zip(rows, held, strict=True):
            for column, value in text.items():
                assert value == ("" if exact[column] is None else str(exact[column])), column


def _rows(report: Report, table: str, **where: str) -> list[dict[str, Any]]:
    held = {"aggregate": report.aggregate, "comparisons": report.comparison_rows}[table]
    return [dict(one) for one in held if all(one[name] == value for name, value in where.items())]


def test_one_seed_has_no_std_no_test_and_no_interval() -> None:
    report = one_seed()
    (held,) = _rows(report, "aggregate", kind="new", metric="bpc")
    assert held["mean"] == pytest.approx(3.4)
    assert held["delta_mean"] == pytest.approx(-0.1)
    for name in ("std", "t_low", "t_high", "paired_t", "p", "boot_low", "boot_high"):
        assert held.get(name) is None, name


def test_one_seed_shows_its_difference_in_its_own_digits_and_no_test(tmp_path: Path) -> None:
    report = report_of({"base": {41: 3.5}, "new": {41: 3.5 - 0.000123}})
    text = (written(report, tmp_path / "report") / "report.md").read_text(encoding="utf-8")
    (line,) = [one for one in text.splitlines() if re.match(r"\| bpc +\| new ", one)]
    assert [cell.strip() for cell in line.split("|")[6:-1]] == [
        "−0.000123", "–", "–", "–", "unresolved (one seed)",
    ]  # fmt: skip
    assert "new is 0.000123 bits per character better than base in bpc over one seed" in text


def test_two_seeds_bootstrap_is_the_range_of_two_differences() -> None:
    (held,) = _rows(two_seeds(), "comparisons", kind="new", metric="bpc")
    assert (held["boot_low"], held["boot_high"]) == pytest.approx((-0.1, -0.05))
    assert held["boot_coverage"] == pytest.approx(0.5, abs=0.005)
    assert held["sign_flip_floor"] == 0.5
    assert held["g_z"] is None


@pytest.mark.parametrize("case", [failed_seed, diverged_seed])
def test_a_lost_seed_drops_the_pair_in_both_kinds(case: Callable[[], Report]) -> None:
    report = case()
    (held,) = _rows(report, "comparisons", kind="new", metric="bpc")
    assert held["n_pairs"] == 2
    assert held["delta_mean"] == pytest.approx(((3.505 - 3.512) + (3.462 - 3.498)) / 2)
    (base,) = _rows(report, "aggregate", kind="base", metric="bpc")
    assert base["n_seeds"] == 3, "the baseline's own mean keeps all its seeds"


def test_a_seed_that_one_kind_lacks_pairs_by_seed_not_by_order() -> None:
    (held,) = _rows(lacking_seed(), "comparisons", kind="new", metric="bpc")
    assert held["n_pairs"] == 3
    assert held["delta_mean"] == pytest.approx(-0.015)


def test_an_unseeded_kind_is_in_the_tables_and_in_no_test() -> None:
    report = unseeded_beside()
    assert {one["kind"] for one in report.comparison_rows} == {"new"}
    (held,) = _rows(report, "aggregate", kind="floor", metric="bpc")
    assert held["n_seeds"] is None
    assert held["mean"] == pytest.approx(5.0)
    assert held["std"] is None


def test_equal_differences_have_no_t_but_a_sign_test() -> None:
    (held,) = _rows(equal_differences(), "comparisons", kind="new", metric="bpc")
    assert (held["t"], held["p"], held["t_low"]) == (None, None, None)
    assert held["sign_flip_p"] == 0.5
    assert held["boot_low"] == held["boot_high"] == pytest.approx(-0.25)
    assert held["boot_coverage"] is None


def test_a_perplexity_too_large_for_a_number_leaves_its_mean_empty_and_its_logarithm_tested() -> None:
    report = infinite_perplexity()
    (held,) = _rows(report, "aggregate", kind="new", metric="ppl")
    assert held["n_seeds"] == 3
    assert held.get("mean") is None, "the mean of the other two seeds would flatter the kind"
    assert held.get("delta_mean") is None
    (comparison,) = _rows(report, "comparisons", kind="new", metric="ppl")
    assert comparison["n_pairs"] == 3
    assert comparison["delta_mean"] is None
    assert comparison["t"] is not None
    (ce,) = _rows(report, "aggregate", kind="new", metric="ce")
    assert ce["mean"] > 200
    assert _rows(report, "aggregate", kind="base", metric="ppl")[0]["mean"] is not None


def test_what_was_not_evaluated_is_a_dash_in_the_page(tmp_path: Path) -> None:
    text = (written(failed_seed(), tmp_path / "report") / "report.md").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("| new  | 43"))
    assert all(cell.strip() == "–" for cell in line.split("|")[3:-1])
    assert "2 of 3" in text


def test_kinds_without_a_code_length_say_why_bpc_is_empty(tmp_path: Path) -> None:
    report = no_code_length()
    assert not _rows(report, "aggregate", metric="bpc")
    text = (written(report, tmp_path / "report") / "report.md").read_text(encoding="utf-8")
    why = (
        "are empty: unknown tokens are not charged their spelling (base seed 41, base seed 42, base seed 43,"
    )
    (line,) = [line for line in text.splitlines() if why in line]
    assert line.startswith("- bpc, bpb, ")


def test_holm_counts_the_defined_tests_of_the_declared_family() -> None:
    report = many_kinds()
    held = _rows(report, "comparisons", metric="bpc")
    assert len(held) == 7
    smallest = min(held, key=lambda one: one["p"])
    assert smallest["p_holm"] == pytest.approx(min(1.0, 7 * smallest["p"]))

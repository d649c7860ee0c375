"""The main job through its command line: what it leaves, and what it refuses before any work."""

import csv
import json
import math
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from commands import Run, command, tier1

CONTRACT = [
    "kind", "seed", "objective", "ce", "ppl", "bpc",
    "bpb", "word_ppl", "ppl_noun", "ppl_verb", "ppl_adj", "ppl_propn",
    "ppl_adv", "ppl_outros", "wppl_noun", "wppl_verb", "wppl_adj", "wppl_propn",
    "wppl_adv", "wppl_outros", "bpc_noun", "bpc_verb", "bpc_adj", "bpc_propn",
    "bpc_adv", "bpc_outros", "mixed_share", "unk_rate", "mlm_accuracy", "n_masked",
    "pppl", "pppl_l2r", "tree_valid_rate", "parse_rate", "tree_depth", "sv_agreement",
    "sim_assin2", "sim_nano_pt", "n_tokens", "n_chars", "n_params", "train_tokens",
    "lr", "lock_state", "lock_id", "sweep_id", "status", "cell",
]  # fmt: skip


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_per_seed_table_has_the_columns_of_the_contract(run: Run) -> None:
    rows = rows_of(run.report / "per_seed.csv")
    assert list(rows[0]) == CONTRACT
    assert [(row["kind"], row["seed"]) for row in rows] == [
        *(("baseline", seed) for seed in ("41", "42", "43")),
        *(("masha_ab", seed) for seed in ("41", "42", "43")),
        ("uniform", ""),
        ("ngram", ""),
    ]
    assert "train_s" in pq.read_table(run.report / "per_seed.parquet").column_names


def test_csv_and_parquet_hold_the_same_exact_values(run: Run) -> None:
    for row, held in zip(
        rows_of(run.report / "per_seed.csv"),
        pq.read_table(run.report / "per_seed.parquet").to_pylist(),
        strict=True,
    ):
        for name in ("ce", "bpc", "ppl_noun", "sv_agreement", "lr"):
            assert (float(row[name]) if row[name] else None) == held[name]


def test_uniform_over_v_has_perplexity_v(run: Run) -> None:
    row = next(row for row in rows_of(run.report / "per_seed.csv") if row["kind"] == "uniform")
    assert float(row["ppl"]) == pytest.approx(400, rel=1e-9)
    assert float(row["ppl_noun"]) == pytest.approx(400, rel=1e-9)
    assert row["lock_state"] == "NOT APPLICABLE"
    assert row["lr"] == ""


def test_what_was_not_evaluated_is_empty_and_never_zero(run: Run) -> None:
    for row in rows_of(run.report / "per_seed.csv"):
        assert row["sim_assin2"] == row["parse_rate"] == row["mlm_accuracy"] == ""


def test_every_row_says_that_it_ran_without_a_lock(run: Run) -> None:
    rows = rows_of(run.report / "per_seed.csv")
    assert {row["lock_state"] for row in rows[:6]} == {"UNLOCKED (missing)"}
    assert "UNLOCKED (missing)" in run.ended.out
    assert "UNLOCKED (missing)" in (run.report / "report.md").read_text(encoding="utf-8")


def test_seeds_differ_and_kinds_differ(run: Run) -> None:
    values = {row["ce"] for row in rows_of(run.report / "per_seed.csv")}
    assert len(values) == 8


def test_aggregate_and_comparisons_follow_from_the_rows(run: Run) -> None:
    rows = rows_of(run.report / "per_seed.csv")
    base = [float(row["bpc"]) for row in rows if row["kind"] == "baseline"]
    variant = [float(row["bpc"]) for row in rows if row["kind"] == "masha_ab"]
    deltas = [v - b for v, b in zip(variant, base, strict=True)]
    mean = sum(deltas) / 3
    std = math.sqrt(sum((delta - mean) ** 2 for delta in deltas) / 2)
    aggregate = next(
        row
        for row in rows_of(run.report / "aggregate.csv")
        if (row["kind"], row["metric"]) == ("masha_ab", "bpc")
    )
    assert float(aggregate["mean"]) == pytest.approx(sum(variant) / 3, rel=1e-12)
    assert float(aggregate["delta_mean"]) == pytest.approx(mean, rel=1e-9)
    assert float(aggregate["paired_t"]) == pytest.approx(mean / (std / math.sqrt(3)), rel=1e-6)
    # At n = 3 the percentile bootstrap is the range of the three differences.
    assert float(aggregate["boot_low"]) == pytest.approx(min(deltas), rel=1e-9)
    assert float(aggregate["boot_high"]) == pytest.approx(max(deltas), rel=1e-9)
    comparison = next(row for row in rows_of(run.report / "comparisons.csv") if row["metric"] == "ppl")
    assert comparison["scale"] == "log"
    ppl = [math.log(float(row["ppl"])) for row in rows[:6]]
    log_deltas = [v - b for v, b in zip(ppl[3:], ppl[:3], strict=True)]
    assert float(comparison["boot_low"]) == pytest.approx(min(log_deltas), rel=1e-9)


def test_unseeded_kinds_stand_in_no_test(run: Run) -> None:
    assert {row["kind"] for row in rows_of(run.report / "comparisons.csv")} == {"masha_ab"}


def test_a_second_run_computes_nothing_and_gives_the_same_bytes(run: Run) -> None:
    attempts = sorted(run.folder.glob("runs/cells/*/*/attempts/*"))
    before = (run.report / "per_seed.csv").read_bytes()
    again = tier1(
        "--kinds", "baseline,masha_ab,uniform,ngram", "--seeds", "41,42,43", "--unlocked",
        "tasks=[agreement,similarity]",
        cwd=run.folder,
    )  # fmt: skip
    assert again.code == 0, again.err
    assert "8 of 8 cells are done already" in again.err
    assert sorted(run.folder.glob("runs/cells/*/*/attempts/*")) == attempts
    assert (run.report / "per_seed.csv").read_bytes() == before


@pytest.mark.slow
def test_jobs_engine_and_hash_seed_change_no_byte(run: Run, tmp_path: Path) -> None:
    expected = (run.report / "per_seed.csv").read_bytes()
    for name, options, environment in (
        ("one", ("--jobs", "1"), {"PYTHONHASHSEED": "1"}),
        ("inline", ("--engine", "inline"), {"PYTHONHASHSEED": "2"}),
    ):
        folder = tmp_path / name
        folder.mkdir()
        ended = tier1(
            "--kinds", "baseline,masha_ab,uniform,ngram", "--seeds", "41,42,43", "--unlocked", *options,
            "tasks=[agreement,similarity]",
            cwd=folder, **environment,
        )  # fmt: skip
        assert ended.code == 0, ended.err
        assert next(folder.glob("runs/reports/*/per_seed.csv")).read_bytes() == expected


def test_a_dry_run_prints_the_plan_and_creates_nothing(tmp_path: Path) -> None:
    ended = tier1("--kinds", "baseline", "--seeds", "1", "--unlocked", "--dry-run", "tasks=[]", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "to do" in ended.out
    assert "baseline seed 1" in ended.out
    assert not list(tmp_path.iterdir())


def test_a_damaged_cell_is_computed_again(run: Run, tmp_path: Path) -> None:
    arguments = ("--kinds", "uniform", "--seeds", "1", "--unlocked", "tasks=[]")
    assert tier1(*arguments, cwd=tmp_path).code == 0
    sums = next(tmp_path.glob("runs/cells/uniform/*/attempts/*/sums.parquet"))
    sums.write_bytes(sums.read_bytes()[:-1] + b"x")
    again = tier1(*arguments, cwd=tmp_path)
    assert again.code == 0, again.err
    assert len(list(tmp_path.glob("runs/cells/uniform/*/attempts/*"))) == 2
    assert len(list(tmp_path.glob("runs/cells/uniform/*/quarantine-*.json"))) == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--kinds", "baselin", "--seeds", "1"), "unknown kind 'baselin'. Did you mean 'baseline'?"),
        (("--kinds", "", "--seeds", "1"), "--kinds must be names separated by commas, got ''"),
        (("--kinds", "baseline,baseline", "--seeds", "1"), "--kinds names 'baseline' twice"),
        (("--kinds", "baseline", "--seeds", ""), "--seeds must be whole numbers"),
        (("--kinds", "baseline", "--seeds", "1,1"), "--seeds gives 1 twice"),
        (("--kinds", "baseline", "--seeds", "1", "--jobs", "0"), "--jobs must be at least 1, got 0"),
        (("--kinds", "baseline", "--seeds", "1", "--baseline", "x"), "--baseline 'x' is not among --kinds"),
        (("--kinds", "baseline", "--seeds", "1", "kind.options._target_=os.system"), "`_target_` is refused"),
        (
            ("--kinds", "baseline", "--seeds", "1", "data=parquet", "data.name=x", "data.path=nowhere"),
            "nowhere",
        ),
        (("--kinds", "baseline", "--seeds", "1", "data.agreement=nowhere.tsv"), "there is no such file"),
        (
            ("--kinds", "baseline", "--seeds", "1", "stats.family=[bpc,nonsense]"),
            "`stats.family` names 'nonsense'",
        ),
        (("--kinds", "baseline", "--seeds", "1", "kind.options.bias_strength=-inf"), "must be finite"),
        (("--kinds", "baseline", "--seeds", "1", "stats.family=[bpc,bpc]"), "must name each metric once"),
        (("--kinds", "baseline", "--seeds", "1", "stats.n_resamples=1000000000"), "in [100, 100000]"),
        (("--kinds", "baseline", "--seeds", "1", "rig_schema=2"), "`rig_schema` must be 1, got 2"),
        (("--kinds", "baseline", "--seeds", "1", "data.path=elsewhere"), "`data.path` has no effect"),
        (("--kinds", "baseline", "--seeds", "1", "data.name=${train.lr}"), "`${...}` is refused"),
        (("--kinds", "baseline", "--seeds", "1", "--runs-dir", "/dev/null"), "the system refused: Not a dir"),
        (("--seeds", "1"), "Missing option '--kinds'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2_before_any_training(
    arguments: tuple[str, ...], text: str, tmp_path: Path
) -> None:
    ended = command("tier1", *arguments, "--unlocked", cwd=tmp_path)
    assert ended.code == 2, ended.err
    assert text in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "runs" / "cells").exists()
    if "Usage:" not in ended.err:
        assert len(ended.err.strip().splitlines()) == 1


def test_a_damaged_parser_is_refused_before_any_training(tmp_path: Path) -> None:
    (tmp_path / "empty.udpipe").write_bytes(b"")
    ended = tier1(
        "--kinds", "baseline", "--seeds", "1", "--unlocked", "--dry-run",
        "task.generation.parser.model=empty.udpipe", cwd=tmp_path,
    )  # fmt: skip
    assert ended.code == 2
    assert "empty.udpipe" in ended.err
    assert ended.err.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_a_missing_lock_ends_with_3_and_says_how_to_make_one(tmp_path: Path) -> None:
    ended = tier1("--kinds", "baseline", "--seeds", "1", "tasks=[]", cwd=tmp_path)
    assert ended.code == 3, ended.err
    assert "rig sweep lr --kinds baseline" in ended.err
    assert not (tmp_path / "runs" / "cells").exists()


def test_a_failed_cell_is_named_and_the_others_finish(tmp_path: Path) -> None:
    # The largest learning rate there is makes training leave the finite numbers at once.
    ended = tier1(
        "--kinds", "baseline,uniform", "--seeds", "1", "--unlocked", "tasks=[]", "train.lr=1e30",
        "train.clip_norm=1e30",
        cwd=tmp_path,
    )  # fmt: skip
    rows = rows_of(next(tmp_path.glob("runs/reports/*/per_seed.csv")))
    assert ended.code == 1
    assert [row["status"] for row in rows] == ["diverged", "ok"], ended.err
    assert rows[0]["ce"] == ""
    assert "diverged" in ended.out


def test_the_record_names_no_machine_path(run: Run) -> None:
    text = (run.report / "report.json").read_text(encoding="utf-8")
    assert str(run.folder) not in text
    assert json.loads(text)["schema"] == "rig.report/1"
    for name in ("per_seed.csv", "aggregate.csv", "comparisons.csv", "report.md"):
        assert str(run.folder) not in (run.report / name).read_text(encoding="utf-8")

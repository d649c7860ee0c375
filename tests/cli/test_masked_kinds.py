"""Masked kinds through the real command: their columns, what is refused, what verify derives, their sweep."""

import csv
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import Run, command, tier1

from rig.core.fingerprint import file_sha256, fingerprint
from rig.experiment.config import find_conf_dir
from rig.experiment.sweep import sweep_config
from rig.experiment.sweep_record import check_sweep_record
from rig.metrics.catalog import metrics_of

PRIMARY = ("stats.primary=pppl_l2r", "stats.family=[pppl_l2r]")
CAUSAL_ONLY = [name for name, metric in metrics_of("causal").items() if metric.objectives == ("causal",)]
MASKED_ONLY = [name for name, metric in metrics_of("masked").items() if metric.objectives == ("masked",)]


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two masked kinds and a causal one at two seeds."""
    folder = tmp_path_factory.mktemp("masked job")
    ended = tier1(
        "--kinds", "mlm_baseline,mlm_masha_ab,baseline", "--seeds", "41,42", "--unlocked",
        "tasks=[agreement,similarity]", *PRIMARY, cwd=folder,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    return Run(folder=folder, ended=ended)


def rows(run: Run, name: str = "per_seed.csv") -> list[dict[str, str]]:
    with (run.report / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_masked_and_causal_kinds_share_no_column_of_likelihood(masked: Run) -> None:
    for row in rows(masked):
        empty, filled = (
            (CAUSAL_ONLY, ["mlm_accuracy", "n_masked", "pppl", "pppl_l2r", "pppl_l2r_noun", "wpppl_l2r_verb"])
            if row["objective"] == "masked"
            else ([*MASKED_ONLY, "n_masked"], ["ce", "ppl", "bpc", "ppl_noun"])
        )
        assert all(row[name] == "" for name in empty)
        assert all(float(row[name]) > 0 for name in filled)
        assert float(row["mixed_share"]) >= 0.0


def test_the_columns_stand_in_the_contracts_order_and_further_ones_follow_the_known(masked: Run) -> None:
    names = list(rows(masked)[0])
    place = names.index("mlm_accuracy")
    assert names[place : place + 5] == ["mlm_accuracy", "n_masked", "pppl", "pppl_l2r", "tree_valid_rate"]
    assert names.index("sim_assin2") < names.index("mlm_ce") < names.index("pppl_l2r_noun")


def test_every_kind_and_seed_hides_the_same_tokens(masked: Run) -> None:
    runs = masked.folder / "runs"
    tables = [
        pq.read_table(path).select(["doc_id", "position", "token_id"]).to_pylist()
        for path in sorted(runs.glob("cells/mlm_*/*/attempts/*/masked_tokens.parquet"))
    ]
    assert len(tables) == 4
    assert all(table == tables[0] for table in tables)
    of_masked = [row for row in rows(masked) if row["objective"] == "masked"]
    assert {row["n_masked"] for row in of_masked} == {str(len(tables[0]))}


def test_the_values_are_those_of_the_stored_tables(masked: Run) -> None:
    for row in rows(masked):
        if row["objective"] != "masked":
            continue
        (attempt,) = (masked.folder / "runs/cells" / row["cell"]).glob("attempts/*")
        hidden = pq.read_table(attempt / "masked_tokens.parquet").to_pandas()
        assert float(row["mlm_accuracy"]) == pytest.approx((hidden.token_id == hidden.predicted).mean())
        for name, file in (("pppl", "token_scores.parquet"), ("pppl_l2r", "token_scores_l2r.parquet")):
            logprob = pq.read_table(attempt / file)["logprob"].to_numpy()
            assert float(row[name]) == pytest.approx(np.exp(-logprob.mean()), rel=1e-9)
            assert len(logprob) == int(row["n_tokens"])


def test_agreement_is_asked_of_the_verb_and_similarity_of_the_states(masked: Run) -> None:
    for row in rows(masked):
        assert 0 <= float(row["sv_agreement"]) <= 1
        assert row["sim_nano_pt"] != ""
        (path,) = (masked.folder / "runs/cells" / row["cell"]).glob("attempts/*/result.json")
        result = json.loads(path.read_text(encoding="utf-8"))
        scoring = result["tasks"]["agreement"]["facts"]["scoring"]
        assert ("of the verb's pieces" in scoring) == (row["objective"] == "masked")


def test_kinds_of_different_objectives_are_not_compared(masked: Run) -> None:
    compared = rows(masked, "comparisons.csv")
    assert {(row["kind"], row["metric"]) for row in compared} >= {("mlm_masha_ab", "pppl_l2r")}
    for row in compared:
        if row["kind"] == "baseline":
            assert row["t"] == row["p"] == row["delta_mean"] == ""
    page = (masked.report / "report.md").read_text(encoding="utf-8")
    assert "not compared: the kinds have different objectives" in page
    assert page.count("pseudo-likelihood is not a likelihood") == 1


def test_a_masked_report_is_verified_down_to_its_tokens(masked: Run) -> None:
    ended = command("verify", str(masked.report), cwd=masked.folder)
    assert ended.code == 0, ended.err
    assert ended.out.count("each sum from the token scores") == 6


def reseal(cell: Path) -> None:
    """Give a cell's DONE.json the hashes that its files have now, as a forger would."""
    done = json.loads((cell / "DONE.json").read_text(encoding="utf-8"))
    attempt = cell / "attempts" / done["attempt"]
    done["files"] = {name: file_sha256(attempt / name) for name in done["files"]}
    done["self_sha256"] = fingerprint({key: value for key, value in done.items() if key != "self_sha256"})
    (cell / "DONE.json").write_text(json.dumps(done), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "column", "message"),
    [
        ("masked_tokens.parquet", "predicted", "metric 'mlm_accuracy': stored"),
        ("masked_tokens.parquet", "position", "masked_tokens.parquet, document '[^']+', positions: stored"),
        ("token_scores_l2r.parquet", "logprob", "metric 'pll_l2r': stored"),
        ("token_scores.parquet", "logprob", "metric 'pll': stored"),
    ],
)
def test_a_forged_token_is_caught(masked: Run, tmp_path: Path, file: str, column: str, message: str) -> None:
    shutil.copytree(masked.folder / "runs", tmp_path / "runs")
    cell = next((tmp_path / "runs/cells/mlm_baseline").iterdir())
    (path,) = cell.glob(f"attempts/*/{file}")
    table = pq.read_table(path)
    values = table[column].to_pylist()
    values[0] = {
        "predicted": table["token_id"][0].as_py() if "token_id" in table.column_names else 0,
        "position": values[0] + (1 if values[1] > values[0] + 1 else -1),
        "logprob": values[0] * 0.9,
    }[column]
    if column == "predicted" and table[column][0].as_py() == values[0]:
        values[0] += 1
    index = table.column_names.index(column)
    pq.write_table(
        table.set_column(index, table.field(index), pa.array(values, table.field(index).type)), path
    )
    reseal(cell)
    ended = command("verify", str(tmp_path / "runs/reports" / masked.report.name), cwd=tmp_path)
    assert ended.code == 1
    assert re.search(message, ended.err), ended.err


def test_bits_per_character_of_masked_kinds_are_refused_before_anything_is_trained(tmp_path: Path) -> None:
    ended = tier1("--kinds", "mlm_baseline", "--seeds", "41", "--unlocked", cwd=tmp_path)
    assert ended.code == 2
    assert (
        "`stats.family` declares 'bpc', which only causal kinds have and there is none among these; set "
        "stats.primary=pppl_l2r stats.family=[pppl_l2r]"
    ) in ended.err
    assert not (tmp_path / "runs").exists()


def test_a_declared_pseudo_perplexity_must_be_measured(tmp_path: Path) -> None:
    ended = tier1(
        "--kinds", "mlm_baseline", "--seeds", "41", "--unlocked", *PRIMARY, "score.pseudo_likelihood=false",
        cwd=tmp_path,
    )  # fmt: skip
    assert ended.code == 2
    assert "declares 'pppl_l2r', which is not measured with `score.pseudo_likelihood` false" in ended.err


def test_without_pseudo_likelihood_only_hidden_tokens_are_measured(tmp_path: Path) -> None:
    ended = tier1(
        "--kinds", "mlm_baseline", "--seeds", "41", "--unlocked", "tasks=[]", "score.pseudo_likelihood=false",
        "stats.primary=mlm_accuracy", "stats.family=[mlm_accuracy]", cwd=tmp_path,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    run = Run(folder=tmp_path, ended=ended)
    (row,) = rows(run)
    assert row["mlm_accuracy"] != ""
    assert row["pppl"] == row["pppl_l2r"] == ""
    page = (run.report / "report.md").read_text(encoding="utf-8")
    assert page.count("score.pseudo_likelihood is false") == 1
    (attempt,) = (tmp_path / "runs/cells" / row["cell"]).glob("attempts/*")
    assert not list(attempt.glob("token_scores*"))
    assert command("verify", cwd=tmp_path).code == 0


def test_a_masked_kinds_sweep_is_judged_on_hidden_tokens_and_needs_no_pseudo_likelihood(project) -> None:
    conf = find_conf_dir(project.root / "conf")
    config = sweep_config(conf, "lr", "mlm_baseline", project.sweep_settings)
    assert config["sweep"]["metric"] == "mlm_ce"
    assert config["score"]["pseudo_likelihood"] is False
    assert sweep_config(conf, "lr", "baseline", project.sweep_settings)["sweep"]["metric"] == "ce"
    status, said = project.rig(
        "sweep", "lr", "--kinds", "mlm_baseline", "--points", "3", "--jobs", "1", "--allow-edge",
        "--runs-dir", str(project.root / "runs"), "--conf-dir", str(project.root / "conf"),
        *project.sweep_settings,
    )  # fmt: skip
    assert status == 0, said
    assert "mlm_ce on validation" in said
    (path,) = (project.root / "runs/sweeps").glob("*/sweep.json")
    record = check_sweep_record(path)
    assert record.protocol["metric"] == "mlm_ce"


def test_a_metric_that_the_objective_does_not_have_is_no_sweeps_metric(project) -> None:
    status, said = project.rig(
        "sweep", "lr", "--kinds", "mlm_baseline", "sweep.metric=bpc", *project.sweep_settings,
        "--conf-dir", str(project.root / "conf"),
    )  # fmt: skip
    assert status == 2
    assert "`sweep.metric` is 'bpc', which a masked kind does not have or does not minimise" in said

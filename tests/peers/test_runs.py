"""Faults of caches, resuming and seeds that were reported in public, each tried on whole runs."""

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import ROOT
from lock_project import Project, new_project

from rig.core.errors import StoreError
from rig.experiment.config import compose_kind, find_conf_dir, with_value
from rig.experiment.datasets import PreparedData
from rig.experiment.plan import plan_kind
from rig.store.cells import CellSpec, check_done, is_done, new_attempt, plan_cell, publish

TABLES = ("per_seed.csv", "aggregate.csv", "comparisons.csv")
SEEDS = "1,2,3,4,5"


def prepared(content: Mapping[str, str]) -> PreparedData:
    return PreparedData(
        name="d", annotations=None, path=Path(), content=content, files={}, file_hashes={}, table_hashes={}
    )  # type: ignore[arg-type]


def cell(config: Mapping[str, Any], content: Mapping[str, str] | None = None) -> CellSpec:
    """The one cell of a kind at seed 1."""
    (spec,) = plan_kind(config, [1], prepared(content or {"words": "aa"})).cells
    return spec


def composed() -> dict[str, Any]:
    return compose_kind(find_conf_dir(ROOT / "conf"), "baseline", ["tasks=[]"])


def test_peers_28_lm_evaluation_harness_2715_another_model_is_another_cell(tmp_path: Path) -> None:
    """EleutherAI/lm-evaluation-harness #2715, #4063: the cache gave the results of model A for model B."""
    config = composed()
    # A kind that kept its name and changed its switches, and what else a result depends on.
    switched = {**config["kind"], "options": {**config["kind"]["options"], "attention_bias": True}}
    cells = [
        cell(config),
        cell({**config, "kind": switched}),
        cell(with_value(config, "train.lr", 0.001)),
        cell(with_value(config, "model.d_model", 32)),
        cell(with_value(config, "tokenizer.vocab_size", 512)),
        cell(config, {"words": "bb"}),
    ]
    assert len({one.key for one in cells}) == len(cells)
    assert cell(config).key == cells[0].key

    # A result that lies in another cell's folder is seen.
    for one in cells[:2]:
        directory = plan_cell(tmp_path, one)
        attempt = new_attempt(directory)
        for name in ("result.json", "timing.json"):
            (attempt / name).write_text("{}", encoding="utf-8")
        publish(directory, attempt, ("result.json", "timing.json"))
        assert is_done(directory)
    first, second = (tmp_path / "cells" / one.cell_id for one in cells[:2])
    (second / "DONE.json").write_bytes((first / "DONE.json").read_bytes())
    with pytest.raises(StoreError, match="is of another cell"):
        check_done(second)


def test_peers_28_lm_evaluation_harness_4063_the_key_holds_the_hash_of_the_weights(tmp_path: Path) -> None:
    """The same for what was made elsewhere: another file under the same name is another cell."""
    config = composed()
    config["kind"] = {
        "name": "mine", "family": "scores", "objective": "causal", "seeded": False, "has_lr": False,
        "options": {"path": str(tmp_path / "scores.parquet")},
    }  # fmt: skip
    keys = set()
    for logprob in (-1.0, -2.0):
        pq.write_table(pa.table({"logprob": [logprob]}), tmp_path / "scores.parquet")
        keys.add(cell(config).key)
    assert len(keys) == 2


def tables(folder: Path) -> dict[str, bytes]:
    """The bytes of the newest report's tables."""
    reports = folder / "runs" / "reports"
    newest = reports / (reports / "latest").read_text(encoding="utf-8").strip()
    return {name: (newest / name).read_bytes() for name in TABLES}


def arguments(project: Project) -> list[str]:
    return [
        "tier1", "--kinds", "baseline", "--seeds", SEEDS, "--engine", "inline", "--unlocked",
        *project.settings, "tasks=[]", "train.steps=300",
    ]  # fmt: skip


def finished(project: Project) -> int:
    return len(list((project.root / "runs").glob("cells/*/*/DONE.json")))


@pytest.fixture
def two_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Project, Project]:
    """The same small project twice."""
    monkeypatch.delenv("RIG_CONF", raising=False)
    return Project(new_project(tmp_path / "one")), Project(new_project(tmp_path / "two"))


@pytest.mark.slow
def test_peers_29_31_a_killed_run_goes_on_and_gives_the_bytes_of_one_that_was_not(
    two_projects: tuple[Project, Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    """EleutherAI/lm-evaluation-harness #2533, #2548, #2140: all is lost where the last step fails.

    #3357, #2077: two runs differ at one seed. Here there are two folders, two processes and two hash seeds,
    and one of the runs is killed after three of five cells.
    """
    killed_project, project = two_projects
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    killed = killed_project.process(*arguments(killed_project))
    while finished(killed_project) < 3 and killed.poll() is None:
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    assert 3 <= finished(killed_project) < 5
    before = sorted((killed_project.root / "runs").glob("cells/*/*/DONE.json"))
    hashes = [path.read_bytes() for path in before]

    monkeypatch.setenv("PYTHONHASHSEED", "2")
    for one in (killed_project, project):
        process = one.process(*arguments(one))
        out, _ = process.communicate()
        assert process.returncode == 0, out
    assert [path.read_bytes() for path in before] == hashes
    assert tables(killed_project.root) == tables(project.root)

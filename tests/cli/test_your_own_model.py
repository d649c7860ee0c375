"""A user's own model from end to end: a plugin, a script that is swept and locked, a file of scores."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest
from commands import TINY, Ended, command, conf_without_locks
from examples import example

DATA = tuple(text for text in TINY if text.startswith("data."))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(conf_without_locks(), tmp_path / "conf")
    return tmp_path


def rig(folder: Path, *arguments: str) -> Ended:
    return command(*arguments, cwd=folder, RIG_CONF=str(folder / "conf"))


def rows(folder: Path) -> list[dict[str, str]]:
    reports = folder / "runs" / "reports"
    with (reports / (reports / "latest").read_text().strip() / "per_seed.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_adapter_of_the_docs_is_thirty_lines_and_runs(folder: Path) -> None:
    text = example("adapters.md", "bigram.py")
    code = [line for line in text.splitlines() if line.strip()]
    assert len(code) <= 36  # thirty of the adapter and its `explain`, six of its tables
    plugin = folder / "bigram.py"
    plugin.write_text(text, encoding="utf-8")
    job = ("tier1", "--kinds", "bigram,bigram_tenth", "--seeds", "1,2", "--plugin", "bigram.py",
           "tasks=[agreement,similarity]", *DATA)  # fmt: skip
    ended = rig(folder, *job)
    assert ended.code == 0, ended.err
    first = rows(folder)
    assert [(row["kind"], row["seed"]) for row in first] == [
        ("bigram", "1"), ("bigram", "2"), ("bigram_tenth", "1"), ("bigram_tenth", "2"),
    ]  # fmt: skip
    assert {row["lock_state"] for row in first} == {"NOT APPLICABLE"}
    assert all(float(row["bpc"]) < 8 and row["sim_nano_pt"] == "" for row in first)
    report = folder / "runs" / "reports" / (folder / "runs" / "reports" / "latest").read_text().strip()
    recorded = json.loads((report / "report.json").read_text())["plugins"]
    assert [plugin["name"] for plugin in recorded] == ["bigram.py"]
    assert rig(folder, "verify").code == 0

    plugin.write_text(f"# a comment\n{text}", encoding="utf-8")
    assert rig(folder, *job).code == 0
    assert [row["cell"] for row in rows(folder)] == [row["cell"] for row in first]
    plugin.write_text(text.replace("np.ones((257, 256))", "np.full((257, 256), 0.5)"), encoding="utf-8")
    assert rig(folder, *job).code == 0
    assert not {row["cell"] for row in rows(folder)} & {row["cell"] for row in first}


def test_without_its_plugin_a_kind_is_unknown(folder: Path) -> None:
    ended = rig(folder, "tier1", "--kinds", "bigram", "--seeds", "1", *DATA)
    assert ended.code == 2
    assert "unknown kind 'bigram'. Did you mean 'ngram'?" in ended.err
    ended = rig(folder, "tier1", "--kinds", "baseline", "--seeds", "1", "--plugin", "none.py", *DATA)
    assert ended.code == 2
    assert "--plugin must be a Python file that exists" in ended.err


def test_a_kind_of_a_plugin_and_of_conf_with_one_name_are_refused(folder: Path) -> None:
    (folder / "mine.py").write_text("KINDS = {'baseline': {'family': 'uniform'}}")
    ended = rig(folder, "tier1", "--kinds", "baseline", "--seeds", "1", "--plugin", "mine.py", *DATA)
    assert ended.code == 2
    assert "kind 'baseline' is in " in ended.err
    (folder / "mine.py").write_text(
        "KINDS = {'own': {'family': 'uniform', 'options': {'_target_': 'os.system'}}}"
    )
    ended = rig(folder, "tier1", "--kinds", "own", "--seeds", "1", "--plugin", "mine.py", *DATA)
    assert ended.code == 2
    assert "_target_` is refused" in ended.err


KIND = """\
name: {name}
description: Ours.
family: command
objective: causal
seeded: true
has_lr: true
options:
  command: "{{python}} train.py --lr {{lr}} --seed {{seed}} --steps {{steps}} --data {{data}} --out {{out}}"
  loads: scores
"""


@pytest.mark.slow
def test_a_script_is_swept_locked_resumed_and_compared_like_the_built_in_kinds(folder: Path) -> None:
    script = folder / "train.py"
    script.write_text(example("adapters.md", "train.py"), encoding="utf-8")
    for name in ("ours", "theirs"):
        text = KIND.format(name=name)
        (folder / "conf" / "kind" / f"{name}.yaml").write_text(text, encoding="utf-8")
    main = ("tier1", "--kinds", "ours,theirs", "--seeds", "1,2", "train.steps=20", "tasks=[]", *DATA)
    refused = rig(folder, *main)
    assert refused.code == 3, refused.err
    assert "the lr lock of kind 'ours' on data 'nano_pt' is missing" in refused.err

    sweep = ("sweep", "lr", "--kinds", "ours,theirs", "--points", "5", "sweep.low=0.1", "sweep.high=1000.0",
             "sweep.steps=20", *DATA)  # fmt: skip
    swept = rig(folder, *sweep)
    assert swept.code == 0, swept.err
    best = float(re.findall(r"lr_ours_best = (\S+)", swept.out)[0])
    assert 0.1 < best < 1000.0
    again = rig(folder, *sweep)
    assert again.code == 0, again.err
    assert len(list((folder / "runs" / "cells" / "ours").glob("*/attempts/*"))) == 5

    ended = rig(folder, *main)
    assert ended.code == 0, ended.err
    assert [(row["kind"], row["lock_state"], float(row["lr"])) for row in rows(folder)] == [
        (name, "OK", best) for name in ("ours", "ours", "theirs", "theirs")
    ]
    # The two kinds are one program: they differ in nothing, and the table says just that.
    assert rows(folder)[0]["bpc"] == rows(folder)[2]["bpc"] != rows(folder)[1]["bpc"]
    assert rig(folder, "verify").code == 0

    script.write_text(script.read_text(encoding="utf-8").replace("512", "256"), encoding="utf-8")
    assert rig(folder, *main, "--strict").code == 3
    assert rig(folder, *main).code == 0
    assert {row["lock_state"] for row in rows(folder)} == {"STALE (code only)"}


def test_a_file_of_scores_takes_part(folder: Path) -> None:
    ended = rig(folder, "export-template", "--out", "template", *DATA)
    assert ended.code == 0, ended.err
    kind = (folder / "template" / "kind.yaml").read_text(encoding="utf-8")
    (folder / "conf" / "kind" / "mine.yaml").write_text(kind, encoding="utf-8")
    job = ("tier1", "--kinds", "uniform,mine", "--seeds", "1", *DATA, "tasks=[agreement]")
    ended = rig(folder, *job)
    assert ended.code == 0, ended.err
    uniform, mine = rows(folder)
    assert float(mine["bpc"]) == pytest.approx(20.087462841250343, rel=1e-12)
    assert float(uniform["bpc"]) < 8
    assert mine["sv_agreement"] == ""
    assert (mine["n_params"], uniform["n_params"]) == ("", "0")
    again = rig(folder, "export-template", "--out", "template", *DATA)
    assert again.code == 2
    assert "--out template exists; name a new folder" in again.err
    (folder / "template" / "scores.parquet").write_bytes(b"")
    ended = rig(folder, *job)
    assert ended.code == 1
    assert "can't be read as parquet" in ended.err


PAIRS = """
from rig.core.items import Item
from rig.tasks.base import AbstractTask, TaskColumn, TaskResult


class Length(AbstractTask):
    name = "length"

    def __init__(self, options, data):
        self.lines = data.files["pairs"].read_text().split()

    def columns(self):
        return (TaskColumn(name="n_lines", statistic=len, unit="", direction="none", definition="Lines."),)

    def run(self, model, *, seed):
        one = dict(cluster_id="", cell="", predicted=1.0, gold=1.0)
        return TaskResult(items=tuple(Item(item_id=line, **one) for line in self.lines))


TASKS = {"length": Length}
"""


def test_a_plugin_adds_a_task_with_a_file_of_its_own(folder: Path) -> None:
    (folder / "task.py").write_text(PAIRS)
    (folder / "pairs.txt").write_text("a b c")
    job = ("tier1", "--kinds", "uniform", "--seeds", "1", *DATA)
    ended = rig(folder, *job, "--plugin", "task.py", "tasks=[length]", "data.files.pairs=pairs.txt")
    assert ended.code == 0, ended.err
    assert rows(folder)[0]["n_lines"] in {"3", "3.0"}
    assert rig(folder, "verify").code == 0
    ended = rig(folder, *job, "tasks=[]", "data.files.prompts=pairs.txt")
    assert ended.code == 2
    assert "`data.files.prompts` is a name that rig uses itself" in ended.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "class K: pass\nFAMILIES = {'transformer': K}",
            "a plugin adds the family 'transformer'",
        ),
        (
            "class T: pass\nTASKS = {'agreement': T}",
            "a plugin adds the task 'agreement', which rig",
        ),
        (
            "FAMILIES = {'mine': int}\nKINDS = {'mine': {'family': 'mine'}}",
            "the family 'mine' is builtins:int, which is no AbstractKind",
        ),
        (PAIRS.replace("n_lines", "sv_agreement"), "two columns would be named 'sv_agreement'"),
        (PAIRS.replace("n_lines", "bpc"), "two columns would be named 'bpc'"),
    ],
)
def test_a_plugin_can_shadow_nothing(folder: Path, text: str, message: str) -> None:
    (folder / "mine.py").write_text(text)
    (folder / "pairs.txt").write_text("a b c")
    kind = "mine" if "KINDS" in text else "uniform"
    tasks = "[agreement,length]" if "length" in text else "[agreement]"
    ended = rig(folder, "tier1", "--kinds", kind, "--seeds", "1", "--plugin", "mine.py", f"tasks={tasks}",
                "data.files.pairs=pairs.txt", "--unlocked", *DATA)  # fmt: skip
    assert ended.code == 2, ended.err
    assert message in ended.err

"""The per-seed table again by hand: the code of the first notebook, without a kernel, on every cell."""

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from commands import ROOT, Run

NOTEBOOK = ROOT / "notebooks" / "01_recompute_the_table_by_hand.ipynb"


def code_cells() -> list[str]:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_it_imports_nothing_from_rig() -> None:
    lines = [line.split() for text in code_cells() for line in text.splitlines()]
    imported = {words[1].split(".")[0] for words in lines if words[:1] in (["import"], ["from"])}
    assert imported == {"json", "os", "pathlib", "numpy", "pandas"}


def test_every_row_of_the_table_is_the_one_made_by_hand(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIG_RUNS", str(run.folder / "runs"))
    monkeypatch.chdir(run.folder)
    first, *rest = code_cells()
    n_rows = len(pd.read_csv(run.report / "per_seed.csv"))
    assert n_rows == 8
    for index in range(n_rows):
        names: dict[str, Any] = {}
        exec(first, names)
        names["row"] = names["table"].iloc[index]
        for text in rest:
            exec(text, names)
        by_hand = names["by_hand"]
        assert {"ce", "ppl", "bpc", "bpb", "ppl_noun", "ppl_verb", "ppl_outros"} <= set(by_hand)
        for name, value in by_hand.items():
            assert value == pytest.approx(names["row"][name], rel=1e-9), (names["row"]["cell"], name)
    assert Path.cwd() == run.folder
    assert os.environ["RIG_RUNS"] == str(run.folder / "runs")

"""The notebooks run from top to bottom on a run made by the real command line, and are committed empty."""

import json
from pathlib import Path

import nbclient
import nbformat
import pytest
from commands import ROOT, TINY, Run

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == ["01", "02", "03"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_committed_without_outputs(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    nbformat.validate(nbformat.reads(path.read_text(encoding="utf-8"), as_version=4))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_from_top_to_bottom(path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIG_RUNS", str(run.folder / "runs"))
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("RIG_OVERRIDES", " ".join(TINY))
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(run.folder)}}
    )
    client.execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert shown
    assert not [output for output in shown if output.output_type == "error"]

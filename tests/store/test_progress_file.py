import json
import os
from pathlib import Path

import pytest

from rig.core.errors import RigError
from rig.store.progress_file import LAUNCHER_VARIABLE, ProgressFile, read_progress


def test_what_a_cell_says_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(LAUNCHER_VARIABLE, raising=False)
    assert read_progress(tmp_path) == {}
    progress = ProgressFile(tmp_path)
    progress.training(step=20, n_steps=2000, loss=3.14159)
    assert read_progress(tmp_path) == {"phase": "training", "step": 20, "n_steps": 2000, "loss": 3.1416}
    progress.phase("scoring")
    assert read_progress(tmp_path) == {"phase": "scoring"}


@pytest.mark.parametrize("text", ["", "{", "[1]"])
def test_half_a_file_is_no_word_yet(tmp_path: Path, text: str) -> None:
    (tmp_path / "progress.json").write_text(text)
    assert read_progress(tmp_path) == {}


def test_words_that_come_fast_are_not_all_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LAUNCHER_VARIABLE, str(os.getppid()))
    progress = ProgressFile(tmp_path)
    for step in range(1, 4):
        progress.training(step=step, n_steps=3, loss=1.0)
    assert json.loads((tmp_path / "progress.json").read_text())["step"] == 1


def test_a_cell_whose_launcher_died_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LAUNCHER_VARIABLE, "1" if os.getppid() != 1 else "2")
    with pytest.raises(RigError, match="the command that started this cell is gone; run it again"):
        ProgressFile(tmp_path).training(step=1, n_steps=2, loss=1.0)

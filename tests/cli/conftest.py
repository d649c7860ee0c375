"""One tiny run of the main job, shared by the tests of what it leaves."""

import pytest
from commands import Run, tier1
from lock_project import project, swept, swept_template

__all__ = ["project", "swept", "swept_template"]


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two trained kinds at three seeds and two floors, with all tasks but generation."""
    folder = tmp_path_factory.mktemp("main job")
    ended = tier1(
        "--kinds", "baseline,masha_ab,uniform,ngram", "--seeds", "41,42,43", "--unlocked",
        "tasks=[agreement,similarity]",
        cwd=folder,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    return Run(folder=folder, ended=ended)

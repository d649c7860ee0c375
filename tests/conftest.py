"""Settings that all tests share, and one tiny run of the main job for the tests of what it leaves."""

import os

import pytest
from commands import Run, tier1
from hypothesis import settings

# Machines that run tests are shared and noisy: no test asserts a time.
settings.register_profile("rig", deadline=None, derandomize=True)
settings.load_profile("rig")

# One BLAS thread, as in a cell: bits are promised for it, and tests run side by side.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


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

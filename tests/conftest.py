"""Settings that all tests share, the real data, and one tiny run of the main job for tests of its files."""

import os
from pathlib import Path

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
def test_data() -> Path:
    """The real data that RIG_TEST_DATA names; skips where it is not set."""
    folder = os.environ.get("RIG_TEST_DATA")
    if not folder:
        pytest.skip("RIG_TEST_DATA is not set: no real data to test on")
    return Path(folder)


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

"""Tiny checkpoints, made once. A test that asks for one is skipped, and says so, without torch."""

from pathlib import Path

import pytest


def _need_extra() -> None:
    for name in ("torch", "transformers"):
        pytest.importorskip(name, reason=f"SKIPPED: {name} is not installed (pip install 'rig[hf]')")


@pytest.fixture(scope="session")
def gpt2_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    _need_extra()
    import hf_checkpoints

    return hf_checkpoints.gpt2(tmp_path_factory.mktemp("gpt2"))


@pytest.fixture(scope="session")
def llama_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    _need_extra()
    import hf_checkpoints

    return hf_checkpoints.llama(tmp_path_factory.mktemp("llama"))


@pytest.fixture(scope="session")
def bert_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    _need_extra()
    import hf_checkpoints

    return hf_checkpoints.bert(tmp_path_factory.mktemp("bert"))


@pytest.fixture(params=["gpt2", "llama"])
def causal_directory(request: pytest.FixtureRequest) -> Path:
    """Absolute and rotary positions, byte-level and SentencePiece-like."""
    directory: Path = request.getfixturevalue(f"{request.param}_directory")
    return directory

"""A local directory, or a commit on the hub; never a branch, and a sentence where there is no network."""

from pathlib import Path
from typing import Any

import pytest

from rig.core.errors import DataError
from rig.models.hf.hub import checkpoint_directory

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_without_a_revision_it_is_a_directory(tmp_path: Path) -> None:
    assert checkpoint_directory(str(tmp_path), None) == tmp_path


def test_a_directory_that_is_not_there_may_have_been_meant_for_the_hub() -> None:
    with pytest.raises(
        DataError, match="no directory 'org/model'; if it is a model on the Hugging Face hub, set"
    ):
        checkpoint_directory("org/model", None)


def test_no_pickle_and_no_code_is_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="SKIPPED: huggingface_hub is not installed")
    asked: dict[str, Any] = {}

    def snapshot_download(repo_id: str, **settings: Any) -> str:
        asked.update(settings, repo_id=repo_id)
        return str(tmp_path)

    monkeypatch.setattr(hub, "snapshot_download", snapshot_download)
    assert checkpoint_directory("org/model", COMMIT) == tmp_path
    assert (asked["repo_id"], asked["revision"]) == ("org/model", COMMIT)
    assert asked["allow_patterns"] == ["*.json", "*.safetensors", "*.txt", "*.model"]


def test_offline_it_says_what_to_fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="SKIPPED: huggingface_hub is not installed")
    monkeypatch.setattr(hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(DataError) as caught:
        checkpoint_directory("org/model", COMMIT)
    assert f"the hub's model 'org/model' at revision {COMMIT} is not in the local cache" in str(caught.value)
    assert f"`hf download org/model --revision {COMMIT}`" in str(caught.value)

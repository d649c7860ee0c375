import json
import subprocess
import sys
from pathlib import Path

import pytest

PRINTS_ITS_COMMAND = """
import json
from rig.store.provenance import command_line
print(json.dumps(command_line()))
"""


def command_of(*arguments: str, cwd: Path) -> list[str]:
    """The command line that a program started so records."""
    ended = subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=True)
    recorded: list[str] = json.loads(ended.stdout)
    return recorded


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "job").mkdir()
    for name in ("tool", "job/__init__.py", "job/main.py", "job/__main__.py"):
        (tmp_path / name).write_text("" if name.endswith("__init__.py") else PRINTS_ITS_COMMAND)
    return tmp_path


def test_a_module_is_named_as_it_is_typed(folder: Path) -> None:
    assert command_of("-m", "job.main", "--seeds", "1,2", cwd=folder) == [
        "python", "-m", "job.main", "--seeds", "1,2",
    ]  # fmt: skip


def test_a_package_is_named_without_its_main_module(folder: Path) -> None:
    assert command_of("-m", "job", "run", cwd=folder) == ["python", "-m", "job", "run"]


def test_a_program_is_named_without_its_path(folder: Path) -> None:
    assert command_of(str(folder / "tool"), "a b", cwd=folder) == ["tool", "a b"]

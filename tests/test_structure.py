"""The house rules that a machine can hold: layers, sizes, mirrored tests, no strays."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "rig"
CEILING_LINES = 400
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "_conf" not in path.parts)


def _tool(*arguments: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_ruff_finds_nothing() -> None:
    _tool("ruff", "check", ".")


def test_the_format_is_ruffs() -> None:
    _tool("ruff", "format", "--check", ".")


@pytest.mark.slow
def test_mypy_strict_finds_nothing() -> None:
    _tool("mypy")


def test_imports_only_go_downward() -> None:
    script = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    result = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_is_one_concept(path: Path) -> None:
    n_lines = len(path.read_text(encoding="utf-8").splitlines())
    assert n_lines <= CEILING_LINES, f"{path.relative_to(ROOT)} has {n_lines} lines: split it by concept"


def test_no_room_is_called_utils() -> None:
    assert not [path for path in MODULES if re.search(r"util|helper|misc|common", path.stem)]


def test_every_module_has_a_docstring_that_says_what_it_is() -> None:
    for path in MODULES:
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert docstring, path


def test_nothing_prints_but_the_command_line() -> None:
    for path in MODULES:
        if path.is_relative_to(PACKAGE / "cli"):
            continue
        calls = [
            node.lineno
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        ]
        assert not calls, f"{path}:{calls}"


def test_importing_rig_loads_no_optional_package() -> None:
    script = "import sys, rig.cli.main; print(' '.join(sorted(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"torch", "transformers", "stanza", "submitit"} & set(loaded)
    assert not heavy, heavy
    # The check can fail: it sees what is loaded.
    assert {"numpy", "click"} <= set(loaded)


def test_a_worker_never_imports_hydra() -> None:
    script = "import sys, rig.cell, rig.models.transformer_kind; print(' '.join(sorted(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"hydra", "omegaconf"} & set(loaded)
    assert "rig.cell" in loaded

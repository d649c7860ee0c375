"""Without extras nothing of theirs is imported: the rig starts fast and runs where they are not installed."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "transformers", "stanza", "submitit")

# Everything that a command can import without being asked for an extra.
IMPORTS = """
import importlib, pkgutil, sys
import rig
for module in pkgutil.walk_packages(rig.__path__, "rig."):
    if not module.name.startswith({skipped!r}):
        importlib.import_module(module.name)
{more}
print(",".join(name for name in {heavy!r} if name in sys.modules))
"""


def imported(*, skipped: tuple[str, ...] = ("rig.__main__",), more: str = "") -> str:
    code = IMPORTS.format(skipped=skipped, heavy=HEAVY, more=more)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ended.stdout.strip()


def test_no_module_of_rig_imports_an_extra() -> None:
    assert imported() == ""


def test_a_kind_that_needs_an_extra_is_built_without_importing_it() -> None:
    pytest.importorskip("torch", reason="SKIPPED: torch is not installed")
    config = {
        "kind": {
            "name": "k", "family": "hf", "objective": "causal", "seeded": False, "has_lr": False,
            "options": {"model": "a/folder"},
        },
        "train": {}, "score": {},
    }  # fmt: skip
    assert imported(more=f"from rig.models.catalog import build_kind\nbuild_kind({config!r})") == ""


def test_the_test_can_fail(tmp_path) -> None:
    """A module that imports one of them is seen."""
    (tmp_path / "submitit.py").write_text("")
    assert imported(more=f"sys.path.insert(0, {str(tmp_path)!r})\nimport submitit") == "submitit"

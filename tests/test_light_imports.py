"""Without extras nothing of theirs is imported: the rig starts fast and runs where they are not installed."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "transformers", "stanza", "submitit")

# All that a command imports before it is asked for a backend or a checkpoint: every command, the cell, and
# every class that a config can name.
IMPORTS = """
import importlib, sys
import rig.cell, rig.cli.main
from rig.models.catalog import FAMILIES
from rig.models.tokenizer import TOKENIZERS
from rig.parsers.catalog import PARSERS
from rig.tasks.catalog import TASKS
for table in (FAMILIES, TOKENIZERS, PARSERS, TASKS):
    for target in table.values():
        importlib.import_module(target.partition(":")[0])
{more}
print(",".join(name for name in {heavy!r} if name in sys.modules))
"""


def imported(*, more: str = "") -> str:
    code = IMPORTS.format(heavy=HEAVY, more=more)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ended.stdout.strip()


def test_nothing_imports_an_extra_before_it_is_asked_for() -> None:
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

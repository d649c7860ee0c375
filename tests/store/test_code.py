import sys
from pathlib import Path

import pytest

from rig.store.code import code_fingerprint, forget_sources, module_closure, source_hashes


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "a_kind_of_mine.py"
    path.write_text('"""Says."""\nX = 1  # why\n\n\ndef f(a):\n    """Says."""\n    return a + X\n')
    forget_sources()
    return path


def fingerprint_now() -> str:
    forget_sources()
    return code_fingerprint(["a_kind_of_mine"])


@pytest.mark.parametrize(
    "text",
    [
        '"""Says more."""\nX = 1\n\n\ndef f(a):\n    """Other words."""\n    return a + X\n',
        "X = 1\ndef f(a): return (a +\n  X)\n",
    ],
)
def test_docstrings_comments_and_layout_change_nothing(module: Path, text: str) -> None:
    before = fingerprint_now()
    module.write_text(text)
    assert fingerprint_now() == before


@pytest.mark.parametrize(
    "text",
    [
        "X = 2\ndef f(a): return a + X\n",
        "X = 1\ndef f(a): return a - X\n",
        "X = 1.0\ndef f(a): return a + X\n",
    ],
)
def test_what_the_code_does_changes_it(module: Path, text: str) -> None:
    before = fingerprint_now()
    module.write_text(text)
    assert fingerprint_now() != before


def test_source_hashes_see_every_byte(module: Path) -> None:
    before = source_hashes(["a_kind_of_mine"])
    assert list(before) == [str(module)]
    module.write_text(module.read_text() + "# a comment\n")
    assert source_hashes(["a_kind_of_mine"]) != before


def test_the_closure_follows_imports_and_leaves_out_what_a_cell_never_imports() -> None:
    closure = module_closure(["rig.cell", "rig.models.transformer_kind"])
    assert {"rig.cell", "rig.models.transformer", "rig.core.sums", "rig.metrics.likelihood"} <= closure
    assert not [
        name for name in closure if name.startswith(("rig.cli", "rig.report", "rig.experiment", "rig.stats"))
    ]
    assert "rig.models.ngram" not in closure
    assert "hydra" not in sys.modules or "hydra" not in closure


def test_a_helper_of_a_users_module_is_followed_and_an_installed_package_is_not(module: Path) -> None:
    module.write_text("import numpy\nimport a_helper_of_mine\nfrom a_helper_of_mine import SCALE\n")
    helper = module.with_name("a_helper_of_mine.py")
    helper.write_text("SCALE = 1.0\n")
    before = fingerprint_now()
    assert module_closure(["a_kind_of_mine"]) == {"a_kind_of_mine", "a_helper_of_mine"}
    helper.write_text("SCALE = 2.0\n")
    assert fingerprint_now() != before


def test_relative_imports_of_a_package_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "a_package_of_mine"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("from . import kind\n")
    (package / "kind.py").write_text("from .inner import more\nfrom .table import X\n")
    (package / "table.py").write_text("X = 1\n")
    (package / "inner" / "__init__.py").write_text("")
    (package / "inner" / "more.py").write_text("from ..table import X\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    forget_sources()
    names = {name.removeprefix("a_package_of_mine") for name in module_closure(["a_package_of_mine.kind"])}
    assert names == {".kind", ".table", ".inner", ".inner.more"}

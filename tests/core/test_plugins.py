import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rig.core.errors import UsageError
from rig.core.fingerprint import file_sha256
from rig.core.plugins import (
    all_plugins,
    forget_plugins,
    load_plugins,
    plugin_kinds,
    plugin_target,
    plugin_targets,
)

GOOD = """
class Mine:
    pass

FAMILIES = {"mine": Mine}
TASKS = {"ask": Mine}
KINDS = {"one": {"family": "mine", "options": {"a": 1}}}
"""


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    forget_plugins()
    yield
    forget_plugins()


def write(folder: Path, text: str, name: str = "some_plugin.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_adds_families_tasks_and_kinds(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    (plugin,) = load_plugins([path])
    assert plugin.name == "some_plugin.py"
    assert plugin.sha256 == file_sha256(path)
    assert plugin_target("FAMILIES", "mine") == "rig_plugin_some_plugin:Mine"
    assert plugin_targets("TASKS") == {"ask": "rig_plugin_some_plugin:Mine"}
    assert plugin_kinds() == {"one": {"name": "one", "family": "mine", "options": {"a": 1}}}
    assert plugin_target("FAMILIES", "other") is None


def test_a_file_runs_once_however_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = f"with open({str(tmp_path / 'runs')!r}, 'a') as file:\n    file.write('x')\n"
    path = write(tmp_path, f"{GOOD}\n{count}")
    monkeypatch.chdir(tmp_path)
    load_plugins([path, Path("some_plugin.py"), tmp_path / ".." / tmp_path.name / "some_plugin.py"])
    assert (tmp_path / "runs").read_text() == "x"
    assert len(all_plugins()) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X = 1", "adds nothing: it needs a FAMILIES, TASKS or KINDS table"),
        ("1 / 0", "failed with ZeroDivisionError: division by zero"),
        ("def f(:", "failed with SyntaxError"),
        ("import no_such_module_anywhere", "failed with ModuleNotFoundError: No module named"),
        ("FAMILIES = {'a': 3}", r"FAMILIES\['a'\] must be a class, got 3"),
        ("FAMILIES = ['a']", "FAMILIES must be a dict with names as keys"),
        ("KINDS = {'a': {}}", r"KINDS\['a'\] must be a dict with a `family`"),
        (
            "KINDS = {'a': {'family': 'f', 'options': {'x': lambda: 1}}}",
            r"a dict with a `family`, of ",
        ),
        ("KINDS = {'../x': {'family': 'f'}}", r"KINDS\['../x'\] must have a name of letters"),
        (
            "KINDS = {'a': {'family': 'f', 'name': 'b'}}",
            r"must have a name of .* same as its key",
        ),
        ("raise SystemExit(3)", "failed with SystemExit: 3"),
    ],
)
def test_a_wrong_file_is_refused_and_leaves_nothing(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_plugins([write(tmp_path, text)])
    assert all_plugins() == ()
    assert "rig_plugin_some_plugin" not in sys.modules


def test_a_missing_file_and_one_that_is_no_python_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="must be a Python file that exists"):
        load_plugins([tmp_path / "none.py"])
    with pytest.raises(UsageError, match="must be a Python file that exists"):
        load_plugins([write(tmp_path, "KINDS = {}", name="a.txt")])


def test_two_plugins_may_share_no_name(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    load_plugins([write(tmp_path, GOOD)])
    with pytest.raises(UsageError, match=r"two plugins have the file name 'some_plugin.py'"):
        load_plugins([write(tmp_path / "b", GOOD)])
    with pytest.raises(UsageError, match=r"some_plugin.py and other.py both add 'mine'"):
        load_plugins([write(tmp_path, GOOD, name="other.py")])


def test_an_installed_module_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "a_rig_package"
    package.mkdir()
    write(package, "", name="__init__.py")
    write(package, GOOD, name="tables.py")
    info = tmp_path / "a_rig_package-1.0.dist-info"
    info.mkdir()
    write(info, "Metadata-Version: 2.1\nName: a-rig-package\nVersion: 1.0\n", name="METADATA")
    write(info, "[rig.plugins]\nmine = a_rig_package.tables\n", name="entry_points.txt")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert plugin_target("FAMILIES", "mine") == "a_rig_package.tables:Mine"
    (plugin,) = all_plugins()
    assert (plugin.name, plugin.path) == ("mine", None)
    write(package, "1 / 0", name="tables.py")
    forget_plugins()
    sys.modules.pop("a_rig_package.tables")
    with pytest.raises(UsageError, match=r"installed plugin 'mine' .* failed with ZeroDivisionError"):
        all_plugins()

"""Plugins: a Python module, named by the user, that adds families of models, tasks and kinds.

A plugin is a file (`--plugin FILE.py`) or an installed module (entry point in the group `rig.plugins`).
Either way it holds up to three tables:

    FAMILIES = {"my_family": MyKind}       # a class after rig.models.base.AbstractKind
    TASKS = {"my_task": MyTask}            # a class after rig.tasks.base.AbstractTask
    KINDS = {"my_kind": {"family": "my_family"}}    # what conf/kind/my_kind.yaml would hold

A file is code that runs with the user's rights, so it is loaded only when the command names it. Its hash
stands in the report, and its syntax tree is part of the key of every cell that uses it.
"""

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, final

from rig.core.errors import ConfigError, UsageError
from rig.core.fingerprint import file_sha256

ENTRY_POINTS = "rig.plugins"
_PREFIX = "rig_plugin_"
_KIND_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)

Table = Literal["FAMILIES", "TASKS"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A loaded plugin."""

    name: str
    """The file's name, or the entry point's."""
    path: Path | None
    """The file; None for an installed module."""
    sha256: str
    """Of the source file."""
    families: Mapping[str, str]
    """Family to import path `module:Class`."""
    tasks: Mapping[str, str]
    """Task to import path `module:Class`."""
    kinds: Mapping[str, Mapping[str, Any]] = field(repr=False)
    """Kind to what its config file would hold."""


_files: dict[Path, Plugin] = {}


def load_plugins(paths: Iterable[Path]) -> tuple[Plugin, ...]:
    """Run plugin files, each once a process, and make what they add known.

    Args:
        paths: `.py` files; one that is loaded already is not run again.

    Returns:
        The plugins, in the order given.

    Raises:
        UsageError: A file is missing, fails, adds nothing, or adds a name that another plugin has.
    """
    plugins = []
    for given in paths:
        path = given.expanduser().resolve()
        if path not in _files:
            _files[path] = _load_file(path)
        plugins.append(_files[path])
    return tuple(plugins)


def all_plugins() -> tuple[Plugin, ...]:
    """The plugin files loaded so far, then the installed modules."""
    return (*_files.values(), *_installed())


def plugin_target(table: Table, name: str) -> str | None:
    """The import path that some plugin gives a family or a task; None if none knows the name."""
    return plugin_targets(table).get(name)


def plugin_targets(table: Table) -> dict[str, str]:
    """Every family or task that plugins add, by name."""
    return {
        name: target
        for plugin in all_plugins()
        for name, target in (plugin.families if table == "FAMILIES" else plugin.tasks).items()
    }


def plugin_kinds() -> dict[str, Mapping[str, Any]]:
    """Every kind that plugins add: name to what its config file would hold."""
    return {name: kind for plugin in all_plugins() for name, kind in plugin.kinds.items()}


def forget_plugins() -> None:
    """Forget every loaded file and installed module; a process may outlive an edit."""
    for path in list(_files):
        sys.modules.pop(_module_name(path), None)
    _files.clear()
    _installed.cache_clear()


def _load_file(path: Path) -> Plugin:
    if path.suffix != ".py" or not path.is_file():
        raise UsageError(f"--plugin must be a Python file that exists, got {path}")
    name = _module_name(path)
    if name in sys.modules:
        raise UsageError(f"two plugins have the file name '{path.name}'; rename one")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"--plugin {path} can't be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
        return _read(module, path.name, path, sha256=file_sha256(path))
    except UsageError:
        sys.modules.pop(name, None)
        raise
    except (Exception, SystemExit) as error:  # a user's code can raise anything
        sys.modules.pop(name, None)
        raise UsageError(f"--plugin {path} failed with {type(error).__name__}: {error}") from error


@cache
def _installed() -> tuple[Plugin, ...]:
    found = []
    for entry in sorted(metadata.entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        try:
            module = importlib.import_module(entry.value)
        except (Exception, SystemExit) as error:
            raise UsageError(
                f"the installed plugin '{entry.name}' ({entry.value}) failed with "
                f"{type(error).__name__}: {error}; repair or uninstall it"
            ) from error
        source = Path(str(module.__file__))
        found.append(_read(module, entry.name, None, sha256=file_sha256(source)))
    return tuple(found)


def _module_name(path: Path) -> str:
    return f"{_PREFIX}{path.stem}"


def _read(module: ModuleType, name: str, path: Path | None, *, sha256: str) -> Plugin:
    tables = {table: _table(module, name, table) for table in ("FAMILIES", "TASKS", "KINDS")}
    if not any(tables.values()):
        raise UsageError(
            f"plugin {name} adds nothing: it needs a FAMILIES, TASKS or KINDS table; see docs/adapters.md"
        )
    for table in ("FAMILIES", "TASKS"):
        for key, value in tables[table].items():
            if not isinstance(value, type):
                raise ConfigError(f"plugin {name}: {table}['{key}'] must be a class, got {value!r}")
    for key, value in tables["KINDS"].items():
        if not isinstance(value, Mapping) or "family" not in value or not _is_plain(value):
            raise ConfigError(
                f"plugin {name}: KINDS['{key}'] must be a dict with a `family`, of texts, numbers, lists and "
                f"dicts, got {value!r}"
            )
        if not _KIND_NAME.fullmatch(key) or value.get("name", key) != key:
            raise ConfigError(
                f"plugin {name}: KINDS['{key}'] must have a name of letters, digits and _, "
                "the same as its key"
            )
    for other in _files.values():
        for key in {**tables["FAMILIES"], **tables["TASKS"], **tables["KINDS"]}:
            if key in {**other.families, **other.tasks, **other.kinds}:
                raise UsageError(f"plugins {other.name} and {name} both add '{key}'; rename one")
    return Plugin(
        name=name,
        path=path,
        sha256=sha256,
        families={key: _target(value) for key, value in tables["FAMILIES"].items()},
        tasks={key: _target(value) for key, value in tables["TASKS"].items()},
        kinds={key: {"name": key, **value} for key, value in tables["KINDS"].items()},
    )


def _table(module: ModuleType, name: str, table: str) -> dict[str, Any]:
    held = getattr(module, table, {})
    if not isinstance(held, Mapping) or not all(isinstance(key, str) for key in held):
        raise ConfigError(f"plugin {name}: {table} must be a dict with names as keys, got {held!r}")
    return dict(held)


def _is_plain(value: object) -> bool:
    """Whether a config file could hold it."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float | bool)


def _target(value: type) -> str:
    return f"{value.__module__}:{value.__qualname__}"

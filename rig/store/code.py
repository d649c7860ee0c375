"""Which code a cell depends on, and one hash of it: modules as syntax trees, without docstrings and comments.

The closure of static imports from the cell's entry point, its kind's module and its tasks' modules, inside
`rig`, and of a plugin also inside its own package and into files that no installation holds. An edit to a
docstring, a comment or the layout of a line changes nothing; so do modules that a cell never imports (the
report, the command line).
"""

import ast
import hashlib
import importlib.util
import sysconfig
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from rig.core.fingerprint import file_sha256

_PACKAGE = "rig"
_INSTALLED = tuple(
    Path(sysconfig.get_path(place)).resolve() for place in ("stdlib", "platstdlib", "purelib", "platlib")
)
# `ctx` and `kind` carry no meaning of their own; `type_params` exists on newer Pythons only.
_SKIPPED_FIELDS = frozenset({"ctx", "kind", "type_comment", "type_ignores", "type_params"})


def code_fingerprint(roots: Iterable[str]) -> str:
    """SHA-256 over the modules that `roots` import, directly or not, inside the package.

    Args:
        roots: Dotted module names, inside the package or a user's own.

    Returns:
        64 hex digits; equal on every supported Python.
    """
    digest = hashlib.sha256()
    for module in sorted(module_closure(roots)):
        digest.update(f"{module}\0{_module_sha256(module)}\n".encode())
    return digest.hexdigest()


def source_hashes(roots: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of each source file behind `code_fingerprint`, by path: quick to take again."""
    paths = [_source_path(module) for module in sorted(module_closure(roots))]
    return {str(path): file_sha256(path) for path in paths if path is not None}


def forget_sources() -> None:
    """Read sources anew from now on; a process may outlive an edit."""
    for remembered in (_source_path, _tree, _imports_of, _module_sha256):
        remembered.cache_clear()


def module_closure(roots: Iterable[str]) -> set[str]:
    """The roots and every module that they import, directly or not, inside `rig` and their own packages."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        module = waiting.pop()
        if module in found or _source_path(module) is None:
            continue
        found.add(module)
        waiting.extend(_imports_of(module))
    return found


@cache
def _source_path(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except ModuleNotFoundError:
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    return Path(spec.origin).resolve()


@cache
def _tree(module: str) -> ast.Module:
    path = _source_path(module)
    if path is None:
        raise ModuleNotFoundError(module)
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _imports_of(module: str) -> tuple[str, ...]:
    names: set[str] = set()
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = _source_module(module, node)
            names.add(source)
            names.update(f"{source}.{alias.name}" for alias in node.names)
    return tuple(sorted(name for name in names if _is_followed(name, module)))


def _is_followed(name: str, importer: str) -> bool:
    """Inside `rig`, or the importer's own package; of a plugin also what lies outside any installation."""
    top, own = name.split(".")[0], importer.split(".")[0]
    if top in {_PACKAGE, own}:
        return True
    if own == _PACKAGE:
        return False
    path = _source_path(top)
    return path is not None and not any(path.is_relative_to(place) for place in _INSTALLED)


def _source_module(module: str, node: ast.ImportFrom) -> str:
    """The absolute name of what a `from ... import` takes from."""
    if not node.level:
        return node.module or ""
    path = _source_path(module)
    is_package = path is not None and path.name == "__init__.py"
    parts = module.split(".")
    kept = parts[: len(parts) - node.level + is_package]
    return ".".join([*kept, *([node.module] if node.module else [])])


@cache
def _module_sha256(module: str) -> str:
    return hashlib.sha256(repr(_canonical(_tree(module))).encode()).hexdigest()


def _canonical(node: Any) -> Any:
    """A node as nested tuples: type name and non-empty fields, docstrings dropped."""
    if isinstance(node, list):
        return tuple(_canonical(item) for item in node)
    if not isinstance(node, ast.AST):
        return node
    fields = []
    for name, value in ast.iter_fields(node):
        if name in _SKIPPED_FIELDS or value is None or value == []:
            continue
        items = _without_docstrings(value) if name == "body" and isinstance(value, list) else value
        fields.append((name, _canonical(items)))
    return (type(node).__name__, tuple(fields))


def _without_docstrings(body: list[ast.stmt]) -> list[ast.stmt]:
    """A body without text that stands alone: docstrings, and the notes under fields."""
    return [
        statement
        for statement in body
        if not (
            isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Constant)
            and isinstance(statement.value.value, str)
        )
    ]

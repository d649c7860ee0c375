"""The files that a command line names: what its result depends on, as far as the line tells.

An edit of one of them makes another cell. What a program reads beyond these, nobody can see from outside.
"""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

_MODULE_OPTION = "-m"
_SHEBANG = b"#!"


def files_on_line(arguments: Sequence[str]) -> tuple[Path, ...]:
    """The files named by a command's arguments, each once, in order.

    An argument counts if it is a file, `--option=FILE`, a folder (its Python files), a module after `-m` that
    lies below the working directory (the Python files of its package), or a line for a shell that holds one
    of these. The program itself counts if it is a script: an interpreter is of the machine, and its version
    stands in the environment.

    Args:
        arguments: With placeholders such as `{out}` as they are; a part with one names no file.
    """
    found = [path for index, part in enumerate(arguments) for path in _files_of(arguments, index, part)]
    return tuple(dict.fromkeys(found))


def _files_of(arguments: Sequence[str], index: int, part: str) -> Iterator[Path]:
    if "{" in part:
        return
    if index and arguments[index - 1] == _MODULE_OPTION:
        yield from _package(part)
        return
    path = Path(part.partition("=")[2] if part.startswith("-") and "=" in part else part)
    if path.is_dir():
        yield from sorted(path.rglob("*.py"))
    elif path.is_file():
        if index or _is_script(path):
            yield path
    elif index and " " in part:
        inner = _split(part)
        for place, piece in enumerate(inner):
            yield from _files_of(inner, place + 1, piece)


def _package(module: str) -> Iterator[Path]:
    top = Path(module.partition(".")[0])
    if top.is_dir():
        yield from sorted(top.rglob("*.py"))
    elif top.with_suffix(".py").is_file():
        yield top.with_suffix(".py")


def _is_script(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_SHEBANG)) == _SHEBANG


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []

"""The parsers that an option can name, as import paths, so that naming one imports no other."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rig.core.errors import ConfigError, did_you_mean
from rig.parsers.base import AbstractParser
from rig.parsers.model_files import model_paths

PARSERS: dict[str, str] = {
    "udpipe": "rig.parsers.udpipe:UDPipeParser",
    "stanza": "rig.parsers.stanza:StanzaParser",
}


def check_parser_options(options: Mapping[str, Any]) -> None:
    """Refuse wrong options without loading a model.

    Raises:
        ConfigError: An option is unknown or missing, or there is no such parser.
    """
    for key in options:
        if key not in {"name", "model"}:
            raise ConfigError(f"unknown option '{key}' of `parser`. {did_you_mean(key, ['name', 'model'])}")
    parser_target(str(options.get("name")))
    model = options.get("model")
    paths = [model] if isinstance(model, str) else list(model) if isinstance(model, list | tuple) else []
    if not paths or not all(isinstance(path, str) and path for path in paths):
        raise ConfigError(f"`parser.model` must be a name, a path or a list of paths, got {model!r}")


def parser_target(name: str) -> str:
    """The import path `module:Class` of a parser.

    Raises:
        ConfigError: No such parser.
    """
    if name not in PARSERS:
        raise ConfigError(f"unknown parser '{name}' in `parser.name`. {did_you_mean(name, PARSERS)}")
    return PARSERS[name]


def parser_files(options: Mapping[str, Any]) -> tuple[Path, ...]:
    """The files that a parser's numbers depend on: its models, and the table beside them if there is one."""
    paths = model_paths(options["model"]) if options["name"] == "udpipe" else (Path(options["model"]),)
    table = plausibility_path(options)
    return tuple(path for path in (*paths, table) if path is not None and path.is_file())


def build_parser(options: Mapping[str, Any]) -> AbstractParser:
    """The parser that `{"name": ..., "model": ...}` describes, its model loaded.

    Raises:
        ConfigError: An option is wrong, or the parser's package is not installed.
        DataError: A model file is missing or damaged.
    """
    check_parser_options(options)
    module, _, class_name = parser_target(options["name"]).partition(":")
    parser: AbstractParser = getattr(importlib.import_module(module), class_name)(options["model"])
    return parser


def plausibility_path(options: Mapping[str, Any]) -> Path | None:
    """The table of condition E that lies beside a UDPipe model, `MODEL.plausibility.json`, if there is one.

    For a chain it lies beside the last file. Other parsers have none: E is fitted when it is needed.
    """
    if options["name"] != "udpipe":
        return None
    last = model_paths(options["model"])[-1]
    path = table_beside(last)
    return path if path.is_file() else None


def table_beside(model: Path) -> Path:
    """Where a model's table of condition E lies: `nano_pt.plausibility.json` for `nano_pt.udpipe`."""
    return model.with_suffix(".plausibility.json")

"""What every family asks of a kind's config: options that it knows, and a declaration that fits it."""

from collections.abc import Iterable, Mapping
from typing import Any

from rig.core.errors import ConfigError, did_you_mean


def checked_options(kind: Mapping[str, Any], known: Iterable[str]) -> Mapping[str, Any]:
    """The `options` of a kind, each one that its family has.

    Raises:
        ConfigError: One is unknown.
    """
    options: Mapping[str, Any] = kind.get("options") or {}
    known = sorted(known)
    for name in options:
        if name not in known:
            raise ConfigError(
                f"unknown option '{name}' of kind '{kind['name']}' (family '{kind['family']}'). "
                f"{did_you_mean(name, known)}"
            )
    return options


def check_declared(kind: Mapping[str, Any], required: Mapping[str, Any]) -> None:
    """Hold what a kind declares of itself against what its family is.

    Raises:
        ConfigError: A field has another value.
    """
    for key, value in required.items():
        if kind[key] != value:
            raise ConfigError(
                f"`{key}` of kind '{kind['name']}' must be {value!r} for family '{kind['family']}', "
                f"got {kind[key]!r}"
            )

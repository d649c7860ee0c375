"""What kinds that are counted rather than trained ask of their config: no seed, no learning rate."""

from collections.abc import Iterable, Mapping
from typing import Any

from rig.core.errors import ConfigError, did_you_mean


def unseeded_options(config: Mapping[str, Any], known: Iterable[str]) -> Mapping[str, Any]:
    """The `options` of a kind that is one cell: causal, the same whatever the seed and the learning rate.

    Args:
        config: The cell's resolved config.
        known: The names of the options that the family has.

    Raises:
        ConfigError: The config declares another objective, a seed or a learning rate (its replicates would
            be copies, and a test over them a false one), or it has an unknown option.
    """
    kind = config["kind"]
    required = {"objective": "causal", "seeded": False, "has_lr": False}
    for key, value in required.items():
        if kind[key] != value:
            raise ConfigError(
                f"`{key}` of kind '{kind['name']}' must be {value!r} for family '{kind['family']}', "
                f"got {kind[key]!r}"
            )
    options: Mapping[str, Any] = kind.get("options") or {}
    known = sorted(known)
    for name in options:
        if name not in known:
            raise ConfigError(
                f"unknown option '{name}' of kind '{kind['name']}' (family '{kind['family']}'). "
                f"{did_you_mean(name, known)}"
            )
    return options

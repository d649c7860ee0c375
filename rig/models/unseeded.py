"""What kinds that are counted rather than trained ask of their config: no seed, no learning rate."""

from collections.abc import Iterable, Mapping
from typing import Any

from rig.models.kind_options import check_declared, checked_options


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
    check_declared(kind, {"objective": "causal", "seeded": False, "has_lr": False})
    return checked_options(kind, known)

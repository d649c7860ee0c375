"""The model families that a kind's config can name: `kind.family` to the class that builds it.

A literal table of import paths, so that naming a family imports nothing else, and so that the code that a
cell depends on can be found without running it. Plugins (`rig.core.plugins`) add to it.
"""

import importlib
from collections.abc import Mapping
from typing import Any

from rig.core.errors import ConfigError, did_you_mean
from rig.core.plugins import plugin_targets
from rig.models.base import AbstractKind

FAMILIES: dict[str, str] = {
    "transformer": "rig.models.transformer_kind:TransformerKind",
    "hf": "rig.models.hf.kind:HuggingFaceKind",
    "scores": "rig.models.scores_kind:ScoresKind",
    "command": "rig.models.command_kind:CommandKind",
    "ngram": "rig.models.ngram:NgramKind",
    "uniform": "rig.models.uniform:UniformKind",
}


def build_kind(config: Mapping[str, Any]) -> AbstractKind:
    """The kind that a cell's resolved config describes.

    Raises:
        ConfigError: The family is unknown, or one of its options is wrong.
    """
    target = family_target(config["kind"]["family"])
    module, _, name = target.partition(":")
    recipe = getattr(importlib.import_module(module), name)
    if not issubclass(recipe, AbstractKind):
        raise ConfigError(
            f"the family '{config['kind']['family']}' is {target}, which is no AbstractKind; "
            "see docs/adapters.md"
        )
    kind: AbstractKind = recipe(config)
    return kind


def family_target(family: str) -> str:
    """The import path `module:Class` of a family.

    Raises:
        ConfigError: No such family.
    """
    added = plugin_targets("FAMILIES")
    if taken := sorted(set(added) & set(FAMILIES)):
        raise ConfigError(f"a plugin adds the family '{taken[0]}', which rig has itself; rename the plugin's")
    known = {**added, **FAMILIES}
    if family not in known:
        raise ConfigError(f"unknown family '{family}' in a kind's config. {did_you_mean(family, known)}")
    return known[family]

"""Which groups of settings a kind's family reads, and whether a learning rate applies to it.

The configs of all kinds hold all groups. A checkpoint, a file of scores, a command or a plugin does not read
those of the built-in model, so nothing may be said of it from them (`rig.report.own_facts` says what can be).
"""

from collections.abc import Mapping
from typing import Any

_READ: Mapping[str, frozenset[str]] = {
    "transformer": frozenset({"model", "tokenizer", "train", "score"}),
    "ngram": frozenset({"tokenizer"}),
    "uniform": frozenset({"tokenizer"}),
}
"""Built-in family to the groups that it reads; `score` but for its split, which every kind is scored on."""


def is_built_in(kind: Mapping[str, Any]) -> bool:
    """Whether a kind of the record is made by rig itself, from its configs alone."""
    return kind["config"]["kind"]["family"] in _READ


def reads(kind: Mapping[str, Any], group: str) -> bool:
    """Whether a kind of the record depends on a group: `model`, `tokenizer`, `train` or `score`."""
    return group in _READ.get(kind["config"]["kind"]["family"], ())


def has_no_lr_of_ours(kind: Mapping[str, Any]) -> bool:
    """Whether no learning rate applies to a kind: loaded, or made without gradients."""
    return bool(kind["lock"]["label"] == "NOT APPLICABLE")

"""Is a data set what it says it is? Every rule over every row."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from rig.core.errors import DataError
from rig.data.annotation_rules import RULES
from rig.data.annotations import Annotations
from rig.data.block_view import BlockView
from rig.data.schema import SCHEMAS, SPLITS

N_SHOWN: int = 3
"""Offenders that a violation names."""

_IN_ORDER = "rows of all tables stand in the documents' order"
_EACH_SPLIT = "each split has documents"
_UNIQUE = {"documents": "doc_id is unique", "sentences": "sent_id is unique"}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RuleViolation:
    """A rule that some rows break."""

    rule: str
    """What should hold."""
    n_offenders: int
    """Rows that break it, >= 1."""
    first: tuple[str, ...]
    """The first few, named."""


def rule_names() -> tuple[str, ...]:
    """All that `validate` checks, in order."""
    return (_IN_ORDER, *(rule.name for rule in RULES), *_UNIQUE.values(), _EACH_SPLIT)


def validate(annotations: Annotations) -> list[RuleViolation]:
    """Every rule that the data set breaks, with how many rows break it; empty if it is valid."""
    counts: dict[str, int] = {}
    named: dict[str, list[str]] = {}
    for found in _findings(annotations):
        counts[found.rule] = counts.get(found.rule, 0) + found.n_offenders
        named.setdefault(found.rule, []).extend(found.first)
    return [
        RuleViolation(rule=rule, n_offenders=counts[rule], first=tuple(named[rule][:N_SHOWN]))
        for rule in rule_names()
        if rule in counts
    ]


def check(annotations: Annotations) -> None:
    """Refuse a data set that breaks any rule, at the first that is found.

    Raises:
        DataError: Names the rule and its first offenders.
    """
    for found in _findings(annotations):
        raise DataError(
            f"{annotations.folder}: it must hold that {found.rule}, but not so for {', '.join(found.first)} "
            f"({found.n_offenders} found so far); run `rig data validate` for the whole list"
        )


def _findings(annotations: Annotations) -> Iterator[RuleViolation]:
    """Violations block by block, the same rule possibly several times."""
    seen: dict[str, set[str]] = {table: set() for table in _UNIQUE}
    splits: set[str] = set()
    blocks = annotations.blocks(
        sentence_columns=SCHEMAS["sentences"].names, word_columns=SCHEMAS["words"].names
    )
    while True:
        try:
            block = next(blocks, None)
        except DataError as error:
            yield RuleViolation(rule=_IN_ORDER, n_offenders=1, first=(str(error),))
            return
        if block is None:
            break
        view = BlockView(block)
        splits.update(view.texts("documents", "split"))
        for rule in RULES:
            rows = np.flatnonzero(rule.broken(view))
            if rows.size:
                names = tuple(_name(view, rule.table, row) for row in rows[:N_SHOWN].tolist())
                yield RuleViolation(rule=rule.name, n_offenders=len(rows), first=names)
        for table, rule_name in _UNIQUE.items():
            ids = view.texts(table, SCHEMAS[table].names[table == "sentences"])
            twice = list(_repeats(ids, seen[table]))
            if twice:
                yield RuleViolation(
                    rule=rule_name, n_offenders=len(twice), first=tuple(map(repr, twice[:N_SHOWN]))
                )
    empty = tuple(split for split in SPLITS if split not in splits)
    if empty:
        yield RuleViolation(rule=_EACH_SPLIT, n_offenders=len(empty), first=empty)


def _repeats(ids: Iterable[str], seen: set[str]) -> Iterator[str]:
    for value in ids:
        if value in seen:
            yield value
        seen.add(value)


def _name(view: BlockView, table: str, row: int) -> str:
    """What to call a row."""
    rows = view.tables[table]
    if table == "documents":
        return f"document {rows['doc_id'][row].as_py()!r}"
    sentence = f"sentence {rows['sent_id'][row].as_py()!r}"
    return sentence if table == "sentences" else f"{sentence} word {rows['word_id'][row].as_py()}"

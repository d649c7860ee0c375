"""Two reports side by side: what differs in settings, data, code and locks, and in the values.

Read from the two folders alone; the cells are asked for their code's hash only where they are at hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import pyarrow.parquet as pq

from rig.core.errors import StoreError
from rig.core.fingerprint import flatten
from rig.report.locate import Located
from rig.report.record import read_record
from rig.store.cells import read_spec

ABSENT = "absent"
UNKNOWN = "unknown (its cells are not here)"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One item in which two reports differ."""

    item: str
    """Dotted key."""
    first: Any
    second: Any


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ValueDifference:
    """A kind's mean of a metric in two reports."""

    kind: str
    metric: str
    first: float | None
    second: float | None
    """None where a report does not have it."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ReportDifference:
    """Everything in which two reports differ."""

    items: Mapping[str, tuple[Difference, ...]]
    """Topic to its differences; a topic without any has none."""
    values: tuple[ValueDifference, ...]
    """Those that differ."""
    n_equal: int
    """Means that are equal to the last bit."""


def difference(first: Located, second: Located) -> ReportDifference:
    """Compare two reports.

    Raises:
        StoreError: A record or a table can't be read.
    """
    records = [read_record(located.folder) for located in (first, second)]
    items = {
        topic: _differences(*(of_record(record) for record in records))
        for topic, of_record in _TOPICS.items()
    }
    items["configs"] = _config_differences(*records)
    codes = [_code(record, at.runs) for record, at in zip(records, (first, second), strict=True)]
    items["code"] = _code_differences(*codes)
    values, n_equal = _values(first.folder, second.folder)
    return ReportDifference(items=items, values=values, n_equal=n_equal)


def _asked(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "baseline": record["baseline"],
        "kinds": [kind["name"] for kind in record["kinds"]],
        "seeds": record["seeds"],
        **flatten({"stats": record["stats"]}),
    }


def _data(record: Mapping[str, Any]) -> dict[str, Any]:
    data = record["data"]
    config = record["kinds"][0]["config"].get("data", {})
    return flatten(
        {"name": data["name"], "content": data["content"], "files": data["files"], "config": config}
    )


def _locks(record: Mapping[str, Any]) -> dict[str, Any]:
    shown = ("state", "label", "value", "lock_id", "sweep_id")
    return flatten({kind["name"]: {key: kind["lock"][key] for key in shown} for kind in record["kinds"]})


def _environment(record: Mapping[str, Any]) -> dict[str, Any]:
    return flatten({"environment": record["environment"], "git": record["git"]})


def _code(record: Mapping[str, Any], runs: Path) -> dict[str, str]:
    """Each kind's code hash, where a cell of it is at hand."""
    found = {}
    for kind in record["kinds"]:
        try:
            spec = read_spec(runs / "cells" / kind["cells"][0]["cell"])
        except StoreError:
            found[kind["name"]] = UNKNOWN
        else:
            found[kind["name"]] = spec.identity["code"]["sha256"]
    return found


def _code_differences(first: Mapping[str, str], second: Mapping[str, str]) -> tuple[Difference, ...]:
    """Kinds whose code differs, or can't be told to be the same."""
    differing = _differences(first, second)
    unknown = [name for name in first if first[name] == second.get(name) == UNKNOWN]
    return differing + tuple(Difference(item=name, first=UNKNOWN, second=UNKNOWN) for name in unknown)


_TOPICS = {
    "what was asked": _asked,
    "data": _data,
    "locks": _locks,
    "environment": _environment,
}


def _differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[Difference, ...]:
    names = dict.fromkeys((*first, *second))
    pairs = [(name, first.get(name, ABSENT), second.get(name, ABSENT)) for name in names]
    return tuple(Difference(item=name, first=one, second=two) for name, one, two in pairs if one != two)


def _config_differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Of the kinds in both; a difference that all of them have stands once."""
    configs = [
        {kind["name"]: _flat_config(kind["config"]) for kind in record["kinds"]} for record in (first, second)
    ]
    shared = [name for name in configs[0] if name in configs[1]]
    by_kind = {name: _differences(configs[0][name], configs[1][name]) for name in shared}
    in_all = [
        one
        for one in (by_kind[shared[0]] if len(shared) > 1 else ())
        if all(one in of_kind for of_kind in by_kind.values())
    ]
    found = [_renamed(one, "every kind") for one in in_all]
    for name, of_kind in by_kind.items():
        found += [_renamed(one, name) for one in of_kind if one not in in_all]
    return tuple(found)


def _flat_config(config: Mapping[str, Any]) -> dict[str, Any]:
    return flatten({group: value for group, value in config.items() if group not in ("data", "stats")})


def _renamed(one: Difference, kind: str) -> Difference:
    return Difference(item=f"{kind}: {one.item}", first=one.first, second=one.second)


def _values(first: Path, second: Path) -> tuple[tuple[ValueDifference, ...], int]:
    means = [_means(folder) for folder in (first, second)]
    keys = list(dict.fromkeys((*means[0], *means[1])))
    values = [
        ValueDifference(kind=key[0], metric=key[1], first=means[0].get(key), second=means[1].get(key))
        for key in keys
    ]
    differing = tuple(value for value in values if value.first != value.second)
    return differing, len(values) - len(differing)


def _means(folder: Path) -> dict[tuple[str, str], float | None]:
    path = folder / "aggregate.parquet"
    try:
        table = pq.read_table(path, columns=["kind", "metric", "mean"])
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} can't be read: {error}") from error
    return {(row["kind"], row["metric"]): row["mean"] for row in table.to_pylist()}

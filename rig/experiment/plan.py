"""Kinds and seeds to a plan: every cell with its key, before anything runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from rig.cell import code_roots, task_parsers
from rig.core.errors import UsageError, did_you_mean
from rig.core.fingerprint import file_sha256
from rig.core.plugins import all_plugins
from rig.experiment.config import IDENTITY_GROUPS
from rig.experiment.datasets import PreparedData
from rig.models.catalog import build_kind
from rig.parsers.catalog import parser_files
from rig.store.cells import CellSpec
from rig.store.code import code_fingerprint, source_hashes


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedKind:
    """One kind of a run: its final configuration and its cells."""

    name: str
    config: Mapping[str, Any]
    """The full configuration, plain values; what is hashed is in the cells."""
    cells: tuple[CellSpec, ...]
    """One a seed, in the order of the seeds; one in all for a kind that is not seeded."""


def plan_kind(config: Mapping[str, Any], seeds: Sequence[int], data: PreparedData) -> PlannedKind:
    """The cells of one kind.

    Args:
        config: The kind's full configuration, its learning rate decided.
        seeds: Distinct training seeds.
        data: The prepared data set.
    """
    kind = config["kind"]
    parsers = _parser_files(config)
    files = {**data.files, **parsers} if config["tasks"] else {}
    # The data's own files were hashed when they were prepared.
    known = {**data.file_hashes, **{role: file_sha256(path) for role, path in parsers.items()}}
    hashes = {role: known[role] for role in files}
    roots = code_roots(config)
    identity = {
        "config": {group: config[group] for group in IDENTITY_GROUPS},
        "data": {"name": data.name, "content": dict(data.content), "files": hashes},
        "code": {"sha256": code_fingerprint(roots)},
    }
    # Prose about a kind is no part of what it computes.
    identity["config"]["kind"] = {key: value for key, value in kind.items() if key != "description"}
    where = {
        "annotations": str(data.path),
        "files": {role: str(path) for role, path in data.files.items() if role in files},
        "sha256": {**data.table_hashes, **{str(files[role]): sha256 for role, sha256 in hashes.items()}},
        "code": source_hashes(roots),
        "plugins": [str(plugin.path) for plugin in all_plugins() if plugin.path is not None],
    }
    recipe = build_kind(config)
    cells = tuple(
        _cell(kind["name"], seed, identity, where, recipe.inputs(seed or 0))
        for seed in (seeds if kind["seeded"] else (None,))
    )
    return PlannedKind(name=kind["name"], config=config, cells=cells)


def _cell(
    kind: str,
    seed: int | None,
    identity: Mapping[str, Any],
    where: Mapping[str, Any],
    inputs: Mapping[str, Path],
) -> CellSpec:
    """A cell, with the files that its kind reads at this seed: another checkpoint is another cell."""
    hashes = {name: file_sha256(path) for name, path in inputs.items()}
    paths = {str(path.resolve()): hashes[name] for name, path in inputs.items()}
    return CellSpec(
        kind=kind,
        seed=seed,
        identity={**identity, "inputs": hashes},
        where={**where, "sha256": {**where["sha256"], **paths}},
    )


def _parser_files(config: Mapping[str, Any]) -> dict[str, Path]:
    """The models behind the tasks' parsers, by role: another model gives other numbers and another key."""
    return {
        f"{task}.parser.{index}": path
        for task, options in task_parsers(config).items()
        for index, path in enumerate(parser_files(options))
    }


def parse_names(text: str, option: str) -> list[str]:
    """A comma-separated list of distinct names.

    Raises:
        UsageError: Nothing was given, or a name is empty or repeated.
    """
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise UsageError(f"{option} must be names separated by commas, got '{text}'")
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise UsageError(f"{option} names '{repeated[0]}' twice; name each once")
    return names


def parse_seeds(text: str) -> list[int]:
    """A comma-separated list of distinct seeds, whole numbers >= 0 without leading zeros.

    Raises:
        UsageError: Anything else, with the part that is wrong.
    """
    seeds = []
    for part in (part.strip() for part in text.split(",")):
        if not (part.isascii() and part.isdigit()) or (len(part) > 1 and part.startswith("0")):
            raise UsageError(
                f"--seeds must be whole numbers separated by commas, such as 41,42,43; got '{part or text}'"
            )
        if int(part) in seeds:
            raise UsageError(f"--seeds gives {part} twice; a repeated seed is no new evidence")
        if int(part) >= 2**63:
            raise UsageError(f"--seeds must be below 2^63, got {part}")
        seeds.append(int(part))
    return seeds


def check_baseline(baseline: str | None, kinds: Sequence[str]) -> str:
    """The kind that others are compared with: the one named, else the first.

    Raises:
        UsageError: It is not among the kinds.
    """
    if baseline is None:
        return kinds[0]
    if baseline not in kinds:
        raise UsageError(f"--baseline '{baseline}' is not among --kinds. {did_you_mean(baseline, kinds)}")
    return baseline

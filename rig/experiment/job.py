"""The main job up to its cells: a request is checked whole, and becomes a plan, before anything runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from rig.cell import task_parsers
from rig.core.errors import ConfigError, UsageError, did_you_mean
from rig.core.fingerprint import fingerprint
from rig.experiment.config import ConfDir, compose_kind, find_conf_dir
from rig.experiment.datasets import PreparedData, prepare
from rig.experiment.lock import LockDecision, decide
from rig.experiment.plan import PlannedKind, check_baseline, plan_kind
from rig.metrics.catalog import METRICS
from rig.models.catalog import build_kind
from rig.parsers.catalog import build_parser
from rig.store.cells import CellSpec
from rig.tasks.base import TaskData
from rig.tasks.catalog import build_task

_SHARED_GROUPS = ("data", "stats", "score", "tasks", "task")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a user asked for."""

    kinds: Sequence[str]
    seeds: Sequence[int]
    baseline: str | None
    overrides: Sequence[str]
    cache: Path
    """Where the embedded language is generated once."""
    runs: Path = Path("runs")
    """The runs directory: a lock is held against its sweep's record where that lies there."""
    conf_dir: Path | None = None
    unlocked: bool = False
    strict: bool = False


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A checked request: what will run and what will be compared."""

    conf: ConfDir
    data: PreparedData
    seeds: tuple[int, ...]
    baseline: str
    kinds: tuple[PlannedKind, ...]
    locks: Mapping[str, LockDecision]
    """Kind to what its lock allowed."""
    stats: Mapping[str, Any]
    """The declared comparison; hashed here, before any cell runs."""
    stats_sha256: str

    @property
    def cells(self) -> tuple[CellSpec, ...]:
        """Every cell, kinds in the order given."""
        return tuple(cell for kind in self.kinds for cell in kind.cells)

    @property
    def report_id(self) -> str:
        """Content id of the report: the same job gives the same report."""
        content = {
            "cells": [cell.key for cell in self.cells],
            "baseline": self.baseline,
            "stats": self.stats_sha256,
            "locks": {name: [lock.label, lock.lock_id] for name, lock in self.locks.items()},
        }
        return f"tier1-{fingerprint(content)[:12]}"


def prepare_job(request: Request) -> Job:
    """Check everything that can be checked without training, locks included.

    Raises:
        UsageError: The command, a config or the data are wrong.
        LockError: A lock is missing, stale or overridden, and the request does not say `--unlocked`.
        LockTamperedError: A lock contradicts itself.
    """
    if not request.kinds or not request.seeds:
        raise UsageError("--kinds and --seeds must each name at least one")
    baseline = check_baseline(request.baseline, request.kinds)
    conf = find_conf_dir(request.conf_dir)
    configs = [compose_kind(conf, kind, request.overrides) for kind in request.kinds]
    for name, config in zip(request.kinds, configs, strict=True):
        if config["kind"]["name"] != name:
            raise ConfigError(
                f"conf/kind/{name}.yaml must say `name: {name}`, got '{config['kind']['name']}'"
            )
        differing = [group for group in _SHARED_GROUPS if config[group] != configs[0][group]]
        if differing:
            raise ConfigError(
                f"kind '{name}' has its own `{differing[0]}`; kinds of one table must share their data, "
                "scoring, tasks and statistics"
            )
        if config["score"]["split"] != "test":
            raise ConfigError("`score.split` must be test in the main job; a sweep reads validation")
    _check_measurable(configs)
    data = prepare(configs[0]["data"], conf=conf, cache=request.cache)
    _check_parsers(configs[0])  # the kinds share their tasks
    planned, locks = [], {}
    for config in configs:
        name = config["kind"]["name"]
        config, locks[name] = decide(
            config,
            conf=conf,
            data=data,
            seeds=request.seeds,
            overrides=request.overrides,
            unlocked=request.unlocked,
            strict=request.strict,
            runs=request.runs,
        )
        _check_buildable(config, data)
        planned.append(plan_kind(config, request.seeds, data))
    stats = configs[0]["stats"]
    return Job(
        conf=conf,
        data=data,
        seeds=tuple(request.seeds),
        baseline=baseline,
        kinds=tuple(planned),
        locks=locks,
        stats=stats,
        stats_sha256=fingerprint(stats),
    )


def _check_parsers(config: Mapping[str, Any]) -> None:
    """Load each UDPipe model once, which is quick: a damaged one would fail every cell after its training."""
    for options in task_parsers(config).values():
        if options["name"] == "udpipe":
            build_parser(options)


def _check_buildable(config: Mapping[str, Any], data: PreparedData) -> None:
    """Let the kind and the tasks refuse their options and files now, and the declaration its metrics."""
    build_kind(config)
    tasks = [
        build_task(name, config["task"].get(name, {}), TaskData(annotations=data.path, files=data.files))
        for name in config["tasks"]
    ]
    columns = [column.name for task in tasks for column in task.columns()]
    for name in columns:
        if columns.count(name) > 1 or name in METRICS:
            raise ConfigError(f"two columns would be named '{name}'; rename that of your task")
    known = [*METRICS, *columns]
    for name in (config["stats"]["primary"], *config["stats"]["family"]):
        if name not in known:
            raise ConfigError(
                f"`stats.family` names '{name}', which is no metric here. {did_you_mean(name, known)}"
            )


def _check_measurable(configs: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a declared metric that no kind of the job has, such as bits per character of masked kinds."""
    objectives = {config["kind"]["objective"] for config in configs}
    for name in configs[0]["stats"]["family"]:
        if name not in METRICS:
            continue
        metric = METRICS[name]
        if objectives.isdisjoint(metric.objectives):
            instead = "pppl_l2r" if "masked" in objectives else "bpc"
            raise ConfigError(
                f"`stats.family` declares '{name}', which only {' and '.join(metric.objectives)} kinds have "
                f"and there is none among these; set stats.primary={instead} stats.family=[{instead}]"
            )
        if "pll" in metric.sums and not configs[0]["score"]["pseudo_likelihood"]:
            raise ConfigError(
                f"`stats.family` declares '{name}', which is not measured with `score.pseudo_likelihood` "
                "false; set it to true"
            )

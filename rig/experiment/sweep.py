"""`rig sweep NAME`: train one kind at every value of a grid, choose on the validation split, lock the choice.

The points are ordinary cells, so they are cached, run in parallel, and a sweep that was killed goes on where
it stopped. Which setting is swept, and over what, conf/sweep/NAME.yaml says; nothing here knows it by name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, final

import rig
from rig.core.errors import ConfigError, LockTamperedError, RigError, UsageError, did_you_mean
from rig.experiment.config import ConfDir, at, check_overrides, compose_kind, with_value
from rig.experiment.curve import CurvePoint, choose
from rig.experiment.datasets import PreparedData
from rig.experiment.grid import grid_values
from rig.experiment.lock import LR, check_variable, decide_lr
from rig.experiment.lock_file import LockFile, check_lock_file, lock_of, lock_path, lock_token, replace_lock
from rig.experiment.lock_subject import CODE, Subject, changes, subject_of
from rig.experiment.plan import plan_kind
from rig.experiment.progress import Display
from rig.experiment.runner import Outcome, run_cells
from rig.experiment.sweep_record import SweepRecord, make_record, measured_loss, publish_record
from rig.metrics.catalog import metrics_of
from rig.store.cells import CellSpec
from rig.store.provenance import environment, git_state

_PROTOCOL = ("low", "high", "points", "scale", "steps", "seed", "metric", "split", "robust_width")
_TRAINED_GROUP = "train"
_CAUSAL_METRIC, _MASKED_METRIC = "ce", "mlm_ce"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSweep:
    """One kind's sweep, before anything runs."""

    name: str
    kind: str
    data_name: str
    variable: str
    values: tuple[float | int, ...]
    protocol: Mapping[str, Any]
    subject: Subject
    cells: tuple[CellSpec, ...]
    """One a value, in the order of the grid."""
    lock_path: Path
    lock_seen: str | None
    """What stood at the lock's place when the sweep was planned."""
    edge_allowed: str
    """Who allows a choice at the grid's edge: `--allow-edge`, `sweep.edge`, or nobody (empty)."""
    notes: tuple[str, ...]
    """What the learning rate's lock says, for a sweep of another setting."""


def sweep_config(conf: ConfDir, name: str, kind: str, overrides: Sequence[str]) -> dict[str, Any]:
    """The configuration that a kind's sweep trains under, its swept setting still as conf has it.

    The sweep sets train.steps (to sweep.steps), score.split (to sweep.split) and tasks (none).

    Args:
        conf: Where configs come from.
        name: A file of conf/sweep/.
        kind: A file of conf/kind/.
        overrides: `key=value` texts.

    Raises:
        ConfigError: Unknown sweep, kind or key; a metric that is not to be minimised.
        UsageError: An override that the sweep would overrule.
    """
    if name not in (known := conf.names("sweep")):
        raise ConfigError(f"there is no conf/sweep/{name}.yaml. {did_you_mean(name, known)}")
    check_overrides([*overrides, f"sweep={name}"])
    given = dict(text.split("=", 1) for text in overrides)
    if given.get("tasks", "[]").replace(" ", "") != "[]":
        raise UsageError(f"override 'tasks={given['tasks']}': a sweep asks no tasks; drop it")
    kept = [text for text in overrides if not text.startswith("tasks=")]
    config = compose_kind(conf, kind, [*kept, f"sweep={name}", "tasks=[]"])
    sweep = config["sweep"]
    check_variable(name, sweep["variable"])
    if sweep["variable"] in given:
        raise UsageError(
            f"override '{sweep['variable']}' has no effect: it is what the sweep varies; drop it"
        )
    for key, source in (("train.steps", "steps"), ("score.split", "split")):
        if key in given and at(config, key) != sweep[source]:
            raise UsageError(
                f"override '{key}={given[key]}' has no effect: a sweep takes sweep.{source} "
                f"({sweep[source]}); write sweep.{source}={given[key]}"
            )
        config = with_value(config, key, sweep[source])
    return _with_metric(config)


def _with_metric(config: Mapping[str, Any]) -> dict[str, Any]:
    """The config with a metric that its objective has: where conf says `ce`, a masked kind has `mlm_ce`.

    The choice among learning rates needs no pseudo-likelihood, which takes most of a masked cell's scoring.
    """
    objective, metric = config["kind"]["objective"], config["sweep"]["metric"]
    if objective == "masked" and metric == _CAUSAL_METRIC:
        metric = _MASKED_METRIC
    lower = [one.name for one in metrics_of(objective).values() if one.direction == "lower"]
    if metric not in lower:
        raise ConfigError(
            f"`sweep.metric` is '{metric}', which a {objective} kind does not have or does not minimise. "
            f"{did_you_mean(metric, lower)}"
        )
    config = with_value(config, "sweep.metric", metric)
    if objective == "masked":
        config = with_value(config, "score.pseudo_likelihood", metric != _MASKED_METRIC)
    return config


def not_applicable(config: Mapping[str, Any]) -> str:
    """Why a kind has nothing to sweep, as a sentence; empty if it has."""
    kind, variable = config["kind"], config["sweep"]["variable"]
    if variable.partition(".")[0] == _TRAINED_GROUP and not kind["has_lr"]:
        return (
            f"{kind['name']} has no learning rate: it is not trained by gradient, "
            f"so there is no `{variable}` to sweep"
        )
    return ""


def require_project(conf: ConfDir) -> None:
    """Locks are written below a project's conf folder, never into the installed package.

    Raises:
        UsageError: `conf` is the package's own.
    """
    if conf.path.name == "_conf" and conf.path.is_relative_to(Path(rig.__file__).parent):
        raise UsageError(
            f"a lock can't be written into the installed package ({conf.path}): copy that folder to conf/ in "
            "your project and run the command there, or pass --conf-dir DIR"
        )


def plan_sweep(
    name: str,
    config: Mapping[str, Any],
    *,
    conf: ConfDir,
    data: PreparedData,
    overrides: Sequence[str],
    runs: Path,
    allow_edge: bool,
) -> PlannedSweep:
    """Every point of a kind's sweep with its key. A sweep of another setting trains at the locked `lr`.

    Args:
        name: The sweep's name.
        config: From `sweep_config`.
        conf: Where locks lie.
        data: The prepared data set.
        overrides: `key=value` texts, for messages.
        runs: The runs directory.
        allow_edge: A choice at the grid's edge may be locked, and says so.

    Raises:
        ConfigError: The swept setting does not exist, or training does not depend on it.
        LockError, LockTamperedError: The learning rate that the sweep would train with is not locked.
    """
    sweep, kind = config["sweep"], config["kind"]
    variable = sweep["variable"]
    path = lock_path(conf.path, name=name, data_name=data.name, kind=kind["name"])
    notes: tuple[str, ...] = ()
    if name != LR:
        config, decision = decide_lr(config, conf=conf, data=data, overrides=overrides, runs=runs)
        notes = (f"{LR} {decision.value!r}, lock {decision.label}", *decision.notes)
    values = grid_values(
        sweep["low"], sweep["high"], sweep["points"], sweep["scale"], like=at(config, variable)
    )
    seed = sweep["seed"] if kind["seeded"] else None
    return PlannedSweep(
        name=name,
        kind=kind["name"],
        data_name=data.name,
        variable=variable,
        values=tuple(values),
        protocol={**{key: sweep[key] for key in _PROTOCOL}, "seed": seed},
        subject=subject_of(config, variable, data),
        cells=tuple(
            plan_kind(with_value(config, variable, value), [sweep["seed"]], data).cells[0] for value in values
        ),
        lock_path=path,
        lock_seen=lock_token(path),
        edge_allowed="--allow-edge" if allow_edge else "sweep.edge" if sweep["edge"] == "allow" else "",
        notes=notes,
    )


def run_sweep(
    planned: PlannedSweep, *, conf: ConfDir, runs: Path, jobs: int, engine: str, display: Display
) -> SweepRecord:
    """Run the points that are not done, and publish the record of the whole curve.

    Raises:
        RigError: A point failed (its cell can be run again: the curve would have a hole), or all diverged.
    """
    outcomes = run_cells(planned.cells, runs=runs, jobs=jobs, engine=engine, display=display)
    curve = _curve(planned, outcomes)
    _check_effect(planned, curve)
    choice = choose(curve)
    if choice is None:
        raise RigError(
            f"sweep {planned.name} of kind '{planned.kind}': training diverged at every value, from "
            f"{planned.values[0]!r} to {planned.values[-1]!r}; lower sweep.low and sweep.high"
        )
    record = make_record(
        name=planned.name,
        variable=planned.variable,
        kind=planned.kind,
        data_name=planned.data_name,
        protocol=planned.protocol,
        curve=curve,
        choice=choice,
        subject=planned.subject,
        created=_now(),
        environment={**environment(), "git": git_state(conf.path)},
    )
    publish_record(runs, record)
    return record


def _check_effect(planned: PlannedSweep, curve: Sequence[CurvePoint]) -> None:
    """A setting that changes nothing was not swept: its best value would be an accident of the tie rule."""
    losses = [point.loss for point in curve if point.loss is not None]
    if len(losses) > 1 and len(set(losses)) == 1:
        raise RigError(
            f"sweep {planned.name} of kind '{planned.kind}' made no lock: the loss is {losses[0]!r} at every "
            f"value, so `{planned.variable}` does not reach the training; does the kind's program use it?"
        )


def replaced_lock(planned: PlannedSweep) -> tuple[str, ...]:
    """What a user should know of a lock for other settings or data that the new one will replace."""
    try:
        old = check_lock_file(planned.lock_path)
    except LockTamperedError:
        return ()
    differing = [change.field for change in changes(old.subject, planned.subject) if change.field != CODE]
    if not differing:
        return ()
    return (
        f"replaces lock {old.lock_id} ({planned.name} {old.choice.value!r}), which was found under other "
        f"{', '.join(differing[:4])}{' ...' if len(differing) > 4 else ''}",
    )


def lock_sweep(planned: PlannedSweep, record: SweepRecord) -> LockFile:
    """Lock a record's choice.

    Raises:
        RigError: The optimum lies at the grid's edge and nobody allowed that. The record stays.
        LockError: The lock changed since the sweep was planned. The record stays.
    """
    choice = record.choice
    if choice.at_edge and not planned.edge_allowed:
        side, word = ("high", "raise") if choice.index else ("low", "lower")
        raise RigError(
            f"sweep {planned.name} of kind '{planned.kind}' made no lock: its best value {choice.value!r} "
            f"is the {'last' if choice.index else 'first'} of the grid, so the optimum may lie outside; "
            f"{word} sweep.{side}, or pass --allow-edge to lock it with a stamp"
        )
    lock = lock_of(record, created=_now(), edge_allowed=planned.edge_allowed)
    replace_lock(planned.lock_path, lock, seen=planned.lock_seen)
    return lock


def _curve(planned: PlannedSweep, outcomes: Sequence[Outcome]) -> tuple[CurvePoint, ...]:
    failed = [
        (value, outcome)
        for value, outcome in zip(planned.values, outcomes, strict=True)
        if outcome.done is None
    ]
    if failed:
        value, first = failed[0]
        raise RigError(
            f"sweep {planned.name} of kind '{planned.kind}' made no lock: {len(failed)} of {len(outcomes)} "
            f"points failed, first {planned.name}={value!r}: {first.error}; "
            "run the command again to finish it"
        )
    points = []
    for index, (value, outcome) in enumerate(zip(planned.values, outcomes, strict=True)):
        if outcome.done is None:
            continue
        status, loss = measured_loss(outcome.done, planned.protocol["metric"])
        points.append(
            CurvePoint(
                index=index,
                value=value,
                loss=loss,
                status="ok" if status == "ok" else "diverged",
                cell=outcome.spec.cell_id,
            )
        )
    return tuple(points)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

"""Whether a kind may use the values that sweeps chose for it, and what its rows say of that.

A kind with a learning rate needs the lock `lr`. Locks of other sweeps are optional: each one that lies in
conf/locks/ for the kind and data set is applied and checked as strictly. They stand in one order: `lr` was
chosen with everything else as conf has it, and every other lock was chosen at the locked learning rate with
the rest as conf has it; each is checked against just that.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

from rig.core.errors import ConfigError, LockError, UsageError
from rig.experiment.config import ConfDir, at, with_value
from rig.experiment.datasets import PreparedData
from rig.experiment.lock_file import lock_path
from rig.experiment.lock_state import SEVERITY, Finding, State, examine

LR = "lr"
LR_VARIABLE = "train.lr"
_SET_BY_A_SWEEP = ("score.split", "tasks", "task.", "sweep", "stats")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LockDecision:
    """What a run was allowed to use, and what it used."""

    state: State
    value: float | None
    """The value used: the lock's, or conf's for a row stamped UNLOCKED; None where the kind has none."""
    label: str
    """What each row says: `OK`, `UNLOCKED (missing)`, `UNLOCKED (stale: train.steps)`, and so on."""
    lock_id: str | None = None
    """First digits of the lock's self hash; None where the value is not the lock's."""
    sweep_id: str | None = None
    lock_path: Path | None = None
    sweep_path: Path | None = None
    """The sweep's record folder, where it is on this machine."""
    notes: tuple[str, ...] = ()
    """Sentences for the report: transfers, accepted drifts, an optimum at the grid's edge."""
    name: str = LR
    """The sweep's name."""
    variable: str = LR_VARIABLE
    """The setting that is locked."""
    protocol_sha256: str | None = None
    """Equal for kinds that were tuned on equal terms: same grid, steps, seed, metric."""
    others: "tuple[LockDecision, ...]" = ()
    """Locks of other sweeps of this kind. `state`, `label` and `notes` speak of them too."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a decision is made under."""

    seeds: tuple[int, ...]
    """The evaluation's training seeds."""
    overrides: tuple[str, ...]
    unlocked: bool
    strict: bool


def decide(
    config: Mapping[str, Any],
    *,
    conf: ConfDir,
    data: PreparedData,
    seeds: Sequence[int],
    overrides: Sequence[str],
    unlocked: bool,
    strict: bool,
    runs: Path = Path("runs"),
) -> tuple[dict[str, Any], LockDecision]:
    """Put a kind's locked values into its configuration, or refuse.

    Args:
        config: The kind's full configuration.
        conf: Where configs and locks come from.
        data: The prepared data set.
        seeds: The evaluation's training seeds; a value that was chosen on one of them is refused.
        overrides: `key=value` texts of the command line.
        unlocked: Use conf's values where a lock is missing, stale or overridden, and stamp the rows.
        strict: Code that changed since the sweep is an error, whether unlocked or not.
        runs: The runs directory; the sweep's record is compared where it is there.

    Returns:
        The configuration to run, and the decision.

    Raises:
        LockError: A lock is missing, stale or overridden, and `unlocked` is not given.
        LockTamperedError: A lock contradicts itself or its sweep's record, whatever the flags.
        UsageError: A lock's sweep seed is among `seeds`.
        ConfigError: `lock.transfer` or a name is wrong; two locks hold one setting.
    """
    terms = Terms(seeds=tuple(seeds), overrides=tuple(overrides), unlocked=unlocked, strict=strict)

    def look(name: str, under: Mapping[str, Any]) -> Finding:
        return examine(name, under, conf_path=conf.path, data=data, overrides=terms.overrides, runs=runs)

    ready, decision = _decide_lr(config, look, terms)
    return _decide_others(ready, decision, other_names(conf.path, config, data.name), look, terms)


def decide_lr(
    config: Mapping[str, Any],
    *,
    conf: ConfDir,
    data: PreparedData,
    overrides: Sequence[str],
    runs: Path,
) -> tuple[dict[str, Any], LockDecision]:
    """The learning rate alone, locked: what a sweep of another setting trains with. Raises as `decide`."""
    terms = Terms(seeds=(), overrides=tuple(overrides), unlocked=False, strict=False)

    def look(name: str, under: Mapping[str, Any]) -> Finding:
        return examine(name, under, conf_path=conf.path, data=data, overrides=terms.overrides, runs=runs)

    return _decide_lr(config, look, terms)


def other_names(conf_path: Path, config: Mapping[str, Any], data_name: str) -> tuple[str, ...]:
    """The sweeps beside `lr` that have a lock for a kind on a data set, by name."""
    kind = config["kind"]["name"]
    folder = lock_path(conf_path, name=LR, data_name=data_name, kind=kind).parents[2]
    found = sorted(path.parents[1].name for path in folder.glob(f"*/{data_name}/{kind}.json"))
    return tuple(name for name in found if name != LR)


def check_variable(name: str, variable: str) -> None:
    """The learning rate is swept under the name `lr`, and nothing else is.

    Raises:
        ConfigError: Otherwise; the main job would look for the learning rate's lock in the wrong place.
    """
    if (name == LR) != (variable == LR_VARIABLE):
        raise ConfigError(
            f"conf/sweep/{name}.yaml sweeps `{variable}`; the sweep of `{LR_VARIABLE}` must be called "
            f"`{LR}`, and no other may be"
        )


def sweep_command(name: str, kind: str, variable: str, overrides: Sequence[str]) -> str:
    """The command that makes a lock under the same settings."""
    kept = []
    for text in overrides:
        key = text.partition("=")[0]
        if key == "train.steps":
            kept.append(f"sweep.{text.removeprefix('train.')}")
        elif key == "sweep.steps" or not (key == variable or key.startswith(_SET_BY_A_SWEEP)):
            kept.append(text)
    return " ".join([f"rig sweep {name} --kinds {kind}", *map(shlex.quote, kept)])


def _decide_lr(
    config: Mapping[str, Any], look: Callable[[str, Mapping[str, Any]], Finding], terms: Terms
) -> tuple[dict[str, Any], LockDecision]:
    if not config["kind"]["has_lr"]:
        return dict(config), LockDecision(state="NOT APPLICABLE", value=None, label="NOT APPLICABLE")
    finding = look(LR, config)
    if finding.lock is not None:
        check_variable(LR, finding.lock.variable)
    return settle(finding, config, LR_VARIABLE, terms)


def _decide_others(
    config: dict[str, Any],
    decision: LockDecision,
    names: Sequence[str],
    look: Callable[[str, Mapping[str, Any]], Finding],
    terms: Terms,
) -> tuple[dict[str, Any], LockDecision]:
    ready = config
    others: list[LockDecision] = []
    for name in names:
        # Not `ready`: every further lock was chosen with the others' settings as conf has them.
        finding = look(name, config)
        variable = finding.lock.variable if finding.lock else ""
        _, other = settle(finding, config, variable, terms)
        check_variable(name, variable)
        if variable in [decision.variable, *(earlier.variable for earlier in others)]:
            raise ConfigError(f"two locks of kind '{finding.kind}' hold `{variable}`; delete {finding.path}")
        ready = with_value(ready, variable, other.value)
        others.append(other)
    return ready, _together(decision, others)


def settle(
    finding: Finding, config: Mapping[str, Any], variable: str, terms: Terms
) -> tuple[dict[str, Any], LockDecision]:
    """The table of docs/locks.md: from a lock's state and the flags to a value, or an error. See `decide`."""
    if finding.error is not None:
        raise finding.error
    lock = finding.lock
    is_usable = finding.state == "OK" or (finding.state == "STALE (code only)" and not terms.strict)
    if lock is not None and is_usable:
        _refuse_seed(finding, config, terms)
        decision = LockDecision(
            state=finding.state,
            value=lock.choice.value,
            label=finding.state,
            lock_id=lock.lock_id,
            sweep_id=lock.sweep_id,
            lock_path=finding.path,
            sweep_path=finding.sweep_folder,
            notes=_notes(finding),
            name=finding.name,
            variable=variable,
            protocol_sha256=lock.protocol_sha256,
        )
        return with_value(config, variable, lock.choice.value), decision
    in_conf = at(config, variable)
    # Under --strict a drift of the code is an error whatever else is allowed.
    if not terms.unlocked or finding.state == "STALE (code only)":
        raise LockError(_refusal(finding, variable, in_conf, terms))
    decision = LockDecision(
        state=finding.state,
        value=in_conf,
        label=f"UNLOCKED ({finding.reason})",
        notes=(f"`{variable}` is {in_conf!r} from conf, not from a lock ({finding.reason}).",),
        name=finding.name,
        variable=variable,
    )
    return dict(config), decision


def _refuse_seed(finding: Finding, config: Mapping[str, Any], terms: Terms) -> None:
    seed = finding.lock.protocol["seed"] if finding.lock else None
    if config["kind"]["seeded"] and seed in terms.seeds:
        raise UsageError(
            f"--seeds has {seed}, the seed on which `{finding.name}` of kind '{finding.kind}' was chosen "
            f"({finding.path}); evaluate on other seeds, or sweep on another one (--seed)"
        )


def _refusal(finding: Finding, variable: str, in_conf: Any, terms: Terms) -> str:
    """One sentence: what is wrong with the lock, where, and the ways out."""
    who = f"the {finding.name} lock of kind '{finding.kind}' on data '{finding.data_name}'"
    sweep = f"`{sweep_command(finding.name, finding.kind, variable, terms.overrides)}`"
    unlocked = f"--unlocked runs with conf's {variable}={in_conf!r} and stamps every row"
    match finding.state:
        case "MISSING":
            return f"{who} is missing ({finding.path}); make one: {sweep}; {unlocked}"
        case "OVERRIDE":
            return (
                f"{variable} is locked ({finding.path}) and was overridden; drop the override; or {unlocked}"
            )
        case _:
            differences = "; ".join(str(change) for change in finding.changed)
            name = "" if finding.name == LR else f" --sweep {finding.name}"
            code_only = finding.state == "STALE (code only)"
            tail = "drop --strict to run with a stamp" if code_only else unlocked
            return (
                f"{who} is stale ({finding.path}): {differences}; ways out: revert the change; sweep again: "
                f"{sweep}; accept it: `rig lock accept {finding.kind}{name} --reason TEXT` with the same "
                f"settings; or {tail}"
            )


def _notes(finding: Finding) -> tuple[str, ...]:
    lock = finding.lock
    if lock is None:
        return ()
    notes = [
        f"`{lock.variable}` was chosen at {change.field} {change.was}, and is used at {change.now} "
        "(declared in lock.transfer)."
        for change in finding.transferred
    ]
    if finding.state == "STALE (code only)":
        notes.append(f"The code changed since the sweep of {lock.name}: {finding.changed[0]}.")
    notes += [
        f"{entry['who']} accepted on {entry['when']}: {'; '.join(entry['changes'])}. "
        f"Reason: {entry['reason']}"
        for entry in lock.accepted
    ]
    if lock.choice.at_edge:
        notes.append(
            f"The best {lock.name} lies at the edge of its grid (allowed by {lock.edge_allowed}); "
            "a better one may lie outside."
        )
    if finding.sweep_folder is None:
        notes.append(f"The record of sweep {lock.sweep_id} is not on this machine.")
    return tuple(notes)


def _together(decision: LockDecision, others: Sequence[LockDecision]) -> LockDecision:
    """One decision for a row: the worst state, every label that is not OK, and all notes."""
    if not others:
        return decision
    bad = [other for other in others if other.state != "OK"]
    labels = [decision.label] if decision.state != "OK" or not bad else []
    labels += [f"{other.name}: {other.label}" for other in bad]
    applied = tuple(
        f"`{other.variable}` is {other.value!r} from sweep {other.sweep_id}, a search that kinds without "
        "that lock did not have."
        for other in others
        if other.lock_id is not None
    )
    return replace(
        decision,
        state=max((decision.state, *(other.state for other in bad)), key=SEVERITY.index),
        label="; ".join(labels),
        notes=(*decision.notes, *applied, *(note for other in others for note in other.notes)),
        others=tuple(others),
    )

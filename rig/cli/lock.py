"""`rig lock show|check|diff|accept`: look at locks, hold them against the present, take over a change."""

import getpass
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, final

import click

from rig.cli.options import conf_dir_option, plugin_option, runs_dir_option
from rig.core.errors import LockError, RigError, UsageError
from rig.core.plugins import load_plugins
from rig.experiment.config import ConfDir, compose_kind, find_conf_dir
from rig.experiment.datasets import PreparedData, prepare
from rig.experiment.lock import LR, LockDecision, decide, decide_lr, sweep_command
from rig.experiment.lock_file import (
    LockFile,
    accept_changes,
    check_lock_file,
    check_place,
    lock_path,
    lock_token,
    replace_lock,
)
from rig.experiment.lock_state import Finding, examine
from rig.experiment.lock_subject import keep_transfers


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def lock() -> None:
    """Values that sweeps chose and the main job must use: conf/locks/SWEEP/DATA/KIND.json."""


def _where(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every subcommand has, and its overrides."""
    for decorate in (
        click.argument("overrides", nargs=-1, metavar="[KEY=VALUE]..."),
        plugin_option,
        conf_dir_option,
        runs_dir_option,
        click.option(
            "--data", metavar="NAME", default=None, help="A data config, as the override data=NAME."
        ),
    ):
        command = decorate(command)
    return command


_sweep_option = click.option(
    "--sweep", "name", default=LR, show_default=True, help="Which lock: the sweep's name."
)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """One kind under the settings of the command line."""

    conf: ConfDir
    runs: Path
    overrides: tuple[str, ...]
    config: dict[str, Any]

    def prepare(self) -> PreparedData:
        return prepare(self.config["data"], conf=self.conf, cache=self.runs / "data")

    def find(self, name: str, data: PreparedData) -> Finding:
        """The state of one lock; a further lock is held against the locked learning rate."""
        config = self.config
        if name != LR and config["kind"]["has_lr"]:
            config, _ = decide_lr(config, conf=self.conf, data=data, overrides=self.overrides, runs=self.runs)
        return examine(
            name, config, conf_path=self.conf.path, data=data, overrides=self.overrides, runs=self.runs
        )

    def path(self, name: str) -> Path:
        return lock_path(
            self.conf.path, name=name, data_name=self.config["data"]["name"], kind=self.config["kind"]["name"]
        )


def _kind(
    kind: str,
    *,
    data: str | None,
    runs_dir: Path,
    conf_dir: Path | None,
    plugin: tuple[Path, ...],
    overrides: tuple[str, ...],
) -> _Kind:
    load_plugins(plugin)
    conf = find_conf_dir(conf_dir)
    given = (f"data={data}", *overrides) if data is not None else overrides
    return _Kind(conf=conf, runs=runs_dir, overrides=given, config=compose_kind(conf, kind, [*given]))


@lock.command()
@click.argument("kind")
@_sweep_option
@click.option("--json", "as_json", is_flag=True, help="The lock's content.")
@_where
def show(kind: str, name: str, as_json: bool, **where: Any) -> None:
    """Print KIND's lock: the value, the curve it was chosen from, what was accepted since."""
    settings = _kind(kind, **where)
    path = settings.path(name)
    if not path.exists():
        raise LockError(
            f"there is no {name} lock of kind '{kind}' ({path}); make one: "
            f"`{sweep_command(name, kind, '', settings.overrides)}`"
        )
    held = check_lock_file(path)
    check_place(path, held)
    click.echo(json.dumps(held.to_json(), indent=1, sort_keys=True) if as_json else _shown(held, path))


def _shown(held: LockFile, path: Path) -> str:
    edge = f", at the grid's edge (allowed by {held.edge_allowed})" if held.choice.at_edge else ""
    protocol, robust = held.protocol, held.robustness
    lines = [
        f"{held.name}_{held.kind}_best = {held.choice.value!r}  (val_loss {held.choice.loss:.6f}{edge})",
        f"  lock {held.lock_id}, {path}",
        f"  sweep {held.sweep_id}, created {held.created}",
        f"  {protocol['points']} values of {held.variable}, {protocol['steps']} steps, "
        f"seed {protocol['seed']}, {protocol['metric']} on {protocol['split']}",
        f"  {robust['verdict']}: {robust['width']:.2f} {robust['unit']} within {robust['tolerance']:.0%} "
        f"(robust from {robust['threshold']:g})",
    ]
    for point in held.curve:
        mark = "*" if point.index == held.choice.index else " "
        loss = "diverged" if point.loss is None else f"{point.loss:.6f}"
        lines.append(f"  {mark} {point.value!r:>24}  {loss}")
    lines += [
        f"  accepted by {entry['who']} on {entry['when']}: {'; '.join(entry['changes'])}; {entry['reason']}"
        for entry in held.accepted
    ]
    return "\n".join(lines)


@lock.command()
@click.argument("kind")
@click.option("--unlocked", is_flag=True, help="As in the main job: only tampering is an error.")
@click.option("--strict", is_flag=True, help="Code that changed since the lock is an error too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@_where
def check(kind: str, unlocked: bool, strict: bool, as_json: bool, **where: Any) -> int:
    """Hold KIND's locks against the present config, data and code; exits as the main job would."""
    settings = _kind(kind, **where)
    data = settings.prepare()
    try:
        _, decision = decide(
            settings.config,
            conf=settings.conf,
            data=data,
            seeds=(),
            overrides=settings.overrides,
            unlocked=unlocked,
            strict=strict,
            runs=settings.runs,
        )
    except LockError as error:
        if not as_json:
            raise
        click.echo(json.dumps(_refused(settings, data, error), indent=1, sort_keys=True))
        return error.exit_code
    click.echo(
        json.dumps(_decided(settings, decision), indent=1, sort_keys=True)
        if as_json
        else "\n".join([f"{kind}: {decision.label}{_used(decision)}", *(f"  {n}" for n in decision.notes)])
    )
    return 0


def _used(decision: LockDecision) -> str:
    if decision.value is None:
        return ""
    source = f"sweep {decision.sweep_id}" if decision.sweep_id else "conf"
    return f", {decision.variable}={decision.value!r} from {source}"


def _decided(settings: _Kind, decision: LockDecision) -> dict[str, Any]:
    return {
        "kind": settings.config["kind"]["name"],
        "data": settings.config["data"]["name"],
        "state": decision.state,
        "label": decision.label,
        "value": decision.value,
        "lock_id": decision.lock_id,
        "sweep_id": decision.sweep_id,
        "notes": list(decision.notes),
        "error": "",
        "exit_code": 0,
    }


def _refused(settings: _Kind, data: PreparedData, error: LockError) -> dict[str, Any]:
    finding = settings.find(LR, data)
    return {
        "kind": settings.config["kind"]["name"],
        "data": data.name,
        "state": finding.state,
        "label": finding.reason,
        "value": None,
        "lock_id": finding.lock.lock_id if finding.lock else None,
        "sweep_id": finding.lock.sweep_id if finding.lock else None,
        "changed": [
            {"field": change.field, "lock": change.was, "now": change.now} for change in finding.changed
        ],
        "notes": [],
        "error": str(error),
        "exit_code": error.exit_code,
    }


@lock.command()
@click.argument("kind")
@_sweep_option
@_where
def diff(kind: str, name: str, **where: Any) -> int:
    """Print what changed since KIND's value was chosen, field by field; exits 3 for anything undeclared."""
    settings = _kind(kind, **where)
    finding = _found(settings, settings.prepare(), name)
    for change in finding.changed:
        click.echo(str(change))
    for change in finding.transferred:
        click.echo(f"{change} (declared in lock.transfer)")
    if not finding.changed:
        click.echo("nothing undeclared changed since the sweep")
    return LockError.exit_code if finding.changed else 0


@lock.command()
@click.argument("kind")
@_sweep_option
@click.option("--reason", required=True, help="Why the value still holds; kept in the lock and the report.")
@click.option("--by", "who", default=None, help="Who takes responsibility (default: your user name).")
@_where
def accept(kind: str, name: str, reason: str, who: str | None, **where: Any) -> None:
    """Take over the changes since the sweep: KIND's value is declared good for the present settings.

    The lock keeps who, when, why, and every changed field; reports print them. A new sweep costs more and is
    better evidence.
    """
    if not reason.strip():
        raise UsageError("--reason must say why the value still holds, got nothing")
    settings = _kind(kind, **where)
    seen = lock_token(settings.path(name))
    finding = _found(settings, settings.prepare(), name)
    if finding.lock is None or finding.now is None or not finding.changed:
        raise UsageError(
            f"nothing changed since the {name} sweep of kind '{kind}', so there is nothing to accept"
        )
    entry = {
        "who": who or _user(),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "reason": reason.strip(),
        "changes": [str(change) for change in finding.changed],
    }
    accepted = accept_changes(finding.lock, keep_transfers(finding.now, finding.transferred), entry)
    replace_lock(finding.path, accepted, seen=seen)
    for line in entry["changes"]:
        click.echo(f"accepted {line}")
    click.echo(f"lock {finding.path} is now {accepted.lock_id}, was {finding.lock.lock_id}")


def _found(settings: _Kind, data: PreparedData, name: str) -> Finding:
    """A lock that is there and whole.

    Raises:
        LockError, LockTamperedError: It is not.
    """
    finding = settings.find(name, data)
    if finding.error is not None:
        raise finding.error
    if finding.lock is None:
        kind = settings.config["kind"]["name"]
        raise LockError(
            f"there is no {name} lock of kind '{kind}' ({finding.path}); make one: "
            f"`{sweep_command(name, kind, '', settings.overrides)}`"
        )
    return finding


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError) as error:
        raise RigError("your user name can't be found; say who accepts with --by NAME") from error

"""`rig audit`: check the models' adapters themselves, more thoroughly than each cell does."""

import itertools
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from rig.audit.checks import audit as audit_model
from rig.audit.finding import Finding
from rig.cli.options import conf_dir_option, plugin_option, runs_dir_option
from rig.core.errors import ConfigError
from rig.core.plugins import load_plugins
from rig.experiment.config import ConfDir, compose_kind, find_conf_dir
from rig.experiment.datasets import PreparedData, prepare
from rig.experiment.lock import decide
from rig.experiment.plan import parse_names
from rig.models.base import AbstractKind, Fit, TrainingText
from rig.models.catalog import build_kind
from rig.report.labels import short_state

_N_DOCUMENTS = 48
_STATUSES = ("passed", "failed", "not checked")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--kinds", required=True, metavar="K[,K...]", help="Kinds to check, one after the other.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="The training seed; of a kind with {seed} in its options, one that exists.  [default: 0]",
)
@runs_dir_option
@conf_dir_option
@plugin_option
@click.argument("overrides", nargs=-1, metavar="[KEY=VALUE]...")
def audit(
    kinds: str,
    seed: int | None,
    runs_dir: Path,
    conf_dir: Path | None,
    plugin: tuple[Path, ...],
    overrides: tuple[str, ...],
) -> int:
    """Are a kind's numbers what they are called? Shift, base, causal leak, padding, BOS, windows, dropout.

    Trains or loads each kind in a temporary folder, at its locked learning rate where there is one, and
    checks its adapter on training text. `train.steps=300` is enough where training is long. Exit code 1 if a
    check failed.
    """
    load_plugins(plugin)
    conf = find_conf_dir(conf_dir)
    configs = [compose_kind(conf, kind, overrides) for kind in parse_names(kinds, "--kinds")]
    if seed is None:
        for config in configs:
            _refuse_seed_unsaid(config["kind"])
        seed = 0
    data = prepare(configs[0]["data"], conf=conf, cache=runs_dir / "data")
    recipes = [
        _recipe(config, conf=conf, data=data, seed=seed, overrides=overrides, runs=runs_dir)
        for config in configs
    ]
    has_failed = False
    for config, (recipe, lock_label) in zip(configs, recipes, strict=True):
        name = config["kind"]["name"]
        findings = _audited(name, recipe, config["score"]["split"], data=data, seed=seed)
        shown = f"{name} seed {seed}" if config["kind"]["seeded"] else name
        click.echo(_table(f"{shown}, lock {lock_label}", findings) + "\n")
        has_failed = has_failed or any(finding.status == "failed" for finding in findings)
    return 1 if has_failed else 0


def _refuse_seed_unsaid(kind: Mapping[str, Any]) -> None:
    """A kind that is stored seed by seed has those seeds and no others; a command makes any.

    Raises:
        ConfigError: Of such a kind, which seed was not said.
    """
    stored = [name for name, value in kind["options"].items() if name != "command" and "{seed}" in str(value)]
    if stored:
        raise ConfigError(
            f"kind '{kind['name']}' is stored seed by seed (its option `{stored[0]}` has {{seed}} in it), "
            "and `rig audit` checks one; pass --seed with one that exists"
        )


def _recipe(
    config: Mapping[str, Any],
    *,
    conf: ConfDir,
    data: PreparedData,
    seed: int,
    overrides: Sequence[str],
    runs: Path,
) -> tuple[AbstractKind, str]:
    """The kind at its locked values, or at conf's; and which of these."""
    ready, decision = decide(
        config,
        conf=conf,
        data=data,
        seeds=(seed,),
        overrides=overrides,
        unlocked=True,
        strict=False,
        runs=runs,
    )
    return build_kind(ready), short_state(decision.label)


def _audited(
    name: str, recipe: AbstractKind, split: str, *, data: PreparedData, seed: int
) -> tuple[Finding, ...]:
    annotations = data.annotations
    text = TrainingText(
        train=tuple(annotations.documents("train")),
        validation=tuple(annotations.documents("validation")),
        held_out=tuple(annotations.documents(split)) if recipe.reads_held_out else (),
    )
    with tempfile.TemporaryDirectory() as out:
        fit = _fit(name, recipe, text, seed=seed, out=Path(out))
        known = text.train or text.validation
        if not fit.model.scores_any_text:
            known = tuple(itertools.islice(annotations.documents(split), _N_DOCUMENTS))
        return audit_model(fit.model, known[:_N_DOCUMENTS], thorough=True)


def _fit(name: str, recipe: AbstractKind, text: TrainingText, *, seed: int, out: Path) -> Fit:
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        bar = bars.add_task(f"training {name}", total=None, note="")

        def show(*, step: int, n_steps: int, loss: float) -> None:
            bars.update(bar, completed=step, total=n_steps, note=f"loss {loss:.3f}")

        return recipe.fit(text, seed=seed, out=out, progress=show)


def _table(title: str, findings: Sequence[Finding]) -> str:
    """One line a finding, and one for its effect; sentences are not cut, so that they can be searched."""
    counts = ", ".join(
        f"{sum(finding.status == status for finding in findings)} {status}" for status in _STATUSES
    )
    width = max(len(finding.check) for finding in findings) + 2
    lines = [f"{title}: {counts}", "", f"{'check':{width}}{'status':13}what was seen, and its effect"]
    for finding in findings:
        status = finding.status.upper() if finding.status == "failed" else finding.status
        lines.append(f"{finding.check:{width}}{status:13}{finding.sentence}")
        if finding.effect:
            lines.append(f"{'':{width + 13}}effect: {finding.effect}")
    return "\n".join(lines)

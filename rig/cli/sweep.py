"""`rig sweep NAME`: choose a setting of each kind on the validation split, and lock it."""

from pathlib import Path

import click
from rich.console import Console

from rig.cli.options import (
    conf_dir_option,
    engine_option,
    jobs_option,
    n_jobs,
    plugin_option,
    runs_dir_option,
)
from rig.core.errors import RigError
from rig.core.plugins import load_plugins
from rig.experiment.config import ConfDir, find_conf_dir
from rig.experiment.datasets import PreparedData, prepare
from rig.experiment.plan import parse_names
from rig.experiment.progress import TerminalDisplay
from rig.experiment.sweep import (
    PlannedSweep,
    lock_sweep,
    not_applicable,
    plan_sweep,
    replaced_lock,
    require_project,
    run_sweep,
    sweep_config,
)
from rig.experiment.sweep_record import sweep_folder
from rig.report.sweep_page import robustness_sentence, write_sweep_page


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name")
@click.option("--kinds", required=True, metavar="K[,K...]", help="Kinds to sweep, one after the other.")
@click.option("--points", type=click.IntRange(min=3), help="Values in the grid (sweep.points).")
@click.option("--seed", type=click.IntRange(min=0), help="The one training seed (sweep.seed).")
@jobs_option
@engine_option
@click.option("--allow-edge", is_flag=True, help="Lock a best value at the grid's edge; the lock says so.")
@runs_dir_option
@conf_dir_option
@plugin_option
@click.argument("overrides", nargs=-1, metavar="[KEY=VALUE]...")
def sweep(
    name: str,
    kinds: str,
    points: int | None,
    seed: int | None,
    jobs: int | None,
    engine: str,
    allow_edge: bool,
    runs_dir: Path,
    conf_dir: Path | None,
    plugin: tuple[Path, ...],
    overrides: tuple[str, ...],
) -> None:
    """Sweep what conf/sweep/NAME.yaml names, such as `lr`, over its grid, and lock each kind's best value.

    One seed, the validation split only. A kind's sweep finishes and locks before the next begins. Finished
    points are reused: after a kill, the same command goes on. Writes RUNS/sweeps/ID and
    CONF/locks/NAME/DATA/KIND.json.
    """
    load_plugins(plugin)
    at_once = n_jobs(jobs)
    conf = find_conf_dir(conf_dir)
    require_project(conf)
    given = list(overrides)
    given += [f"sweep.points={points}"] if points is not None else []
    given += [f"sweep.seed={seed}"] if seed is not None else []
    configs = {kind: sweep_config(conf, name, kind, given) for kind in parse_names(kinds, "--kinds")}
    reasons = {kind: not_applicable(config) for kind, config in configs.items()}
    for reason in filter(None, reasons.values()):
        click.echo(f"{reason}.")
    swept = [kind for kind, reason in reasons.items() if not reason]
    if not swept:
        return
    data = prepare(configs[swept[0]]["data"], conf=conf, cache=runs_dir / "data")

    def plan(kind: str) -> PlannedSweep:
        return plan_sweep(
            name, configs[kind], conf=conf, data=data, overrides=given, runs=runs_dir, allow_edge=allow_edge
        )

    for kind in swept:
        plan(kind)  # what is wrong with any kind is said before the first trains
    errors: list[RigError] = []
    for kind in swept:
        try:
            _sweep_one(plan(kind), conf=conf, data=data, runs=runs_dir, jobs=at_once, engine=engine)
        except RigError as error:
            if len(swept) == 1:
                raise
            errors.append(error)
            click.echo(f"Error: {error}", err=True)
    if errors:
        raise RigError(f"{len(errors)} of {len(swept)} sweeps of {name} made no lock; each is named above")


def _sweep_one(
    planned: PlannedSweep, *, conf: ConfDir, data: PreparedData, runs: Path, jobs: int, engine: str
) -> None:
    seed = planned.protocol["seed"]
    click.echo(
        f"sweep {planned.name}, kind {planned.kind}, data {data.name}: {len(planned.values)} values of "
        f"{planned.variable} from {planned.values[0]:g} to {planned.values[-1]:g}, "
        f"{planned.protocol['steps']} steps, {'no seed' if seed is None else f'seed {seed}'}, "
        f"{planned.protocol['metric']} on {planned.protocol['split']}"
    )
    for note in planned.notes:
        click.echo(f"  {note}")
    labels = {
        cell.cell_id: f"{planned.kind} {planned.name} {value:.3g}"
        for cell, value in zip(planned.cells, planned.values, strict=True)
    }
    with TerminalDisplay(Console(stderr=True), labels) as display:
        record = run_sweep(planned, conf=conf, runs=runs, jobs=jobs, engine=engine, display=display)
    folder = sweep_folder(runs, record.sweep_id)
    write_sweep_page(folder, record)
    click.echo(f"{planned.name}_{planned.kind}_best = {record.choice.value!r}")
    click.echo(f"  {robustness_sentence(record)}")
    click.echo(f"  record {folder / 'index.md'}")
    for note in replaced_lock(planned):
        click.echo(f"  {note}")
    lock = lock_sweep(planned, record)
    stamp = f", at the grid's edge (allowed by {lock.edge_allowed})" if lock.edge_allowed else ""
    click.echo(f"  lock {planned.lock_path} ({lock.lock_id}{stamp})")

"""`rig tier1`: train or load each kind at each seed, score held-out text, ask the tasks, write the tables."""

import dataclasses
import tempfile
from contextlib import nullcontext
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
from rig.cli.terminal import print_report
from rig.core.plugins import load_plugins
from rig.experiment.job import Job, Request, prepare_job
from rig.experiment.plan import parse_names, parse_seeds
from rig.experiment.progress import TerminalDisplay, label
from rig.experiment.runner import run_cells
from rig.report.build import build_report
from rig.report.labels import is_audit_failed
from rig.report.record import make_record
from rig.report.write import write_report
from rig.store.cells import cell_directory, is_done


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--kinds", required=True, metavar="K[,K...]", help="Kinds to compare: files of conf/kind/.")
@click.option("--seeds", required=True, metavar="S[,S...]", help="Training seeds, such as 41,42,43.")
@click.option("--baseline", metavar="K", help="The kind that others are compared with (default: the first).")
@jobs_option
@engine_option
@click.option("--unlocked", is_flag=True, help="Run without a valid lock; every row and table says so.")
@click.option("--strict", is_flag=True, help="Code that changed since the lock is an error too.")
@click.option("--dry-run", is_flag=True, help="Check everything, print the plan, run nothing.")
@runs_dir_option
@conf_dir_option
@plugin_option
@click.argument("overrides", nargs=-1, metavar="[KEY=VALUE]...")
def tier1(
    kinds: str,
    seeds: str,
    baseline: str | None,
    jobs: int | None,
    engine: str,
    unlocked: bool,
    strict: bool,
    dry_run: bool,
    runs_dir: Path,
    conf_dir: Path | None,
    plugin: tuple[Path, ...],
    overrides: tuple[str, ...],
) -> int:
    """Is a kind better than the baseline on held-out text and tasks, where, and how sure is that?

    Trains what it needs, scores the test split, and writes per-seed, aggregate and comparison tables under
    RUNS/reports. Finished cells are reused; the same command again computes nothing.
    """
    load_plugins(plugin)
    at_once = n_jobs(jobs)
    console = Console(stderr=True)
    request = Request(
        kinds=parse_names(kinds, "--kinds"),
        seeds=parse_seeds(seeds),
        baseline=baseline,
        overrides=overrides,
        cache=runs_dir / "data",
        runs=runs_dir,
        conf_dir=conf_dir,
        unlocked=unlocked,
        strict=strict,
    )
    if dry_run:
        with tempfile.TemporaryDirectory() as scratch:
            _print_plan(prepare_job(dataclasses.replace(request, cache=Path(scratch))), runs_dir)
        return 0
    with console.status("checking configs, locks and data") if console.is_terminal else nullcontext():
        job = prepare_job(request)
    with TerminalDisplay(console) as display:
        outcomes = run_cells(job.cells, runs=runs_dir, jobs=at_once, engine=engine, display=display)
    report = build_report(make_record(job, outcomes), runs_dir)
    lineage = {name: (lock.lock_path, lock.sweep_path) for name, lock in job.locks.items()}
    folder = write_report(report, runs_dir, lineage)
    print_report(report, folder)
    failed = [outcome for outcome in outcomes if outcome.done is None]
    for outcome in failed:
        where = f" Log: {outcome.log}" if outcome.log else ""
        console.print(
            f"{label(outcome.spec)} failed: {outcome.error}.{where}",
            style="red",
            markup=False,
            soft_wrap=True,
        )
    has_diverged = any(row.status == "diverged" for row in report.rows)
    has_wrong_adapter = any(is_audit_failed(kind) for kind in report.record["kinds"])
    return 1 if failed or has_diverged or has_wrong_adapter else 0


def _print_plan(job: Job, runs: Path) -> None:
    click.echo(f"conf {job.conf.path} ({job.conf.origin}); data {job.data.name}; baseline {job.baseline}")
    for kind in job.kinds:
        lock = job.locks[kind.name]
        value = "no learning rate" if lock.value is None else f"lr {lock.value!r}"
        click.echo(f"{kind.name}: {value}, lock {lock.label}")
    for spec in job.cells:
        state = "done" if is_done(cell_directory(runs, spec)) else "to do"
        click.echo(f"  {state:6}{label(spec):24}{spec.cell_id}")

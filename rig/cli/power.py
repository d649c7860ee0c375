"""`rig power`: how many seeds would resolve a difference, from a report's own spread."""

from pathlib import Path

import click

from rig.cli.options import runs_dir_option
from rig.core.errors import UsageError
from rig.report.comparison import Comparison, compare_kinds
from rig.report.content import Table, text_cells
from rig.report.labels import unit_name
from rig.report.locate import locate
from rig.report.markdown import table_text
from rig.report.numbers import decimals_for, fixed_text, level_text, value_text
from rig.report.planning import Planning, SeedsNeeded, plan_seeds
from rig.report.record import read_record
from rig.report.rows import column_catalog, seed_rows
from rig.stats.power import MAX_SEEDS_SEARCHED


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("report", required=False)
@click.option("--effect", type=float, required=True, metavar="X", help="The difference to find, in the unit.")
@click.option("--power", "chance", type=float, default=0.8, show_default=True, help="Chance to find it.")
@runs_dir_option
def power(report: str | None, effect: float, chance: float, runs_dir: Path) -> None:
    """How many seeds would resolve a difference X of the primary metric?

    From the standard deviation of the report's own paired differences, which at few seeds is itself
    uncertain: the answer is given for both ends of its interval too. For a perplexity X is a difference of
    its logarithm.
    """
    located = locate(report, runs_dir)
    record = read_record(located.folder)
    stats = record["stats"]
    level, primary = stats["confidence_level"], stats["primary"]
    if not 0.0 < effect < float("inf"):
        raise UsageError(f"--effect must be a positive difference, got {effect}")
    if not 1.0 - level < chance < 1.0:
        raise UsageError(f"--power must lie between {1.0 - level:.3g} and 1, got {chance}")
    rows = seed_rows(record, located.runs)
    comparisons = compare_kinds(rows, column_catalog(rows), record)
    n_tests = max(sum(c.is_declared and c.p_holm is not None for c in comparisons), 1)
    parts = []
    for comparison in comparisons:
        if comparison.column.name != primary:
            continue
        plan = plan_seeds(comparison, effect=effect, confidence_level=level, power=chance, n_tests=n_tests)
        parts.append(
            _nothing(comparison) if plan is None else _text(plan, comparison, effect, chance, level, n_tests)
        )
    if not parts:
        raise UsageError(
            f"{located.folder.name} compares no two seeded kinds, so there is no spread to plan from"
        )
    click.echo("\n\n".join(parts).replace("**", ""))


def _nothing(comparison: Comparison) -> str:
    tested = comparison.tested
    reason = comparison.not_compared
    if not reason and tested is not None and tested.t is not None and tested.t.reason:
        reason = tested.t.reason
    return f"{comparison.kind}: no spread of differences to plan from ({reason or 'no pair of seeds'})."


def _text(
    plan: Planning, comparison: Comparison, effect: float, chance: float, level: float, n_tests: int
) -> str:
    observed, low, high = plan.needed
    unit = "log" if comparison.column.is_log_scale else unit_name(comparison.column.unit)
    name = f"{plan.metric}{f' ({unit})' if unit else ''}"
    header = ["std of the differences", "value", "seeds"]
    if n_tests > 1:
        header.append(f"seeds at alpha / {n_tests}")
    lines = [
        (f"as observed over {plan.n_pairs} seeds", observed),
        (f"low end of its {level_text(level)} interval", low),
        (f"high end of its {level_text(level)} interval", high),
    ]
    needed = Table(
        caption=(
            f"{plan.kind} minus {comparison.baseline}, {name}: seeds to find a true difference of "
            f"{effect:g} with power {level_text(chance)} at {level_text(level)} confidence"
        ),
        header=tuple(header),
        rows=tuple(text_cells(label, *_needed(entry, n_tests)) for label, entry in lines),
    )
    decimals = decimals_for(min(value for _, value in plan.detectable), least=3)
    detectable = Table(
        caption=(
            "Smallest true difference that so many seeds find, with the observed std "
            f"({value_text(observed.std)})"
        ),
        header=("seeds", *(str(n) for n, _ in plan.detectable)),
        rows=(text_cells("difference", *(fixed_text(value, decimals) for _, value in plan.detectable)),),
    )
    return f"{table_text(needed)}\n\n{table_text(detectable)}"


def _needed(entry: SeedsNeeded, n_tests: int) -> list[str]:
    counts = [entry.n_seeds] if n_tests == 1 else [entry.n_seeds, entry.n_seeds_family]
    return [value_text(entry.std), *(_count(count) for count in counts)]


def _count(count: int | None) -> str:
    return f"more than {MAX_SEEDS_SEARCHED}" if count is None else str(count)

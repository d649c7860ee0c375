"""The page of a sweep: its curve as a table and a figure, the choice, how much the choice matters.

A pure function of the record: the same record gives the same bytes, with the same matplotlib.
"""

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from rig.core.files import atomic_path, write_text
from rig.experiment.robustness import Robustness
from rig.experiment.sweep_record import SweepRecord
from rig.metrics.catalog import METRICS

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "rig",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def write_sweep_page(folder: Path, record: SweepRecord) -> None:
    """Write index.md and curve.svg beside a sweep's record."""
    write_curve(folder / "curve.svg", record)
    write_text(folder / "index.md", sweep_page(record))


def sweep_page(record: SweepRecord) -> str:
    """The page as Markdown."""
    name, choice, protocol = record.name, record.choice, record.protocol
    metric = METRICS[protocol["metric"]]
    seed = "no seed (the kind is not seeded)" if protocol["seed"] is None else f"seed {protocol['seed']}"
    lines = [
        f"# Sweep of {name}: {record.kind} on {record.data_name}",
        "",
        f"`{name}_{record.kind}_best = {choice.value!r}`",
        "",
        f"- id: `{record.sweep_id}`; hash of the record: `{record.sha256}`",
        f"- varied: `{record.variable}`, {protocol['points']} values from {protocol['low']:g} to "
        f"{protocol['high']:g}, {'evenly spaced in log' if protocol['scale'] == 'log' else 'evenly spaced'}",
        f"- held: {seed}, {protocol['steps']} steps; the rest is in sweep.json under `subject`",
        f"- val_loss: {metric.name} ({metric.unit or 'no unit'}) on the {protocol['split']} split; "
        f"{metric.definition}",
        f"- rule: {record.content['rule']}",
        f"- {robustness_sentence(record)}",
    ]
    if choice.at_edge:
        lines.append("- **the best value lies at the edge of the grid: a better one may lie outside**")
    n_diverged = sum(point.status == "diverged" for point in record.curve)
    if n_diverged:
        lines.append(f"- training diverged at {n_diverged} of {len(record.curve)} values")
    lines += [
        "",
        f"![{metric.name} on the {protocol['split']} split against {name}](curve.svg)",
        "",
        f"| | {name} | val_loss | above the best | status | cell |",
        "|---|---:|---:|---:|---|---|",
    ]
    for point in record.curve:
        mark = "**chosen**" if point.index == choice.index else ""
        loss, above = "", ""
        if point.loss is not None:
            loss = f"{point.loss:.6f}"
            above = f"{100 * (point.loss - choice.loss) / abs(choice.loss):.2f}%" if choice.loss else ""
        lines.append(f"| {mark} | {point.value!r} | {loss} | {above} | {point.status} | `{point.cell}` |")
    lines += [
        "",
        "Values and losses stand exactly in sweep.json. A diverged point is finished, and has no loss.",
        "",
    ]
    return "\n".join(lines)


def robustness_sentence(record: SweepRecord) -> str:
    """`robust` or `fragile`, with the measured width and the threshold."""
    held = record.robustness
    measured = Robustness(
        low=held["low"],
        high=held["high"],
        width=held["width"],
        unit=held["unit"],
        reaches_grid_end=held["reaches_grid_end"],
        threshold=held["threshold"],
    )
    return measured.sentence(record.name)


def write_curve(path: Path, record: SweepRecord) -> None:
    """Draw loss against the swept value: the choice marked, the range within 1% shaded, divergence shown."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(5.6, 3.4), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        is_log = record.protocol["scale"] == "log"
        axes.set_xscale("log" if is_log else "linear")
        finished = [(point.value, point.loss) for point in record.curve if point.loss is not None]
        axes.plot(*zip(*finished, strict=True), marker="o", markersize=4, color="#33658a", label="finished")
        held = record.robustness
        axes.axvspan(held["low"], held["high"], color="#33658a", alpha=0.12, linewidth=0, label="within 1%")
        axes.plot(
            [record.choice.value], [record.choice.loss], marker="o", markersize=9, linestyle="none",
            markerfacecolor="none", markeredgecolor="#c1440e", markeredgewidth=1.8, label="chosen",
        )  # fmt: skip
        diverged = [point.value for point in record.curve if point.loss is None]
        if diverged:
            axes.plot(
                diverged, [0.97] * len(diverged), marker="x", linestyle="none", color="#c1440e",
                transform=axes.get_xaxis_transform(), label="diverged",
            )  # fmt: skip
        metric = METRICS[record.protocol["metric"]]
        unit = f" ({metric.unit})" if metric.unit else ""
        axes.set_xlabel(record.variable)
        axes.set_ylabel(f"{metric.name} on {record.protocol['split']}{unit}")
        axes.set_title(f"{record.kind} on {record.data_name}", fontsize=10)
        axes.legend(frameon=False, fontsize=8)
        with atomic_path(path) as temporary:
            figure.savefig(temporary, format="svg", metadata={"Date": None, "Creator": None})

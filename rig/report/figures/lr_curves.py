"""The learning-rate curves of all kinds in one figure, with the chosen points."""

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rig.experiment.sweep_record import SweepRecord, check_sweep_record
from rig.metrics.catalog import METRICS
from rig.report.build import Report
from rig.report.figures.style import INK, draw_svg, series

_RING: dict[str, Any] = {
    "marker": "o",
    "markersize": 11,
    "markerfacecolor": "none",
    "markeredgecolor": INK,
    "markeredgewidth": 1.2,
    "linestyle": "none",
}


def draw_lr_curves(report: Report, folder: Path, path: Path) -> str | None:
    """Draw the sweeps that the report holds copies of.

    Raises:
        StoreError: A copy is damaged.
        VerificationError: A copy contradicts itself.
    """
    sweeps = {}
    for position, kind in enumerate(report.record["kinds"]):
        copy = folder / "sweeps" / str(kind["lock"]["sweep_id"]) / "sweep.json"
        if kind["lock"]["sweep_id"] and copy.exists():
            sweeps[position] = check_sweep_record(copy)
    if not sweeps:
        return None
    first = next(iter(sweeps.values()))
    metric = METRICS[first.protocol["metric"]]

    def plot(figure: Figure) -> None:
        axes = figure.subplots()
        axes.set_xscale("log" if first.protocol["scale"] == "log" else "linear")
        for position, sweep in sweeps.items():
            _curve(axes, sweep, position)
        axes.plot([], [], **_RING, label="chosen")
        axes.set_xlabel(first.variable)
        axes.set_ylabel(
            f"{metric.name} on {first.protocol['split']}{f' ({metric.unit})' if metric.unit else ''}"
        )
        figure.legend(loc="outside lower center", ncols=4)

    draw_svg(path, width=6.4, height=3.8, plot=plot)
    return (
        f"Loss on the {first.protocol['split']} split against {first.variable}, one seed; rings mark what "
        "was chosen and locked, crosses at the top the values at which training diverged."
    )


def _curve(axes: Axes, sweep: SweepRecord, position: int) -> None:
    style = series(position)
    finished = [(point.value, point.loss) for point in sweep.curve if point.loss is not None]
    axes.plot(
        *zip(*finished, strict=True), color=style.colour, marker=style.marker, linestyle=style.line,
        markersize=4, label=sweep.kind,
    )  # fmt: skip
    axes.plot([sweep.choice.value], [sweep.choice.loss], **_RING)
    diverged = [point.value for point in sweep.curve if point.loss is None]
    axes.plot(
        diverged, [0.98 - 0.04 * position] * len(diverged), marker="x", linestyle="none", color=style.colour,
        transform=axes.get_xaxis_transform(),
    )  # fmt: skip

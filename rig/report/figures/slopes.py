"""Paired slopes: each seed a line from kind to kind, a panel a metric."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rig.metrics.catalog import METRICS
from rig.report.build import Report
from rig.report.figures.style import draw_svg, series

_SHOWN = ("bpc", "ppl", "word_ppl", "pppl_l2r", "mlm_accuracy")
_MOST_PANELS = 9
_COLUMNS = 3


def draw_slopes(report: Report, folder: Path, path: Path) -> str | None:
    """Draw the seeded kinds' values; nothing with fewer than two kinds."""
    del folder
    record = report.record
    baseline = record["baseline"]
    seeded = [kind["name"] for kind in record["kinds"] if kind["config"]["kind"]["seeded"]]
    kinds = sorted(seeded, key=lambda name: name != baseline)  # stable: the baseline first
    tasks = [name for name in report.catalog if name not in METRICS]
    wanted = dict.fromkeys((record["stats"]["primary"], *_SHOWN, *tasks))
    lines = {name: _lines(report, name, kinds) for name in wanted}
    names = [name for name, of_name in lines.items() if of_name][:_MOST_PANELS]
    if len(kinds) < 2 or not names:
        return None
    n_rows = -(-len(names) // _COLUMNS)
    n_columns = min(len(names), _COLUMNS)
    seeds = list(record["seeds"])

    def plot(figure: Figure) -> None:
        grid: Any = figure.subplots(n_rows, n_columns, squeeze=False)
        panels = list(grid.ravel())
        for axes, name in zip(panels, names, strict=False):
            _panel(axes, lines[name], kinds, seeds)
            unit = report.catalog[name].unit
            axes.set_title(f"{name}{f' ({unit})' if unit else ''}")
        for axes in panels[len(names) :]:
            axes.set_visible(False)
        handles: dict[str, Any] = {}
        for axes in panels:
            handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        ordered = [f"seed {seed}" for seed in seeds if f"seed {seed}" in handles]
        figure.legend(
            handles=[handles[label] for label in ordered],
            loc="outside lower center",
            ncols=min(len(ordered), 5),
        )

    draw_svg(path, width=2.3 * n_columns + 0.4, height=2.1 * n_rows + 0.5, plot=plot)
    return (
        "Each training seed is a line from kind to kind. Lines that move together are what pairing gains "
        "from."
    )


def _lines(report: Report, name: str, kinds: Sequence[str]) -> dict[int, dict[int, float]]:
    """Seed to the position of each kind and its value; seeds that at least two kinds have."""
    lines: dict[int, dict[int, float]] = {}
    for row in report.rows:
        value = row.values.get(name)
        if row.seed is not None and row.kind in kinds and value is not None:
            lines.setdefault(row.seed, {})[kinds.index(row.kind)] = value
    return {seed: points for seed, points in sorted(lines.items()) if len(points) > 1}


def _panel(
    axes: Axes, lines: dict[int, dict[int, float]], kinds: Sequence[str], seeds: Sequence[int]
) -> None:
    for seed, points in lines.items():
        style = series(seeds.index(seed))
        positions = sorted(points)
        axes.plot(
            positions, [points[position] for position in positions], color=style.colour, marker=style.marker,
            linestyle=style.line, label=f"seed {seed}",
        )  # fmt: skip
    is_crowded = sum(len(kind) for kind in kinds) > 22
    axes.set_xticks(
        range(len(kinds)), kinds, rotation=30 if is_crowded else 0, ha="right" if is_crowded else "center"
    )
    axes.set_xlim(-0.3, len(kinds) - 0.7)
    axes.grid(axis="x", visible=False)
    axes.ticklabel_format(axis="y", useOffset=False)

"""Forest plot: each variant's difference from the baseline with its t and its bootstrap interval."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rig.metrics.catalog import METRICS
from rig.report.build import Report
from rig.report.comparison import Comparison
from rig.report.figures.style import INK, draw_svg, series, shown_difference, zero_line
from rig.stats.paired import PairedComparison

_SHOWN = ("bpc", "ce", "ppl", "word_ppl", "pppl_l2r", "pppl", "word_pppl_l2r", "mlm_accuracy")
_ROW_INCHES = 0.34
_PANEL_INCHES = 0.75

PanelKey = tuple[str, bool, str]
"""Unit, whether on a logarithm, which way is better."""
Panel = tuple[PanelKey, list[Comparison]]


def draw_forest(report: Report, folder: Path, path: Path) -> str | None:
    """Draw differences with an interval; metrics of one unit share a panel."""
    del folder
    panels = _panels(report)
    if not panels:
        return None
    n_rows = [len(rows) for _, rows in panels]
    variants = list(dict.fromkeys(comparison.kind for comparison in report.comparisons))

    def plot(figure: Figure) -> None:
        grid: Any = figure.subplots(len(panels), 1, squeeze=False, height_ratios=[n + 0.6 for n in n_rows])
        for axes, (key, rows) in zip(grid[:, 0], panels, strict=True):
            _panel(axes, key, rows, variants)
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)

    height = 0.5 + sum(n * _ROW_INCHES + _PANEL_INCHES for n in n_rows)
    draw_svg(path, width=6.4, height=height, plot=plot)
    baseline = report.record["baseline"]
    level = f"{report.record['stats']['confidence_level']:.0%}"
    return (
        f"Difference from {baseline} with its {level} intervals over seeds: Student t (thick, the one to "
        "read) and the bootstrap (thin, below it), which at few seeds covers less than it says. Perplexities "
        "are compared on their logarithm and shown as a change in percent."
    )


def _panels(report: Report) -> list[Panel]:
    stats = report.record["stats"]
    tasks = [name for name in report.catalog if name not in METRICS]
    wanted = list(dict.fromkeys((stats["primary"], *stats["family"], *_SHOWN, *tasks)))
    shown = report.record.get("shown_metrics")
    names = [name for name in wanted if not shown or name in shown or name == stats["primary"]]
    panels: dict[PanelKey, list[Comparison]] = {}
    for name in names:
        for comparison in report.comparisons:
            tested = comparison.tested
            if comparison.column.name == name and tested and tested.t and tested.t.low is not None:
                column = comparison.column
                panels.setdefault((column.unit, column.is_log_scale, column.direction), []).append(comparison)
    return list(panels.items())


def _panel(axes: Axes, key: PanelKey, rows: Sequence[Comparison], variants: Sequence[str]) -> None:
    unit, is_log, direction = key
    shown = shown_difference(is_log_scale=is_log)
    zero_line(axes, vertical=True)
    for row, comparison in enumerate(rows):
        if comparison.tested is not None:
            _intervals(
                axes, row, comparison.tested, shown, variants.index(comparison.kind), is_first=row == 0
            )
    axes.set_yticks(range(len(rows)), [_label(comparison, variants) for comparison in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    better = {"lower": ", left of 0 is better", "higher": ", right of 0 is better"}.get(direction, "")
    axes.set_xlabel(f"Δ {'%' if is_log else unit}{better}")


def _intervals(
    axes: Axes,
    row: int,
    tested: PairedComparison,
    shown: Callable[[float], float],
    position: int,
    *,
    is_first: bool,
) -> None:
    style, t, boot = series(position + 1), tested.t, tested.bootstrap
    if t is None or t.low is None or t.high is None:
        return
    axes.plot(
        [shown(t.low), shown(t.high)], [row, row], color=style.colour, linewidth=2.4,
        solid_capstyle="butt", label="Student t" if is_first else None,
    )  # fmt: skip
    axes.plot([shown(t.mean)], [row], color=style.colour, marker=style.marker, markersize=6)
    if boot is not None:
        axes.plot(
            [shown(boot.low), shown(boot.high)], [row + 0.24] * 2, color=INK, linewidth=1.0, marker="|",
            markersize=5, label="bootstrap" if is_first else None,
        )  # fmt: skip
    axes.plot(
        [shown(value) for value in tested.differences], [row - 0.2] * tested.n_pairs, color=style.colour,
        marker=".", markersize=4, linestyle="none", label="one seed" if is_first else None,
    )  # fmt: skip


def _label(comparison: Comparison, variants: Sequence[str]) -> str:
    name = comparison.column.name
    return name if len(variants) == 1 else f"{name}  {comparison.kind}"

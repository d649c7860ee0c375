"""How every figure looks, and how it becomes the same bytes each time.

Colours are those of Okabe and Ito, which the colour-blind can tell apart; a marker and a line style go with
each, so that grey print can too. Ink, paper and rule are three fixed colours, which a page may turn into its
own (`rig.report.svg`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from rig.core.files import atomic_path

INK = "#222222"
PAPER = "#ffffff"
RULE = "#d0d0d0"

STYLE: dict[Any, Any] = {
    "svg.hashsalt": "rig",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.facecolor": PAPER,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9.5,
    "figure.facecolor": PAPER,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "lines.linewidth": 1.4,
    "lines.markersize": 5.0,
    "xtick.color": INK,
    "ytick.color": INK,
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """How one kind, or one seed, is drawn."""

    colour: str
    marker: str
    line: str | tuple[int, tuple[int, ...]]
    """A matplotlib line style."""


_SERIES: tuple[Series, ...] = (
    Series(colour="#0072b2", marker="o", line="-"),
    Series(colour="#d55e00", marker="s", line="--"),
    Series(colour="#009e73", marker="^", line="-."),
    Series(colour="#cc79a7", marker="D", line=":"),
    Series(colour="#e69f00", marker="v", line=(0, (5, 1, 1, 1, 1, 1))),
    Series(colour="#56b4e9", marker="P", line=(0, (1, 1))),
)

_LARGEST_LOG_RATIO = 50.0
"""Beyond it a change in percent is no number to draw."""


def series(index: int) -> Series:
    """The style of the kind, or seed, at a position; after six they come round again."""
    return _SERIES[index % len(_SERIES)]


def draw_svg(path: Path, *, width: float, height: float, plot: Callable[[Figure], None]) -> None:
    """Draw one figure into an SVG file.

    Args:
        path: The file.
        width: Inches.
        height: Inches.
        plot: Fills the figure.
    """
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        plot(figure)
        with atomic_path(path) as temporary:
            figure.savefig(temporary, format="svg", metadata={"Date": None, "Creator": None})


def zero_line(axes: Axes, *, vertical: bool) -> None:
    """Mark no difference."""
    draw = axes.axvline if vertical else axes.axhline
    draw(0.0, color=INK, linewidth=0.9)


def shown_difference(*, is_log_scale: bool) -> Callable[[float], float]:
    """From a difference on the scale of tests to what an axis shows: percent for a logarithm, else itself."""
    return _percent if is_log_scale else _as_it_is


def _percent(log_ratio: float) -> float:
    return 100.0 * math.expm1(min(log_ratio, _LARGEST_LOG_RATIO))


def _as_it_is(value: float) -> float:
    return value

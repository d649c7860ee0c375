"""Every figure that a report has data for."""

from collections.abc import Callable, Mapping
from pathlib import Path

from rig.report.build import Report
from rig.report.content import Figure
from rig.report.figures.by_class import draw_by_class
from rig.report.figures.forest import draw_forest
from rig.report.figures.lr_curves import draw_lr_curves
from rig.report.figures.slopes import draw_slopes
from rig.report.figures.training import draw_training

FIGURES: Mapping[str, Callable[[Report, Path, Path], str | None]] = {
    "forest": draw_forest,
    "slopes": draw_slopes,
    "by_class": draw_by_class,
    "lr_curves": draw_lr_curves,
    "training": draw_training,
}
"""Name to the function that draws it: given the report, its folder and the file; gives the caption, or None
and no file where there is nothing to draw."""


def draw_figures(report: Report, folder: Path) -> Mapping[str, Figure]:
    """Draw every figure that the report has data for into `folder/figures`; name to figure."""
    drawn = {}
    for name, draw in FIGURES.items():
        path = f"figures/{name}.svg"
        caption = draw(report, folder, folder / path)
        if caption is not None:
            drawn[name] = Figure(path=path, caption=caption)
    return drawn

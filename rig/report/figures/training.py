"""Training loss against steps, every cell a line."""

import json
from pathlib import Path

from matplotlib.figure import Figure

from rig.core.errors import StoreError
from rig.report.build import Report
from rig.report.figures.style import draw_svg, series

LOG = "training.jsonl"


def draw_training(report: Report, folder: Path, path: Path) -> str | None:
    """Draw the cells that kept a log of their training.

    Raises:
        StoreError: A log is damaged.
    """
    del folder
    kinds = [kind["name"] for kind in report.record["kinds"]]
    curves = [
        (row.kind, read_training(row.done.attempt / LOG))
        for row in report.rows
        if row.done is not None and (row.done.attempt / LOG).exists()
    ]
    curves = [(kind, points) for kind, points in curves if points]
    if not curves:
        return None

    def plot(figure: Figure) -> None:
        axes = figure.subplots()
        labelled = set()
        for kind, points in curves:
            style = series(kinds.index(kind))
            steps, losses = zip(*points, strict=True)
            axes.plot(
                steps, losses, color=style.colour, linestyle=style.line, linewidth=1.0, alpha=0.85,
                label=None if kind in labelled else kind,
            )  # fmt: skip
            labelled.add(kind)
        axes.set_xlabel("step")
        axes.set_ylabel("training loss (nats/token)")
        figure.legend(loc="outside lower center", ncols=4)

    draw_svg(path, width=6.4, height=3.6, plot=plot)
    return (
        "Training loss of every seed; kinds by colour and line. It says how training went, not which kind "
        "is better."
    )


def read_training(path: Path) -> list[tuple[int, float]]:
    """(step, loss) of a cell's training log.

    Raises:
        StoreError: A line can't be read.
    """
    points = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            entry = json.loads(line)
            if "loss" in entry:
                points.append((int(entry["step"]), float(entry["loss"])))
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(f"{path}, line {number} is no record of a training step: {error!r}") from error
    return points

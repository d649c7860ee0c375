"""The difference by word class: where a variant gains and where it loses."""

from pathlib import Path

from matplotlib.figure import Figure

from rig.core.documents import WORD_CLASSES
from rig.report.build import Report
from rig.report.comparison import Comparison
from rig.report.figures.style import draw_svg, series, shown_difference, zero_line

_READINGS = {
    "bpc": ("bits per character", "bits/char"),
    "wppl": ("the perplexity per word", "% perplexity per word"),
    "wpppl_l2r": ("the pseudo-perplexity per word", "% pseudo-perplexity per word"),
}
"""Prefix of the metric to what it is and the unit of its differences, the preferred one first."""
_STEP = 0.22
"""Between variants of one class."""


def draw_by_class(report: Report, folder: Path, path: Path) -> str | None:
    """Draw bits per character by class, or the perplexity per word where no kind has bits per character."""
    del folder
    prefix = next((prefix for prefix in _READINGS if _comparisons(report, prefix)), None)
    if prefix is None:
        return None
    found = _comparisons(report, prefix)
    shown = shown_difference(is_log_scale=prefix != "bpc")
    what, unit = _READINGS[prefix]
    variants = list(dict.fromkeys(kind for kind, _ in found))

    def plot(figure: Figure) -> None:
        axes = figure.subplots()
        zero_line(axes, vertical=False)
        for (kind, word_class), comparison in found.items():
            index = variants.index(kind)
            place = WORD_CLASSES.index(word_class) + _offset(index, len(variants))
            style, tested = series(index + 1), comparison.tested
            if tested is None or tested.t is None:
                continue
            label = kind if word_class == next(c for k, c in found if k == kind) else None
            if tested.t.low is not None and tested.t.high is not None:
                axes.plot([place] * 2, [shown(tested.t.low), shown(tested.t.high)], color=style.colour)
            axes.plot(
                [place], [shown(tested.t.mean)], color=style.colour, marker=style.marker, linestyle="none",
                markersize=7, label=label,
            )  # fmt: skip
            axes.plot(
                [place - 0.08] * tested.n_pairs, [shown(value) for value in tested.differences],
                color=style.colour, marker=".", markersize=4, linestyle="none",
            )  # fmt: skip
        axes.set_xticks(range(len(WORD_CLASSES)), list(WORD_CLASSES))
        axes.set_xlim(-0.6, len(WORD_CLASSES) - 0.4)
        axes.grid(axis="x", visible=False)
        axes.set_ylabel(f"Δ {unit} (below 0 is better)")
        figure.legend(loc="outside lower center", ncols=min(len(variants), 4))

    draw_svg(path, width=6.4, height=3.6, plot=plot)
    level = f"{report.record['stats']['confidence_level']:.0%}"
    return (
        f"Difference from {report.record['baseline']} in {what} by word class: mean, {level} Student t "
        "interval over seeds (line) and each seed (dots). These tests are exploratory."
    )


def _comparisons(report: Report, prefix: str) -> dict[tuple[str, str], Comparison]:
    by_name = {f"{prefix}_{word_class.lower()}": word_class for word_class in WORD_CLASSES}
    return {
        (comparison.kind, by_name[comparison.column.name]): comparison
        for comparison in report.comparisons
        if comparison.column.name in by_name and comparison.tested is not None
    }


def _offset(index: int, n_variants: int) -> float:
    return min(_STEP, 0.7 / n_variants) * (index - (n_variants - 1) / 2)

import dataclasses
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from synthetic_reports import BASE, VARIANT, report_of

from rig.core.errors import StoreError
from rig.report.build import Report
from rig.report.figures.draw import FIGURES, draw_figures
from rig.report.figures.style import draw_svg, series, shown_difference
from rig.report.figures.training import read_training
from rig.store.cells import DoneCell

TWO = {"base": BASE, "new": VARIANT}


def with_training(report: Report, folder: Path) -> Report:
    rows = []
    for row in report.rows:
        attempt = folder / row.kind / str(row.seed)
        attempt.mkdir(parents=True)
        lines = [{"step": step, "loss": 6.0 / step, "lr": 0.1} for step in (1, 2, 4)]
        lines.append({"step": 4, "validation_loss": 2.0})  # type: ignore[dict-item]
        (attempt / "training.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = DoneCell(directory=folder, attempt=attempt, result={"tasks": {}}, timing={})
        rows.append(dataclasses.replace(row, done=done))
    return dataclasses.replace(report, rows=rows)


def test_each_figure_is_drawn_where_there_is_something_to_draw(tmp_path: Path) -> None:
    assert set(draw_figures(report_of(TWO), tmp_path / "two")) == {"forest", "slopes", "by_class"}
    assert draw_figures(report_of({"base": BASE}), tmp_path / "one") == {}
    one_seed = draw_figures(report_of({"base": {41: 3.5}, "new": {41: 3.4}}), tmp_path / "one seed")
    assert set(one_seed) == {"slopes", "by_class"}, "an interval of one seed does not exist"
    trained = with_training(report_of(TWO), tmp_path / "cells")
    assert "training" in draw_figures(trained, tmp_path / "trained")


def test_a_caption_and_a_file_belong_to_every_figure(tmp_path: Path) -> None:
    drawn = draw_figures(with_training(report_of(TWO), tmp_path / "cells"), tmp_path)
    for name, figure in drawn.items():
        assert figure.path == f"figures/{name}.svg"
        assert figure.caption.endswith(".")
        root = ElementTree.fromstring((tmp_path / figure.path).read_text(encoding="utf-8"))
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert sorted(path.stem for path in (tmp_path / "figures").iterdir()) == sorted(drawn)
    assert set(drawn) < set(FIGURES)


def test_the_same_report_gives_the_same_bytes_and_no_date(tmp_path: Path) -> None:
    for name in ("one", "other"):
        draw_figures(report_of(TWO), tmp_path / name)
    for name in ("forest", "slopes", "by_class"):
        one, other = (tmp_path / folder / "figures" / f"{name}.svg" for folder in ("one", "other"))
        assert one.read_bytes() == other.read_bytes()
        assert "dc:date" not in one.read_text(encoding="utf-8")


def test_text_is_drawn_as_paths_so_that_no_font_is_needed(tmp_path: Path) -> None:
    draw_figures(report_of(TWO), tmp_path)
    text = (tmp_path / "figures" / "forest.svg").read_text(encoding="utf-8")
    assert "<text" not in text
    assert "DejaVuSans" in text


def test_the_first_six_kinds_differ_in_colour_and_in_marker_and_in_line() -> None:
    styles = [series(index) for index in range(6)]
    for what in ("colour", "marker", "line"):
        assert len({str(getattr(style, what)) for style in styles}) == 6
    assert series(6) == styles[0]
    for style in styles:
        assert re.fullmatch(r"#[0-9a-f]{6}", style.colour)


def test_a_logarithm_is_shown_in_percent() -> None:
    percent = shown_difference(is_log_scale=True)
    assert percent(0.0) == 0.0
    assert percent(0.6931471805599453) == pytest.approx(100.0)
    assert percent(1e9) < 1e30, "a figure has finite ends"
    assert shown_difference(is_log_scale=False)(-0.25) == -0.25


def test_the_users_own_matplotlib_settings_change_nothing(tmp_path: Path) -> None:
    import matplotlib

    def plot(figure: Any) -> None:
        figure.subplots().plot([1, 2])

    draw_svg(tmp_path / "one.svg", width=2, height=2, plot=plot)
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.fonttype": "none"}):
        draw_svg(tmp_path / "other.svg", width=2, height=2, plot=plot)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


def test_a_damaged_training_log_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "training.jsonl"
    path.write_text('{"step": 1, "loss": 5.0, "lr": 0.1}\n{"step": 2, "lo')
    with pytest.raises(StoreError, match=r"training\.jsonl, line 2 is no record of a training step"):
        read_training(path)
    path.write_text('{"step": 1, "loss": 5.0, "lr": 0.1}\n{"step": 9, "validation_loss": 4.0}\n')
    assert read_training(path) == [(1, 5.0)]

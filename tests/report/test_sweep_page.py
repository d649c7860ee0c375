import xml.etree.ElementTree as ET

from rig.experiment.curve import CurvePoint, choose
from rig.experiment.lock_subject import Subject
from rig.experiment.sweep_record import make_record
from rig.report.sweep_page import sweep_page, write_sweep_page


def record(losses, *, scale="log", values=(0.001, 0.01, 0.1)):
    points = [
        CurvePoint(
            index=i, value=value, loss=loss, status="ok" if loss else "diverged", cell=f"baseline/{i}-s7"
        )
        for i, (value, loss) in enumerate(zip(values, losses, strict=True))
    ]
    protocol = {
        "low": values[0], "high": values[-1], "points": 3, "scale": scale, "steps": 20, "seed": 7,
        "metric": "ce", "split": "validation", "robust_width": 0.5,
    }  # fmt: skip
    return make_record(
        name="lr", variable="train.lr", kind="baseline", data_name="tiny", protocol=protocol, curve=points,
        choice=choose(points), subject=Subject(settings={}, data={}, code="cc"), created="now",
        environment={},
    )  # fmt: skip


def test_the_page_shows_choice_curve_divergence_and_robustness() -> None:
    page = sweep_page(record((3.0, 2.0, None)))
    assert "`lr_baseline_best = 0.01`" in page
    assert "| **chosen** | 0.01 | 2.000000 | 0.00% | ok | `baseline/1-s7` |" in page
    assert "|  | 0.001 | 3.000000 | 50.00% | ok | `baseline/0-s7` |" in page
    assert "|  | 0.1 |  |  | diverged | `baseline/2-s7` |" in page
    assert "training diverged at 1 of 3 values" in page
    assert "fragile to lr: losses stay within 1% of the best over 0.02 decades" in page
    assert "(robust from 0.5 decades)" in page
    assert "edge of the grid" not in page


def test_the_page_warns_of_an_edge() -> None:
    assert "**the best value lies at the edge of the grid" in sweep_page(record((3.0, 2.0, 1.0)))


def test_the_same_record_gives_the_same_bytes_and_no_date(tmp_path) -> None:
    for name in ("a", "b"):
        write_sweep_page(tmp_path / name, record((3.0, 2.0, None)))
    for file in ("index.md", "curve.svg"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    text = (tmp_path / "a" / "curve.svg").read_text(encoding="utf-8")
    assert ET.fromstring(text).tag.endswith("svg")
    assert "dc:date" not in text


def test_a_linear_curve_may_begin_at_zero(tmp_path) -> None:
    write_sweep_page(tmp_path, record((3.0, 2.0, 2.5), scale="linear", values=(0.0, 2.0, 4.0)))
    assert "units of lr" in (tmp_path / "index.md").read_text(encoding="utf-8")

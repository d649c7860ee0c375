import json
import math
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from rig.cli.loss_report import loss_report as command
from rig.reference import loss
from rig.reference.loss_report import LossReport, loss_report, render_markdown

KEYS = (
    "vocab_size, pad_id, seq_len, pad_count, kept, dropped, unshifted_loss, shifted_loss, masked_loss, "
    "unshifted_perplexity, shifted_perplexity, masked_perplexity, bits_per_token, uniform_perplexity, "
    "probe_gap, naive_is_inf, stable_logprob"
)
HEADINGS = ["## 무엇을 쟀나", "## 한 칸 어긋나면", "## 패딩을 빼면", "## 비트로 재면"]


def test_the_keys_are_the_specs() -> None:
    assert ", ".join(loss_report()) == KEYS


def test_the_numbers_are_those_of_the_module() -> None:
    report = loss_report()
    rows, ids = loss.dataset()
    assert report["unshifted_loss"] == loss.unshifted_loss(rows, ids)
    assert report["shifted_loss"] == loss.shifted_loss(rows, ids)
    assert report["masked_loss"] == loss.masked_cross_entropy(rows[:-1], ids[1:], loss.PAD_ID)
    assert report["kept"] + report["dropped"] == report["seq_len"] - 1
    assert report["dropped"] == report["pad_count"]
    assert (report["vocab_size"], report["pad_id"]) == (loss.VOCAB, loss.PAD_ID)
    for name in ("unshifted", "shifted", "masked"):
        values = {**report}
        assert math.exp(float(str(values[f"{name}_loss"]))) == pytest.approx(values[f"{name}_perplexity"])


def test_the_base_of_the_log_is_consistent() -> None:
    report = loss_report()
    assert 2 ** report["bits_per_token"] == pytest.approx(report["masked_perplexity"], rel=1e-12)
    assert report["uniform_perplexity"] == pytest.approx(loss.VOCAB, rel=1e-12)


def test_the_probe() -> None:
    report = loss_report()
    assert report["probe_gap"] == 800
    assert report["naive_is_inf"] is True
    assert report["stable_logprob"] == pytest.approx(-800.0)


def test_the_dataset_is_asked_once_and_nothing_is_typed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    ids = [2, 1, 3, 0, 0]

    def other_dataset() -> tuple[list[list[float]], list[int]]:
        calls.append(1)
        return [[0.0, 0.0, 0.0, 0.0] for _ in ids], ids

    monkeypatch.setattr(loss, "dataset", other_dataset)
    report = loss_report()
    assert len(calls) == 1
    assert (report["seq_len"], report["pad_count"], report["kept"], report["dropped"]) == (5, 2, 2, 2)
    assert report["masked_loss"] == pytest.approx(math.log(4))
    assert report["bits_per_token"] == pytest.approx(2.0)


def test_the_markdown_has_the_four_headings_in_order() -> None:
    lines = render_markdown(loss_report()).splitlines()
    assert [line for line in lines if line.startswith("## ")] == HEADINGS


def test_every_number_of_the_markdown_follows_the_report() -> None:
    report: LossReport = {
        "vocab_size": 101, "pad_id": 102, "seq_len": 103, "pad_count": 104, "kept": 105, "dropped": 106,
        "unshifted_loss": 1.07, "shifted_loss": 1.08, "masked_loss": 1.09, "unshifted_perplexity": 1.10,
        "shifted_perplexity": 1.11, "masked_perplexity": 1.12, "bits_per_token": 1.13,
        "uniform_perplexity": 1.14, "probe_gap": 115, "naive_is_inf": False, "stable_logprob": -1.16,
    }  # fmt: skip
    text = render_markdown(report)
    for value in report.values():
        if not isinstance(value, bool):
            shown = str(value) if isinstance(value, int) else f"{value:.4f}"
            assert shown in text, f"{shown} is missing"
    assert "-inf" not in text
    decimals = set(re.findall(r"-?\d+\.\d+", text))
    assert decimals == {f"{value:.4f}" for value in report.values() if isinstance(value, float)}


def test_the_command_writes_both_files(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    result = CliRunner().invoke(command, ["--out", str(out)])
    assert result.exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == ["loss_report.json", "loss_report.md"]
    assert json.loads((out / "loss_report.json").read_text(encoding="utf-8")) == loss_report()
    assert (out / "loss_report.md").read_text(encoding="utf-8") == render_markdown(loss_report())


def test_the_command_needs_a_folder(tmp_path: Path) -> None:
    assert CliRunner().invoke(command, []).exit_code == 2
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    result = CliRunner().invoke(command, ["--out", str(file)])
    assert result.exit_code == 2
    assert "is a file" in result.output

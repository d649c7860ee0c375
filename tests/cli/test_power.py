"""`rig power`: how many seeds a difference needs."""

import csv
import re
from pathlib import Path

import pytest
from commands import Run, command
from statsmodels.stats.power import TTestPower


def std_of_differences(report: Path) -> float:
    with (report / "comparisons.csv").open(encoding="utf-8", newline="") as file:
        (row,) = [row for row in csv.DictReader(file) if row["metric"] == "bpc"]
    return float(row["delta_std"])


def test_seeds_are_those_that_the_spread_of_the_report_asks_for(run: Run) -> None:
    std = std_of_differences(run.report)
    ended = command("power", "--effect", repr(std), cwd=run.folder)
    assert ended.code == 0, ended.err
    assert ended.out.startswith("masha_ab minus baseline, bpc (bits per character): seeds to find")
    # A difference of one standard deviation needs 10 pairs at power 0.8.
    (observed,) = re.findall(r"as observed over 3 seeds +\| +\S+ +\| +(\d+) \|", ended.out)
    assert int(observed) == 10
    assert TTestPower().power(1.0, 10, 0.05) >= 0.8 > TTestPower().power(1.0, 9, 0.05)
    assert re.search(r"\| seeds +\|( +\d+ \|){8}", ended.out), "what 3 to 10 seeds find"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--effect", "0"), "--effect must be a positive difference, got 0.0"),
        (("--effect", "nan"), "--effect must be a positive difference, got nan"),
        (("--effect", "0.1", "--power", "1"), "--power must lie between 0.05 and 1, got 1.0"),
        (("nothing", "--effect", "0.1"), "There is no report 'nothing'."),
        ((), "Missing option '--effect'"),
    ],
)
def test_a_mistake_is_one_sentence(run: Run, arguments: tuple[str, ...], message: str) -> None:
    ended = command("power", *arguments, cwd=run.folder)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err

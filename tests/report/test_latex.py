import re
import shutil
import subprocess
from pathlib import Path

import pytest
from synthetic_reports import BASE, VARIANT, report_of, written

from rig.report.content import Table, text_cells
from rig.report.latex import escape, latex

SPECIAL = '\\ { } $ & # % _ ^ ~ < > | " ` − – ± Δ ≥ ≤ [x] é ç'


def test_a_table_has_the_rules_of_booktabs_and_a_column_for_each_cell() -> None:
    table = Table(
        caption="50% of a_b", header=("kind", "bpc"), rows=(text_cells("a_b", "−0.1"), text_cells("c", "–"))
    )
    assert latex([("one", table)], ["a: UNLOCKED\n(missing)"]) == (
        "% Needs \\usepackage{booktabs,graphicx}; a table wider than the line is scaled down to it.\n"
        "% Warnings that belong to these numbers:\n"
        "% - a: UNLOCKED (missing)\n"
        "\n"
        "\\begin{table}[htbp]\n"
        "\\centering\n"
        "\\caption{50\\% of a\\_b}\n"
        "\\label{tab:one}\n"
        "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
        "\\begin{tabular}{lr}\n"
        "\\toprule\n"
        "kind & bpc \\\\\n"
        "\\midrule\n"
        "a\\_b & $-$0.1 \\\\\n"
        "c & -- \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}}\n"
        "\\end{table}\n"
    )


def test_no_character_is_a_command() -> None:
    escaped = escape(SPECIAL)
    without_commands = re.sub(r"\\[a-zA-Z]+(?:\{\})?|\\[{}$&#%_,]|\$[^$]*\$", "", escaped)
    assert not set("\\$&#%_^~") & set(without_commands)


def test_a_row_that_begins_with_a_bracket_is_no_option_of_the_line_break_before() -> None:
    table = Table(caption="c", header=("a",), rows=(text_cells("x"), text_cells("[0, 1]")), n_text_columns=0)
    assert "\n{}[0, 1] \\\\\n" in latex([("t", table)], [])


def test_a_report_has_the_aggregate_and_the_per_seed_table(tmp_path: Path) -> None:
    report = report_of({"base": BASE, "new": VARIANT}, unlocked=["new"])
    text = (written(report, tmp_path / "report") / "tables.tex").read_text(encoding="utf-8")
    assert re.findall(r"\\label\{tab:(.*?)\}", text) == ["over-seeds", "per-seed"]
    assert "% - new: UNLOCKED (missing)" in text
    assert text.count("(UNLOCKED: new)") == 2, "the stamp is on every table"
    assert "new [UNLOCKED] & 41" in text, "and on every row"


def test_pdflatex_accepts_it(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed: tables.tex was not compiled")
    folder = written(report_of({"ba_se": BASE, "n&w": VARIANT}), tmp_path / "report")
    special = Table(caption=SPECIAL, header=(SPECIAL,), rows=(text_cells(SPECIAL),))
    (folder / "special.tex").write_text(latex([("special", special)], [SPECIAL]), encoding="utf-8")
    (folder / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs,graphicx}\\begin{document}\n"
        "\\input{tables.tex}\\input{special.tex}\\end{document}\n",
        encoding="utf-8",
    )
    result = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=folder, capture_output=True, check=False,
    )  # fmt: skip
    log = result.stdout.decode(errors="replace")
    assert result.returncode == 0, log[-3000:]
    assert "Overfull \\hbox" not in log
    assert (folder / "paper.pdf").stat().st_size > 1000

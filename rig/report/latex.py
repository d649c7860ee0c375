"""Tables as LaTeX with booktabs, ready to be read into a paper."""

from collections.abc import Sequence

from rig.report.content import Table
from rig.report.visible import visible

_HEAD = r"""% Needs \usepackage{booktabs,graphicx}; a table wider than the line is scaled down to it.
% Warnings that belong to these numbers:
"""
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "`": "{`}",
    "−": "$-$",
    "–": "--",
    "±": r"$\pm$",
    "Δ": r"$\Delta$",
    "\u00a0": "~",
    "\u2009": r"\,",
    "\u202f": r"\,",
    "≥": r"$\ge$",
    "≤": r"$\le$",
}


def latex(tables: Sequence[tuple[str, Table]], warnings: Sequence[str]) -> str:
    """A file of tables.

    Args:
        tables: Label and table.
        warnings: What stands above everything in the report; comments here.
    """
    comments = "".join(f"% - {visible(' '.join(warning.split()))}\n" for warning in warnings) or "% none\n"
    return _HEAD + comments + "".join(f"\n{_table(label, table)}" for label, table in tables)


def escape(text: str) -> str:
    """Text in which nothing is a command, and no character unseen."""
    return "".join(_ESCAPES.get(character, character) for character in visible(" ".join(text.split("\n"))))


def _table(label: str, table: Table) -> str:
    n_numbers = len(table.header) - table.n_text_columns
    lines = [
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{escape(table.caption)}}}",
        rf"\label{{tab:{label}}}",
        # Never wider than the line, never enlarged.
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{'l' * table.n_text_columns}{'r' * n_numbers}}}",
        r"\toprule",
        _row([escape(name) for name in table.header]),
        r"\midrule",
        *(_row([escape(cell.text) for cell in row]) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    # A row that begins with a bracket would be read as an option of the line break above it.
    return " & ".join("{}" + cell if cell.startswith("[") else cell for cell in cells) + r" \\"

"""A page as Markdown that reads well in a terminal and on a forge."""

import re
from pathlib import PurePosixPath

from rig.report.content import Cell, Figure, Page, Section, Table
from rig.report.visible import visible


def markdown(page: Page) -> str:
    """The whole page; columns are padded so that the raw text is a table too."""
    parts = [f"# {page.title}"]
    parts += [f"> **{stamp}**" for stamp in page.stamps]
    parts += [_section(section) for section in page.sections]
    return visible("\n\n".join(parts) + "\n")


def table_text(table: Table) -> str:
    """One table with its caption."""
    header = [_escape(name) for name in table.header]
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    is_text = [column < table.n_text_columns for column in range(len(header))]
    lines = [_line(header, widths, is_text), _rule(widths, is_text)]
    lines += [_line(row, widths, is_text) for row in rows]
    return f"**{table.caption}**\n\n" + "\n".join(lines)


def _section(section: Section) -> str:
    parts = [f"## {section.title}", *section.paragraphs]
    if section.bullets:
        parts.append("\n".join(f"- {bullet}" for bullet in section.bullets))
    parts += [table_text(table) for table in section.tables]
    parts += [_figure(figure) for figure in section.figures]
    parts += [_block(block) for block in section.blocks]
    return "\n\n".join(parts)


def _block(text: str) -> str:
    """Preformatted text in a fence longer than any run of backticks inside."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _figure(figure: Figure) -> str:
    # The caption stands below for everyone; said twice it would only be in the way.
    return f"![{PurePosixPath(figure.path).stem}]({figure.path})\n\n*{figure.caption}*"


def _cell(cell: Cell) -> str:
    text = _escape(cell.text)
    return f"[{text}]({cell.link})" if cell.link else text


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _line(cells: list[str], widths: list[int], is_text: list[bool]) -> str:
    padded = [
        cell.ljust(width) if text else cell.rjust(width)
        for cell, width, text in zip(cells, widths, is_text, strict=True)
    ]
    return f"| {' | '.join(padded)} |"


def _rule(widths: list[int], is_text: list[bool]) -> str:
    marks = [
        "-" * max(width, 3) if text else "-" * max(width - 1, 2) + ":"
        for width, text in zip(widths, is_text, strict=True)
    ]
    return f"| {' | '.join(marks)} |"

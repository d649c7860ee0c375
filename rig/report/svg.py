"""A figure's SVG as part of a page: unique identifiers, and colours that follow the page's theme."""

import re

from rig.report.figures.style import INK, PAPER, RULE

_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL)
_IDENTIFIER = re.compile(r'(\bid="|href="#|url\(#)')
_THEME = {INK: "var(--ink)", PAPER: "var(--paper)", RULE: "var(--rule)"}


def inline_svg(text: str, name: str) -> str:
    """An SVG file's text as an element of a page.

    Args:
        text: What matplotlib wrote.
        name: Of the figure; put before each identifier, because figures share some.

    Returns:
        The `<svg>` element without prologue, metadata and fixed size; ink, paper and rule are the page's
        `--ink`, `--paper` and `--rule`.
    """
    element = _METADATA.sub("", _PROLOGUE.sub("", text, count=1))
    head, body = element.split(">", 1)
    head = re.sub(r'\s(?:width|height)="[^"]*"', "", head)
    element = _IDENTIFIER.sub(rf"\g<1>{name}-", f"{head}>{body}")
    for colour, variable in _THEME.items():
        element = element.replace(colour, variable)
    return element.strip()

"""A page as one HTML file that asks nothing of any network: inline style, figures and sorting."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

import jinja2
from markupsafe import Markup, escape

from rig.report.content import Figure, Page
from rig.report.svg import inline_svg
from rig.report.visible import visible

_STRONG = re.compile(r"\*\*(.+?)\*\*")
_CODE = re.compile(r"`([^`]+)`")


def html(page: Page, pictures: Mapping[str, str]) -> str:
    """The whole page.

    Args:
        page: The same value that Markdown is made from.
        pictures: Address of each figure in the page to its SVG text.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("rig.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["running"] = running_text
    environment.filters["slug"] = slug

    def picture(figure: Figure) -> Markup:
        name = PurePosixPath(figure.path).stem
        return Markup(inline_svg(pictures[figure.path], name))

    return visible(environment.get_template("report.html.jinja").render(page=page, picture=picture))


def running_text(text: str) -> Markup:
    """Running text with its `code` and **strong** words as elements, everything else escaped."""
    escaped = str(escape(text))
    return Markup(_CODE.sub(r"<code>\1</code>", _STRONG.sub(r"<strong>\1</strong>", escaped)))


def slug(title: str) -> str:
    """A heading as an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")

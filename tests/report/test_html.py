import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from synthetic_reports import BASE, VARIANT, report_of, written

from rig.report.content import Cell, Page, Section, Table
from rig.report.html import html, running_text, slug

_VOID = {"meta", "br", "hr", "img", "input", "link"}


class Elements(HTMLParser):
    """Every element, and whether each closes what was opened last."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    report = report_of({"base": BASE, "new": VARIANT, "floor": {None: 5.0}}, unlocked=["new"])
    folder = written(report, tmp_path_factory.mktemp("html") / "report")
    return (folder / "report.html").read_text(encoding="utf-8")


def test_the_file_is_whole_and_asks_nothing_of_any_network(text: str) -> None:
    elements = Elements(text).found
    assert not [tag for tag, _ in elements if tag in {"link", "img", "iframe", "object", "embed", "audio"}]
    for tag, attributes in elements:
        for name in ("src", "srcset", "action", "poster", "data"):
            assert name not in attributes, tag
        address = attributes.get("href") or attributes.get("xlink:href") or ""
        assert not re.match(r"(?:[a-z]+:)?//", address), address
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)
    policy = next(a["content"] for tag, a in elements if tag == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none';")


def test_every_identifier_is_unique_and_every_reference_has_its_target(text: str) -> None:
    elements = Elements(text).found
    identifiers = [a["id"] for _, a in elements if "id" in a]
    assert len(identifiers) == len(set(identifiers))
    targets = {address for _, a in elements if (address := a.get("href") or a.get("xlink:href"))}
    assert {address[1:] for address in targets if address.startswith("#")} <= set(identifiers)
    assert set(re.findall(r"url\(#([^)]*)\)", text)) <= set(identifiers)


def test_it_is_rendered_from_the_same_page_as_the_markdown(tmp_path: Path) -> None:
    folder = written(report_of({"base": BASE, "new": VARIANT}), tmp_path / "report")
    markdown = (folder / "report.md").read_text(encoding="utf-8")
    elements = Elements((folder / "report.html").read_text(encoding="utf-8"))
    words = " ".join("".join(elements.text).split())
    headings = [line.removeprefix("## ") for line in markdown.splitlines() if line.startswith("## ")]
    assert headings
    assert all(heading in words for heading in headings)
    answer = markdown.split("## Answer\n\n")[1].split("\n")[0].replace("**", "")
    assert answer in words


def test_figures_take_the_pages_ink_so_that_they_can_be_read_in_the_dark(text: str) -> None:
    assert "prefers-color-scheme: dark" in text
    pictures = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert len(pictures) == 3
    for picture in pictures:
        assert "var(--ink)" in picture
        assert "#222222" not in picture
        assert "#ffffff" not in picture
        assert "<metadata>" not in picture


def test_wide_tables_scroll_in_a_box_of_their_own(text: str) -> None:
    n_tables = text.count("<table ")
    assert n_tables > 5
    assert len(re.findall(r'<div class="scroll"[^>]*>\s*<table ', text)) == n_tables


def test_columns_sort_by_the_exact_value_behind_a_rounded_one(text: str) -> None:
    exact = [float(value) for value in re.findall(r'data-sort="([^"]+)"', text)]
    assert any(len(repr(value)) > 10 for value in exact)


def test_what_a_user_wrote_is_text_and_never_an_element() -> None:
    evil = '<script>alert(1)</script> & "quoted"'
    page = Page(
        title=evil,
        stamps=(evil,),
        sections=(
            Section(
                title=evil,
                paragraphs=(evil,),
                bullets=(evil,),
                tables=(Table(caption=evil, header=(evil,), rows=((Cell(text=evil, link=evil),),)),),
                blocks=(evil,),
            ),
        ),
    )
    elements = Elements(html(page, {}))
    assert [tag for tag, _ in elements.found].count("script") == 1
    assert "".join(elements.text).count(evil) >= 7


def test_running_text_has_code_and_strong_words_and_nothing_else() -> None:
    assert running_text("**resolved: better** by `rig <x>` *so*") == (
        "<strong>resolved: better</strong> by <code>rig &lt;x&gt;</code> *so*"
    )


def test_a_heading_is_an_anchor() -> None:
    assert slug("The declared comparison in full") == "the-declared-comparison-in-full"


def test_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    report = report_of({"base": BASE, "new": VARIANT})
    one, other = (written(report, tmp_path / name) for name in ("one", "other"))
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(other) for path in other.rglob("*") if path.is_file())
    assert Path("figures/forest.svg") in files
    for name in files:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


def test_a_page_without_figures_is_a_page() -> None:
    page = Page(title="t", stamps=(), sections=(Section(title="s"),))
    assert Elements(html(page, {})).found

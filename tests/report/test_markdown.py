from rig.report.content import Cell, Figure, Page, Section, Table, text_cells
from rig.report.markdown import markdown, table_text


def test_columns_are_padded_so_that_the_raw_text_is_a_table() -> None:
    table = Table(
        caption="Values", header=("kind", "bpc"), rows=(text_cells("a", "1.25"), text_cells("longer", "–"))
    )
    assert table_text(table) == (
        "**Values**\n\n| kind   |  bpc |\n| ------ | ---: |\n| a      | 1.25 |\n| longer |    – |"
    )


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    table = Table(caption="c", header=("a",), rows=((Cell(text="x|y", link="locks/x.json"),),))
    assert table_text(table).endswith("| [x\\|y](locks/x.json) |")


def test_a_block_with_a_fence_inside_gets_a_longer_one() -> None:
    page = Page(title="t", stamps=(), sections=(Section(title="s", blocks=("a\n```\nb",)),))
    assert markdown(page) == "# t\n\n## s\n\n````text\na\n```\nb\n````\n"


def test_a_page_in_its_order() -> None:
    section = Section(
        title="Answer",
        paragraphs=("It is.",),
        bullets=("one", "two"),
        figures=(Figure(path="figures/forest.svg", caption="What is seen."),),
    )
    assert markdown(Page(title="a on b", stamps=("a: UNLOCKED",), sections=(section,))) == (
        "# a on b\n\n> **a: UNLOCKED**\n\n## Answer\n\nIt is.\n\n- one\n- two\n\n"
        "![forest](figures/forest.svg)\n\n*What is seen.*\n"
    )

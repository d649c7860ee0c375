from rig.report.svg import inline_svg

FILE = """<?xml version="1.0" encoding="utf-8" standalone="no"?>
<!DOCTYPE svg PUBLIC "x" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="460.8pt" height="259.2pt" viewBox="0 0 460.8 259.2"
  xmlns="http://www.w3.org/2000/svg" version="1.1">
 <metadata>
  <about/>
 </metadata>
 <g id="figure_1"><path clip-path="url(#p1)" style="fill: #ffffff; stroke: #222222"/>
 <use xlink:href="#m1" style="fill: #0072b2; stroke: #d0d0d0" width="3"/></g>
 <defs><clipPath id="p1"/><path id="m1"/></defs>
</svg>
"""


def test_identifiers_are_the_figures_own_and_colours_the_pages() -> None:
    element = inline_svg(FILE, "forest")
    assert element.startswith('<svg xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 460.8 259.2"')
    assert "DOCTYPE" not in element
    assert "metadata" not in element
    assert 'id="forest-figure_1"' in element
    assert 'clip-path="url(#forest-p1)"' in element
    assert 'xlink:href="#forest-m1"' in element
    assert 'id="forest-p1"' in element
    assert "fill: var(--paper); stroke: var(--ink)" in element
    assert "fill: #0072b2; stroke: var(--rule)" in element
    assert 'width="3"' in element, "only the picture's own size is the page's business"

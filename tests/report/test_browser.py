"""report.html in a real browser: nothing runs off the page, nothing is asked of a network, nothing fails."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from synthetic_reports import BASE, VARIANT, report_of, written

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MEASURE = (
    "<script>addEventListener('load', () => { document.title = ["
    "document.documentElement.scrollWidth, innerWidth, performance.getEntriesByType('resource').length"
    "].join(' '); });</script>"
)

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium is installed: report.html was not opened"
)


def opened(page: Path, *, width: int, profile: Path) -> tuple[list[int], str]:
    """[width of the content, width of the window, resources asked for], and what the console said."""
    result = subprocess.run(
        [
            str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={profile}", f"--window-size={width},900", "--enable-logging=stderr", "--v=0",
            "--virtual-time-budget=3000", "--dump-dom", page.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    title = re.search(r"<title>(\d+) (\d+) (\d+)</title>", result.stdout)
    assert title is not None, result.stderr[-2000:]
    console = "\n".join(line for line in result.stderr.splitlines() if "CONSOLE" in line)
    return [int(number) for number in title.groups()], console


@pytest.mark.slow
@pytest.mark.parametrize("width", [500, 1280])
def test_no_table_runs_off_the_page_and_nothing_is_fetched(width: int, tmp_path: Path) -> None:
    # Headless windows are at least 500 wide; a phone's 390 is laid out in a frame below.
    page = written(report_of({"base": BASE, "new": VARIANT}), tmp_path / "report") / "report.html"
    measured = tmp_path / "measured.html"
    measured.write_text(page.read_text(encoding="utf-8") + MEASURE, encoding="utf-8")
    (content, window, n_resources), console = opened(measured, width=width, profile=tmp_path / "profile")
    assert content <= window
    assert n_resources == 0
    assert console == ""


@pytest.mark.slow
def test_a_phone_scrolls_no_page_sideways(tmp_path: Path) -> None:
    page = written(report_of({"base": BASE, "new": VARIANT}), tmp_path / "report") / "report.html"
    (tmp_path / "inner.html").write_text(
        page.read_text(encoding="utf-8") + "<script>addEventListener('load', () => parent.postMessage("
        "document.documentElement.scrollWidth + ' ' + innerWidth, '*'));</script>",
        encoding="utf-8",
    )
    (tmp_path / "outer.html").write_text(
        "<title>waiting</title><iframe src='inner.html' width='390' height='800' style='border:0'></iframe>"
        "<script>onmessage = event => { document.title = event.data + ' 0'; };</script>",
        encoding="utf-8",
    )
    (content, window, _), _ = opened(tmp_path / "outer.html", width=800, profile=tmp_path / "profile")
    assert window == 390
    assert content <= window

"""The example programs that docs/ shows, for tests that run them word for word."""

import re

from commands import ROOT


def example(page: str, name: str) -> str:
    """The code block under `<!-- example: NAME -->` in a page of docs/."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.search(rf"<!-- example: {re.escape(name)} -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert found is not None, f"docs/{page} has no example {name}"
    return found[1]

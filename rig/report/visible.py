r"""Characters that can't be seen, or that change how what follows is shown, as escapes: NUL as `\x00`.

A model's samples and a program's messages may hold any character. A NUL makes a page a binary file, an escape
sequence drives a terminal, a bidirectional override shows a text in an order that it does not have.
"""

import re

_UNSEEN = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"  # control characters but for tab and line feed
    "\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069"  # bidirectional marks and controls
    "\\u2028\\u2029\\ufeff]"  # line and paragraph separators, byte order mark
)


def visible(text: str) -> str:
    r"""The text with each such character as `\xHH` or `\uHHHH`; tabs and line feeds stay."""
    return _UNSEEN.sub(lambda found: _escape(ord(found.group())), text)


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"

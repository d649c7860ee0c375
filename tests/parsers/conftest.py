import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rig.core.sentences import Sentence, SurfaceUnit, Word

Row = tuple[str, str, str | None, int, str]


@pytest.fixture(scope="session")
def tree() -> Callable[..., Sentence]:
    """Builds a sentence of plain words from (form, upos, feats, head, deprel) rows."""

    def build(*rows: Row) -> Sentence:
        words = tuple(Word(form=f, upos=u, feats=x, head=h, deprel=d) for f, u, x, h, d in rows)
        units = tuple(
            SurfaceUnit(form=word.form, first_word=i, last_word=i) for i, word in enumerate(words, start=1)
        )
        text = " ".join(word.form for word in words)
        return Sentence(sent_id="1", text=text, words=words, units=units)

    return build


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The real data that RIG_TEST_DATA names; skips where it is not set."""
    folder = os.environ.get("RIG_TEST_DATA")
    if not folder:
        pytest.skip("RIG_TEST_DATA is not set: no treebank to test on")
    return Path(folder)

from collections.abc import Callable

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

"""The texts that models are asked: cut at spaces, unequal, in pairs that part, and one that is long."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.audit.probe import Probe, mean_nats, shared_tokens
from rig.core.documents import Document
from rig.core.errors import ModelError
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel


class Bytes(AbstractLanguageModel):
    """Scores each character as its own token."""

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        return [character_scores(document) for document in documents]


class Swaps(Bytes):
    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        return super().score(documents)[::-1]


def character_scores(document: Document) -> TokenScores:
    ends = np.arange(1, document.n_chars + 1)
    return TokenScores(
        doc_id=document.doc_id,
        token_id=np.array([ord(character) for character in document.text], dtype=np.int64),
        char_start=ends - 1,
        char_end=ends,
        logprob=np.full(document.n_chars, -1.0),
        n_chars=document.n_chars,
    )


def test_texts_have_unequal_lengths_and_end_with_a_word(documents: tuple[Document, ...]) -> None:
    probe = Probe(Bytes(), documents, thorough=False)
    lengths = [document.n_chars for document in probe.documents]
    assert len(set(lengths)) >= 4
    assert max(lengths) <= 96
    for text, whole in zip(probe.documents, documents, strict=False):
        assert whole.text.startswith(text.text)
        assert text.n_chars == whole.n_chars or whole.text[text.n_chars] == " "


def test_pairs_share_their_beginning_and_nothing_more(documents: tuple[Document, ...]) -> None:
    probe = Probe(Bytes(), documents, thorough=True)
    assert len(probe.pairs) == 12
    for pair in probe.pairs:
        assert pair.one.text[: pair.n_common] == pair.other.text[: pair.n_common]
        assert pair.one.text[pair.n_common] != pair.other.text[pair.n_common]
        n_shared = shared_tokens(
            character_scores(pair.one), character_scores(pair.other), n_chars=pair.n_common
        )
        assert n_shared == pair.n_common >= 10


def test_the_long_text_is_longer_than_the_documents_if_it_must_be() -> None:
    probe = Probe(Bytes(), [Document(doc_id="a", text="uma casa azul")], thorough=True)
    assert 11_900 < probe.long_document.n_chars <= 12_000
    assert set(probe.long_document.text.split()) == {"uma", "casa", "azul"}


def test_shared_tokens_end_with_the_shared_characters() -> None:
    """`casa` and `casas` share the characters `casa`; a token `casas` would reach beyond them."""
    one, other = (character_scores(Document(doc_id="x", text=text)) for text in ("casa b", "casas b"))
    assert shared_tokens(one, other, n_chars=4) == 4
    assert shared_tokens(one, other, n_chars=2) == 2
    assert shared_tokens(one, one, n_chars=99) == 6


def test_mean_nats_weights_tokens_and_not_texts() -> None:
    short, long = (character_scores(Document(doc_id="x", text=text)) for text in ("a", "abc"))
    short.logprob[:] = -5.0
    assert mean_nats([short, long]) == (5.0 + 3.0) / 4


def test_scores_of_another_text_are_refused(documents: tuple[Document, ...]) -> None:
    probe = Probe(Swaps(), documents, thorough=False)
    with pytest.raises(ModelError, match="`score` must give one TokenScores for each document, in order"):
        probe.score_together(probe.documents)


@given(st.lists(st.text(alphabet="ab ç\n", max_size=60), max_size=4))
def test_any_texts_can_be_probed(texts: list[str]) -> None:
    documents = [Document(doc_id=str(index), text=text) for index, text in enumerate(texts)]
    probe = Probe(Bytes(), documents, thorough=False)
    assert len(probe.documents) == sum(bool(text.strip()) for text in texts)
    for document in (*probe.documents, *(text for pair in probe.pairs for text in (pair.one, pair.other))):
        assert document.text == document.text.strip()

"""All selected tokens of a window are hidden at once, each token is in one window, none is shown."""

import numpy as np
import pytest

from rig.core.documents import Document
from rig.core.errors import ModelError
from rig.metrics.masked import selected_tokens
from rig.models.base import Filled, Gaps
from rig.models.masked_prediction import predict_selected
from rig.models.tokenizer import Encoding


class Characters:
    """A token is a character; the answer is -1/(1 + place in the window), the prediction its place."""

    def __init__(self, max_tokens: int) -> None:
        self.max_tokens = max_tokens
        self.gaps: list[Gaps] = []

    def encode(self, texts: list[str]) -> list[Encoding]:
        return [
            Encoding.from_ends(np.array([ord(char) for char in text], np.int64), np.arange(len(text)) + 1)
            for text in texts
        ]

    def fill(self, gaps: list[Gaps]) -> list[Filled]:
        self.gaps += gaps
        return [Filled(logprob=-1.0 / (1.0 + one.asked), predicted=one.asked) for one in gaps]


DOCUMENTS = [
    Document(doc_id="long", text="abcdefghij" * 7),
    Document(doc_id="empty", text=""),
    Document(doc_id="short", text="xyzabc" * 3),
]


@pytest.mark.parametrize("max_tokens", [1, 7, 20, 500])
def test_each_selected_token_is_predicted_once_in_consecutive_windows(max_tokens: int) -> None:
    model = Characters(max_tokens)
    answers = predict_selected(model, DOCUMENTS)
    assert [tokens.doc_id for tokens in answers] == ["long", "empty", "short"]
    for document, tokens in zip(DOCUMENTS, answers, strict=True):
        n = len(document.text)
        expected = selected_tokens(document.doc_id, np.arange(n), np.arange(n) + 1, n)
        assert tokens.position.tolist() == expected.tolist()
        assert tokens.token_id.tolist() == [ord(document.text[place]) for place in expected]
        assert tokens.predicted.tolist() == (expected % max_tokens).tolist()
        assert tokens.logprob.tolist() == (-1.0 / (1.0 + expected % max_tokens)).tolist()
    for one in model.gaps:
        assert len(one.token_id) <= max_tokens
        assert one.hidden.tolist() == one.asked.tolist()
        assert len(one.asked)


def test_a_window_without_a_selected_token_is_not_asked_about() -> None:
    model = Characters(1)
    answers = predict_selected(model, DOCUMENTS)
    assert len(model.gaps) == sum(len(tokens.position) for tokens in answers)


def test_missing_answers_are_refused() -> None:
    class Lazy(Characters):
        def fill(self, gaps: list[Gaps]) -> list[Filled]:
            return super().fill(gaps)[1:]

    with pytest.raises(ModelError, match=r"was given \d+ texts with gaps and filled \d+"):
        predict_selected(Lazy(20), DOCUMENTS)

"""What is no prediction of a hidden token is refused, by document and token."""

import math

import numpy as np
import pytest

from rig.core.errors import ModelError
from rig.core.masked_tokens import MaskedTokens, no_masked_tokens


def test_a_document_without_hidden_tokens_has_none() -> None:
    tokens = no_masked_tokens("d")
    assert tokens.doc_id == "d"
    assert len(tokens.position) == len(tokens.token_id) == len(tokens.predicted) == len(tokens.logprob) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"predicted": np.zeros(1, np.int64)}, "document 'd': .* must have equal lengths"),
        ({"position": np.array([3, 3])}, "document 'd': the positions of hidden tokens must be ascending"),
        ({"position": np.array([-1, 3])}, "document 'd': the positions of hidden tokens must be ascending"),
        ({"logprob": np.array([-1.0, math.nan])}, "must be finite and <= 0, got nan at hidden token 3"),
        ({"logprob": np.array([0.5, -1.0])}, r"must be finite and <= 0, got 0\.5 at hidden token 1"),
    ],
)
def test_what_is_no_prediction_is_refused(changes: dict[str, np.ndarray], message: str) -> None:
    two = np.zeros(2, np.int64)
    good = {
        "position": np.array([1, 3]),
        "token_id": two,
        "predicted": two,
        "logprob": np.array([-1.0, -1.0]),
    }
    with pytest.raises(ModelError, match=message):
        MaskedTokens(doc_id="d", **{**good, **changes})

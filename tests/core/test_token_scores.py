import numpy as np
import pytest

from rig.core.errors import ModelError
from rig.core.token_scores import TokenScores


def scores(**changes: object) -> TokenScores:
    fields: dict[str, object] = {
        "doc_id": "d",
        "token_id": np.array([1, 2]),
        "char_start": np.array([0, 1]),
        "char_end": np.array([1, 3]),
        "logprob": np.array([-1.0, -0.5]),
        "n_chars": 3,
    }
    return TokenScores(**{**fields, **changes})  # type: ignore[arg-type]


def test_token_scores_add_up() -> None:
    assert (scores().n_tokens, scores().total_nats) == (2, 1.5)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"token_id": np.array([1])}, "must have equal lengths"),
        ({"logprob": np.array([-1.0, -0.5], dtype=np.float32)}, "must be float64, got float32"),
        ({"logprob": np.array([-1.0, np.nan])}, r"finite and <= 0, got nan at token 1 \(1 such tokens\)"),
        ({"logprob": np.array([0.5, -np.inf])}, r"finite and <= 0, got 0.5 at token 0 \(2 such tokens\)"),
        ({"char_start": np.array([0, 2])}, "token 1 begins at 2 where 1 was due"),
        ({"char_start": np.array([1, 1])}, "token 0 begins at 1 where 0 was due"),
        ({"n_chars": 4}, "must cover all 4 characters once, but they end at 3"),
        (
            {"char_start": np.array([0, 3]), "char_end": np.array([3, 1]), "n_chars": 1},
            "must cover all 1 characters",
        ),
    ],
)
def test_what_is_no_score_is_refused(changes: dict[str, object], text: str) -> None:
    with pytest.raises(ModelError, match=f"document 'd': .*{text}"):
        scores(**changes)

"""Which pairs of tokens share a morpheme, against a slow loop. The switches are tested in test_network."""

import numpy as np
import pytest

from rig.models.masha import MorphemicPrior, Switches
from rig.models.morphemes import MorphemeTable


def prior(morpheme_id: np.ndarray, switches: Switches) -> MorphemicPrior:
    names = tuple(f"m{i}" for i in range(int(morpheme_id.max()) + 1))
    return MorphemicPrior(MorphemeTable(morphemes=names, morpheme_id=morpheme_id), switches)


def test_the_bias_lies_between_tokens_with_a_common_morpheme_and_on_a_token_with_itself() -> None:
    rng = np.random.default_rng(0)
    morpheme_id = np.full((20, 3), -1, np.int32)
    for row in morpheme_id:
        n = rng.integers(0, 4)
        row[:n] = np.sort(rng.choice(6, n, replace=False))
    ids = rng.integers(0, 20, size=(4, 9))
    sets = [{m for m in row if m >= 0} for row in morpheme_id.tolist()]
    expected = [[[0.75 * bool(sets[a] & sets[b]) for b in row] for a in row] for row in ids]
    switches = Switches(attention_bias=True, bias_strength=0.75)
    np.testing.assert_array_equal(prior(morpheme_id, switches).attention_bias(ids), expected)
    assert 0.1 < np.mean(expected) / 0.75 < 0.9


def test_two_tokens_without_morphemes_share_nothing() -> None:
    morpheme_id = np.array([[-1, -1], [-1, -1], [0, -1]], np.int32)
    shared = prior(morpheme_id, Switches(attention_bias=True)).shares_morpheme(np.array([[0, 1, 2]]))
    assert shared[0].tolist() == [[False, False, False], [False, False, False], [False, False, True]]


@pytest.mark.parametrize("switches", [Switches(embedding=True), Switches(output_logits=True), Switches()])
def test_without_b_there_is_no_bias(switches: Switches) -> None:
    morpheme_id = np.array([[0], [0]], np.int32)
    assert prior(morpheme_id, switches).attention_bias(np.array([[0, 1]])) is None


def test_trained_tables_are_those_of_the_switches() -> None:
    morpheme_id = np.array([[0], [1], [1]], np.int32)
    both = Switches(embedding=True, output_logits=True)
    assert prior(morpheme_id, both).shapes(8) == {"morpheme_embedding": (2, 8), "morpheme_output": (2, 8)}
    assert prior(morpheme_id, Switches(attention_bias=True)).shapes(8) == {}
    assert [Switches().any, Switches(bias_strength=2.0).any, Switches(output_logits=True).any] == [
        False, False, True,
    ]  # fmt: skip

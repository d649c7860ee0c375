import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.core.sentences import Sentence, Word
from rig.parsers.tree_depth import DepthByLength, tree_depth


def of_heads(*heads):
    words = tuple(Word(form="x", upos="X", head=head, deprel="dep") for head in heads)
    return Sentence(sent_id="1", text="", words=words, units=())


@pytest.mark.parametrize(
    ("heads", "depth"),
    [((0,), 1), ((0, 1), 2), ((2, 0, 2), 2), ((0, 1, 2, 3), 4), ((0, 1, 1, 2, 4), 4), ((), 0)],
)
def test_depth_by_hand(heads, depth):
    assert tree_depth(of_heads(*heads)) == depth


@given(st.integers(min_value=1, max_value=30), st.data())
def test_depth_equals_the_longest_walk_to_the_root(n, data):
    # Each word hangs on an earlier one, so any draw is a tree.
    heads = [0] + [data.draw(st.integers(min_value=1, max_value=i)) for i in range(1, n)]
    walks = []
    for position in range(1, n + 1):
        steps = 0
        while position:
            steps, position = steps + 1, heads[position - 1]
        walks.append(steps)
    assert tree_depth(of_heads(*heads)) == max(walks)


def test_words_off_the_root_are_ignored_and_a_circle_ends():
    assert tree_depth(of_heads(0, 3, 2)) == 1


def test_mean_depth_of_equal_length():
    human = DepthByLength.of([(5, 4), (3, 2), (5, 2), (9, 6)])
    assert human.mean(5, at_least=2) == 3.0
    assert human.mean(3, at_least=1) == 2.0
    # Too few of length 3: length 4, then 5 joins, (2 + 4 + 2) / 3.
    assert human.mean(3, at_least=2) == pytest.approx(8 / 3)
    assert human.mean(100, at_least=1) == 6.0
    assert human.mean(7, at_least=50) == 3.5


def test_no_reference_gives_none():
    assert DepthByLength.of([]).mean(5) is None

"""Each input new once, with the context that is promised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.models.windows import equal_length_batches, padded_batches, windows


def test_windows_by_hand() -> None:
    found = [(w.start, w.first_new, w.stop) for w in windows(11, context=4, stride=3)]
    assert found == [(0, 0, 4), (3, 4, 7), (6, 7, 10), (9, 10, 11)]


@pytest.mark.parametrize(
    ("n_inputs", "expected"), [(0, []), (1, [(0, 0, 1)]), (4, [(0, 0, 4)]), (5, [(0, 0, 4), (2, 4, 5)])]
)
def test_short_documents(n_inputs: int, expected: list[tuple[int, int, int]]) -> None:
    assert [(w.start, w.first_new, w.stop) for w in windows(n_inputs, context=4, stride=2)] == expected


@given(n_inputs=st.integers(0, 300), context=st.integers(1, 40), data=st.data())
def test_every_input_is_new_in_exactly_one_window_with_enough_before_it(
    n_inputs: int, context: int, data: st.DataObject
) -> None:
    stride = data.draw(st.integers(1, context))
    new: list[int] = []
    for window in windows(n_inputs, context=context, stride=stride):
        assert window.start <= window.first_new < window.stop <= window.start + context
        if window.start > 0:
            assert window.first_new - window.start == context - stride
        new += range(window.first_new, window.stop)
    assert new == list(range(n_inputs))


@pytest.mark.parametrize("stride", [0, 5, -1])
def test_a_stride_that_skips_or_stands_still_is_refused(stride: int) -> None:
    with pytest.raises(ValueError, match=rf"`stride` must be in \[1, 4\], the context, got {stride}"):
        windows(9, context=4, stride=stride)


@given(lengths=st.lists(st.integers(1, 40), max_size=30), batch_size=st.integers(1, 7))
def test_batches_hold_each_sequence_once_in_order_and_padded_to_the_context(
    lengths: list[int], batch_size: int
) -> None:
    sequences = [np.full(length, index + 1) for index, length in enumerate(lengths)]
    seen: list[int] = []
    for batch in padded_batches(sequences, context=40, batch_size=batch_size):
        assert 1 <= len(batch.index) == len(batch.ids) <= batch_size
        for index, row in zip(batch.index, batch.ids, strict=True):
            assert row.tolist() == [index + 1] * lengths[index] + [0] * (40 - lengths[index])
            seen.append(index)
    assert seen == list(range(len(lengths)))


@pytest.mark.parametrize("batch_size", [1, 2, 5])
def test_sequences_are_batched_with_their_own_length_only(batch_size: int) -> None:
    sequences = [np.full(length, index) for index, length in enumerate([3, 1, 3, 2, 3, 1])]
    seen: list[int] = []
    for index, ids in equal_length_batches(sequences, batch_size=batch_size):
        assert 1 <= len(index) <= batch_size
        for which, row in zip(index, ids, strict=True):
            np.testing.assert_array_equal(row, sequences[which])
        seen += index
    assert sorted(seen) == list(range(6))
    assert seen == [1, 5, 3, 0, 2, 4]  # by length, then as given
    assert list(equal_length_batches([], batch_size=2)) == []

"""Each sequence once, with its like."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rig.models.hf.batches import bucketed


@given(lengths=st.lists(st.integers(0, 9), max_size=20), batch_size=st.integers(1, 7))
def test_each_sequence_is_in_one_batch_as_it_is(lengths: list[int], batch_size: int) -> None:
    sequences = [np.full(n, index + 1) for index, n in enumerate(lengths)]
    batches = list(bucketed(sequences, batch_size=batch_size))
    seen = [index for batch in batches for index in batch.index]
    assert sorted(seen) == [index for index, n in enumerate(lengths) if n]
    for batch in batches:
        assert len(batch.index) <= batch_size
        assert batch.ids.shape == (len(batch.index), batch.length.max())
        for row, index, n in zip(batch.ids, batch.index, batch.length, strict=True):
            assert row[:n].tolist() == sequences[index].tolist()
            assert not row[n:].any()
        assert batch.is_padded == (len(set(batch.length.tolist())) > 1)
        assert batch.length.max() - batch.length.min() <= 4


def test_the_longest_come_first_and_equals_in_order() -> None:
    sequences = [np.ones(n, np.int64) for n in (2, 5, 2, 5, 1)]
    assert [batch.index for batch in bucketed(sequences, batch_size=2)] == [(1, 3), (0, 2), (4,)]


def test_a_batch_is_at_most_an_eighth_padding() -> None:
    sequences = [np.ones(n, np.int64) for n in (80, 70, 69, 61, 60, 5, 1)]
    assert [batch.index for batch in bucketed(sequences, batch_size=9)] == [(0, 1), (2, 3), (4,), (5, 6)]

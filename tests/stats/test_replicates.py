import numpy as np
import pytest

from rig.core.errors import DataError
from rig.stats.replicates import average_repeats, refuse_duplicates


def test_duplicate_seeds_are_refused() -> None:
    per_document = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    with pytest.raises(
        DataError, match="kind 'masha': seeds 41 and 43 have identical values on every document"
    ):
        refuse_duplicates([41, 42, 43], per_document, kind="masha")


def test_distinct_seeds_pass_even_with_equal_means() -> None:
    refuse_duplicates([41, 42], np.array([[1.0, 2.0], [2.0, 1.0]]), kind="masha")


def test_repeated_seed_is_averaged_before_inference() -> None:
    seeds, means = average_repeats([43, 41, 43], np.array([[1.0], [5.0], [2.0]]))
    assert seeds == (41, 43)
    np.testing.assert_array_equal(means, [[5.0], [1.5]])

from typing import Any

import numpy as np
import pytest

from rig.core.errors import DataError
from rig.stats.crossed_sums import crossed_sums

TOTAL = np.arange(2 * 2 * 3 * 1, dtype=float).reshape(2, 2, 3, 1)
WEIGHT = np.array([[1.0], [2.0], [1.0]])


def build(**changes: Any) -> Any:
    return crossed_sums(
        **{"total": TOTAL, "weight": WEIGHT, "kinds": ["a", "b"], "seeds": [41, 42], **changes}
    )


def test_ratios_pool_totals_over_weights() -> None:
    sums = build()
    assert (sums.n_seeds, sums.n_docs, sums.n_metrics) == (2, 3, 1)
    # Totals 0+1+2, 3+4+5, 6+7+8, 9+10+11 over 4.
    np.testing.assert_array_equal(sums.ratios()[..., 0], [[3 / 4, 12 / 4], [21 / 4, 30 / 4]])


def test_weights_may_differ_by_kind() -> None:
    sums = build(weight=np.stack([WEIGHT, 2 * WEIGHT]))
    np.testing.assert_array_equal(sums.ratios()[..., 0], [[3 / 4, 12 / 4], [21 / 8, 30 / 8]])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kinds": ["a"]}, "`total` must have shape .* for 1 kinds and 2 seeds"),
        ({"weight": WEIGHT[:2]}, r"`weight` must have shape \(3, 1\) or \(2, 3, 1\), got \(2, 1\)"),
        ({"total": np.full_like(TOTAL, np.nan)}, "totals must be finite and weights finite and >= 0"),
        ({"weight": -WEIGHT}, "totals must be finite and weights finite and >= 0"),
        ({"weight": 0 * WEIGHT}, "metric column 0 has weight 0 in every document; leave it out"),
        ({"total": np.ones_like(TOTAL)}, "kind 'a': seeds 41 and 42 have identical values on every document"),
    ],
)
def test_bad_sums_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        build(**changes)

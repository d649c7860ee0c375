import numpy as np
import pytest
from statsmodels.stats.weightstats import ttost_paired

from rig.stats.equivalence import equivalence
from rig.stats.student_t import student_t


@pytest.mark.parametrize("margin", [0.01, 0.1, 1.0])
def test_equals_statsmodels(margin: float) -> None:
    rng = np.random.default_rng(0)
    base, variant = rng.normal(size=(2, 6))
    (t,) = student_t((variant - base)[:, None], scale=np.array([3.0]), confidence_level=0.95)
    ours = equivalence(t, margin=margin)
    theirs = ttost_paired(variant, base, -margin, margin)[0]
    assert ours is not None
    assert ours.p == pytest.approx(theirs, rel=1e-12)
    assert ours.margin == margin


def test_is_none_at_zero_variance() -> None:
    (t,) = student_t(np.full((3, 1), 0.25), scale=np.array([1.0]), confidence_level=0.95)
    assert equivalence(t, margin=1.0) is None

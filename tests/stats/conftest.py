from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rig.stats.paired import PairedComparison, compare

BASE = (3.512, 3.498, 3.530)
VARIANT = (3.505, 3.462, 3.528)


@pytest.fixture
def worked_example() -> PairedComparison:
    """Cross-entropies of three seeds whose bootstrap interval excludes 0 while t says p = 0.29."""
    return compare_one(BASE, VARIANT)


def compare_one(base: Any, variant: Any, **options: Any) -> PairedComparison:
    settings: dict[str, Any] = {
        "confidence_level": 0.95,
        "n_resamples": 10_000,
        "rng": np.random.default_rng(7),
        **options,
    }
    return compare(np.reshape(base, (-1, 1)), np.reshape(variant, (-1, 1)), **settings)[0]


@pytest.fixture(name="compare_one")
def _compare_one() -> Callable[..., PairedComparison]:
    return compare_one

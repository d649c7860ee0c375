"""The exact sign-flip (paired permutation) test: what the signs of a few differences can say."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

MAX_PAIRS_ENUMERATED = 20
"""2^19 sign patterns, half of 2^20 by symmetry; above, the test is not computed."""

_RELATIVE_TOLERANCE = 1e-12
_PATTERNS_AT_ONCE = 1 << 14


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SignFlip:
    """Exact two-sided sign-flip test that the differences are symmetric about 0."""

    p: float
    """Share of the 2^n sign patterns whose |mean| is at least the observed one; never 0."""
    floor: float
    """The smallest p that n pairs can give, 2 / 2^n."""


def sign_flip(differences: npt.NDArray[np.float64]) -> tuple[SignFlip | None, ...]:
    """Exact sign-flip test of each column.

    Zeros are kept. Sums within 1e-12 of the column's sum of magnitudes count as ties, and ties count as at
    least as extreme, so that rounding can't lower p. Equal to `scipy.stats.permutation_test` with
    `permutation_type="samples"` on the mean.

    Args:
        differences: (n_pairs, n_tests), finite.

    Returns:
        One result a column; None above 20 pairs.
    """
    n_pairs, n_tests = differences.shape
    if n_pairs > MAX_PAIRS_ENUMERATED:
        return tuple(None for _ in range(n_tests))
    largest = np.abs(differences).max(axis=0)
    exponent = np.frexp(largest)[1]
    scaled = np.ldexp(differences, -exponent)
    threshold = np.abs(scaled.sum(axis=0)) - _RELATIVE_TOLERANCE * np.abs(scaled).sum(axis=0)
    extreme = np.zeros(n_tests, dtype=np.int64)
    # The pattern with every sign turned has the same |mean|: fix the first sign and count each twice.
    n_patterns = 1 << (n_pairs - 1)
    for start in range(0, n_patterns, _PATTERNS_AT_ONCE):
        pattern = np.arange(start, min(start + _PATTERNS_AT_ONCE, n_patterns))
        flipped = (pattern[:, None] >> np.arange(n_pairs - 1)) & 1
        signs = np.concatenate([np.ones((len(pattern), 1)), 1.0 - 2.0 * flipped], axis=1)
        extreme += (np.abs(signs @ scaled) >= threshold).sum(axis=0)
    floor = 2.0 / 2.0**n_pairs
    return tuple(SignFlip(p=float(count) / n_patterns, floor=floor) for count in extreme)

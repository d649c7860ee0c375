"""A balanced draw of agreement pairs: as many from each cell of number x attractor, no lemma too often."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from rig.core.errors import DataError, UsageError
from rig.data.agreement_items import CELLS, AgreementPair

MAX_PER_LEMMA = 6
"""Pairs of one verb lemma in a cell; without a limit *ser* and *estar* fill a quarter of it."""


def draw_balanced(
    pool: Iterable[AgreementPair], *, n: int, rng: np.random.Generator
) -> tuple[AgreementPair, ...]:
    """A draw of n pairs, n/4 from each of the four cells, at most `MAX_PER_LEMMA` of a verb lemma in a cell.

    Args:
        pool: Pairs with unique ids; their order has no influence. Of pairs with the same two sentences, which
            news repeats word for word, the first by id is kept.
        n: A multiple of 4, at least 4.
        rng: Decides which.

    Returns:
        (n,) in the order of `CELLS`, then of the pairs' ids.

    Raises:
        UsageError: `n` is no multiple of 4.
        DataError: A cell has too few pairs; the message says how many the corpus can give.
    """
    if n < len(CELLS) or n % len(CELLS):
        raise UsageError(f"`--n` must be a multiple of {len(CELLS)}, the number of cells, got {n}")
    by_id = sorted(pool, key=lambda pair: pair.item_id)
    candidates = list({(pair.text_bad, pair.text): pair for pair in reversed(by_id)}.values())[::-1]
    drawn = {cell: _draw([pair for pair in candidates if pair.cell == cell], rng=rng) for cell in CELLS}
    smallest = min(CELLS, key=lambda cell: len(drawn[cell]))
    if len(drawn[smallest]) < n // len(CELLS):
        raise DataError(
            f"cell {smallest} has {len(drawn[smallest])} pairs with at most {MAX_PER_LEMMA} of a lemma, but "
            f"{n // len(CELLS)} are needed; ask for at most --n {len(CELLS) * len(drawn[smallest])} or for "
            "more splits"
        )
    return tuple(
        pair
        for cell in CELLS
        for pair in sorted(drawn[cell][: n // len(CELLS)], key=lambda pair: pair.item_id)
    )


def _draw(candidates: list[AgreementPair], *, rng: np.random.Generator) -> list[AgreementPair]:
    """The candidates in random order, without those beyond the limit of their lemma."""
    taken: Counter[str] = Counter()
    kept = []
    for index in rng.permutation(len(candidates)):
        pair = candidates[index]
        taken[pair.lemma] += 1
        if taken[pair.lemma] <= MAX_PER_LEMMA:
            kept.append(pair)
    return kept

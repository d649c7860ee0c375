"""Interpolated Kneser-Ney probabilities of token ids.

    p_k(w | h) = max(c_k(h w) - D_k, 0) / C_k(h)  +  D_k T_k(h) / C_k(h)  p_{k-1}(w | h')

C_k(h) sums c_k(h w) over w, T_k(h) counts the w that were seen after h, h' is h without its first token, and
p_0 is uniform over all ids but BOS. Where h was never seen, p_k(w | h) = p_{k-1}(w | h'). The count c_k is
the plain one for the highest order; below it, the number of different tokens seen before the k-gram, except
that a k-gram which begins with BOS, and so has nothing before it, keeps its plain count (as SRILM and KenLM
do). One discount an order, not the three of the modified method. A document's first tokens have what context
there is: BOS and the tokens since, never a row of BOS marks.

Kneser and Ney 1995; in the interpolated form of Chen and Goodman 1999.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, final

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_UNSEEN = -1
_FALLBACK_DISCOUNT = 0.75
"""Where the counts of counts give no discount inside (0, 1)."""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Order:
    """The k-grams of one order k.

    A context is a number: 0 for k = 1, a token id for k = 2, a row of the order below for k > 2. So a k-gram
    is the one integer `context * vocab_size + token`.
    """

    keys: Ids
    """(n_grams,) sorted."""
    discounted: Floats
    """(n_grams,) the count less the discount, >= 0."""
    total: Floats
    """(n_contexts,) C_k; 0 for a context that nothing followed."""
    kept_back: Floats
    """(n_contexts,) D_k T_k, what the discounts leave for the order below."""

    def rows(self, keys: Ids) -> Ids:
        """The row of each key, or `_UNSEEN`."""
        if not len(self.keys):
            return np.full(keys.shape, _UNSEEN)
        nearest = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[nearest] == keys, nearest, _UNSEEN)


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Occurrences:
    """Where the k-grams of one order stand in the joined documents, while they are counted."""

    keys: Ids
    """(n_grams,) sorted."""
    first_at: Ids
    """(n_grams,) where each ends for the first time."""
    n_times: Ids
    """(n_grams,) plain counts."""
    row_at: Ids
    """(n_positions,) the row of the k-gram that ends here, or `_UNSEEN`."""


@final
class KneserNey:
    """A model of token sequences that begin with BOS, counted from documents."""

    def __init__(
        self, orders: Sequence[_Order], *, discounts: Sequence[float], vocab_size: int, bos_id: int
    ) -> None:
        self._orders = tuple(orders)
        self._vocab_size = vocab_size
        self._bos_id = bos_id
        self.discounts = tuple(discounts)
        """(order,) the discount of each order, from 1 upwards."""
        self.n_grams = tuple(len(order.keys) for order in orders)
        """(order,) different k-grams seen, from k = 1 upwards."""

    @classmethod
    def count(
        cls,
        documents: Sequence[Ids],
        *,
        order: int,
        vocab_size: int,
        bos_id: int,
        discounts: Sequence[float] | None = None,
    ) -> Self:
        """Count the n-grams of documents.

        Args:
            documents: Token ids of each, without BOS; together at least one token.
            order: The longest n-gram, >= 1.
            vocab_size: Ids lie below it; >= 2.
            bos_id: Stands before each document.
            discounts: (order,) each in (0, 1); None estimates D_k = n1 / (n1 + 2 n2) from the numbers of
                k-grams counted once and twice, or takes 0.75 where there are none of either.
        """
        tokens, place = _joined(documents, bos_id)
        found: list[_Occurrences] = []
        for k in range(1, order + 1):
            found.append(_occurrences(tokens, place, k, found, vocab_size))
        counts = [
            _continuations(short, long, place, k)
            for k, (short, long) in enumerate(itertools.pairwise(found), start=1)
        ]
        counts.append(found[-1].n_times)
        if discounts is None:
            discounts = [_estimated_discount(of_order) for of_order in counts]
        n_contexts = [1, vocab_size, *(len(grams.keys) for grams in found[1:])]
        orders = [
            _order(grams.keys, of_order, discount, n, vocab_size)
            for grams, of_order, discount, n in zip(found, counts, discounts, n_contexts, strict=False)
        ]
        return cls(orders, discounts=discounts, vocab_size=vocab_size, bos_id=bos_id)

    def logprob(self, ids: Ids) -> Floats:
        """Natural log-probability of each token of one document given BOS and those before, (n_tokens,)."""
        probability = np.full(len(ids), self._uniform)
        context = np.zeros(len(ids), dtype=np.int64)
        for k, order in enumerate(self._orders, start=1):
            rows = np.where(context == _UNSEEN, _UNSEEN, order.rows(context * self._vocab_size + ids))
            if len(order.keys):
                discounted = np.where(rows == _UNSEEN, 0.0, order.discounted[rows])
                seen = (context != _UNSEEN) & (order.total[context] > 0)
                lower = order.kept_back[context[seen]] * probability[seen]
                probability[seen] = (discounted[seen] + lower) / order.total[context[seen]]
            first = self._bos_id if k == 1 else _UNSEEN
            context = np.concatenate([np.array([first]), ids if k == 1 else rows])[:-1]
        rounded = np.minimum(probability, 1.0)  # the two parts of a sure token may round to more than one
        return np.asarray(np.log(rounded), dtype=np.float64)

    def next_probabilities(self, ids: Sequence[int]) -> Floats:
        """The probability of each id after these, BOS first: (vocab_size,), sums to one, 0 for BOS."""
        probabilities = np.full(self._vocab_size, self._uniform)
        probabilities[self._bos_id] = 0.0
        for k, order in enumerate(self._orders, start=1):
            context = self._context(ids, k)
            if context == _UNSEEN or order.total[context] == 0:
                break  # a longer context was not seen either
            first_key = context * self._vocab_size
            low, high = np.searchsorted(order.keys, [first_key, first_key + self._vocab_size]).tolist()
            probabilities *= order.kept_back[context]
            probabilities[order.keys[low:high] - first_key] += order.discounted[low:high]
            probabilities /= order.total[context]
        return probabilities

    @property
    def _uniform(self) -> float:
        return 1.0 / (self._vocab_size - 1)

    def _context(self, ids: Sequence[int], k: int) -> int:
        """The number of the last `k` - 1 of these ids as a context of order `k`, or `_UNSEEN`."""
        if k == 1:
            return 0
        if len(ids) < k - 1:
            return _UNSEEN
        number, *following = ids[len(ids) - (k - 1) :]
        for order, token in zip(self._orders[1:], following, strict=False):
            number = int(order.rows(np.array([number * self._vocab_size + token]))[0])
            if number == _UNSEEN:
                return _UNSEEN
        return number


def _joined(documents: Sequence[Ids], bos_id: int) -> tuple[Ids, Ids]:
    """All documents after one another, BOS before each; and each token's place in its own, BOS at 0."""
    tokens = np.concatenate([np.concatenate([np.array([bos_id]), ids]) for ids in documents])
    place = np.concatenate([np.arange(len(ids) + 1) for ids in documents])
    return tokens, place


def _occurrences(
    tokens: Ids, place: Ids, k: int, shorter: Sequence[_Occurrences], vocab_size: int
) -> _Occurrences:
    """The k-grams that end in each position with enough tokens of its document before it."""
    ends = np.flatnonzero(place >= max(k - 1, 1))  # BOS itself is given, never predicted
    match k:
        case 1:
            context = np.zeros(len(ends), dtype=np.int64)
        case 2:
            context = tokens[ends - 1]
        case _:
            context = shorter[-1].row_at[ends - 1]
    keys, first, row, n_times = np.unique(
        context * vocab_size + tokens[ends], return_index=True, return_inverse=True, return_counts=True
    )
    row_at = np.full(len(tokens), _UNSEEN)
    row_at[ends] = row
    return _Occurrences(keys=keys, first_at=ends[first], n_times=n_times, row_at=row_at)


def _continuations(short: _Occurrences, long: _Occurrences, place: Ids, k: int) -> Ids:
    """Of each k-gram, the number of different tokens before it; its plain count if it begins with BOS."""
    n_before = np.bincount(short.row_at[long.first_at], minlength=len(short.keys))
    begins_with_bos = place[short.first_at] == k - 1
    return np.where(begins_with_bos, short.n_times, n_before)


def _order(keys: Ids, counts: Ids, discount: float, n_contexts: int, vocab_size: int) -> _Order:
    context = keys // vocab_size
    total = np.bincount(context, weights=counts, minlength=n_contexts)
    n_different = np.bincount(context, minlength=n_contexts)
    return _Order(
        keys=keys,
        discounted=np.maximum(counts - discount, 0.0),
        total=total.astype(np.float64),
        kept_back=(discount * n_different).astype(np.float64),
    )


def _estimated_discount(counts: Ids) -> float:
    once, twice = int((counts == 1).sum()), int((counts == 2).sum())
    return once / (once + 2 * twice) if once and twice else _FALLBACK_DISCOUNT

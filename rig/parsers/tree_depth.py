"""Depth of a dependency tree, and the depth of human text of the same length to hold beside it.

Depth grows with length and is higher for word salad than for text, so it describes and never ranks.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

from rig.core.sentences import Sentence
from rig.parsers.tree_checks import children_of


def tree_depth(sentence: Sentence) -> int:
    """Number of nodes on the longest path from the root to a leaf, the root counted: 1 for a single word.

    All words count, punctuation too, over basic dependencies. Words that the root doesn't reach are ignored.
    """
    children = children_of(sentence.words)
    depth, level = 0, list(children[0])
    while level and depth < len(sentence.words):
        depth += 1
        level = [child for parent in level for child in children[parent]]
    return depth


@final
@dataclass(frozen=True, slots=True)
class DepthByLength:
    """Depth of reference sentences, by their number of words."""

    pairs: tuple[tuple[int, int], ...]
    """(n_words, depth) of each reference sentence, sorted."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[int, int]]) -> "DepthByLength":
        """From the number of words and the depth of each reference sentence, in any order."""
        return cls(tuple(sorted(pairs)))

    def mean(self, n_words: int, *, at_least: int = 10) -> float | None:
        """Mean depth of reference sentences of `n_words` words.

        Where there are fewer than `at_least` of that length, lengths at distance 1, 2, ... on both sides
        join until there are enough. None without any reference sentence.
        """
        if not self.pairs:
            return None
        wanted = min(at_least, len(self.pairs))
        radius = 0
        while len(near := self._within(n_words, radius)) < wanted:
            radius += 1
        return sum(depth for _, depth in near) / len(near)

    def _within(self, n_words: int, radius: int) -> Sequence[tuple[int, int]]:
        low = bisect_left(self.pairs, (n_words - radius, 0))
        high = bisect_left(self.pairs, (n_words + radius + 1, 0))
        return self.pairs[low:high]

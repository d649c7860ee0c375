"""What an unknown word costs: its spelling under a byte model that was fitted on the training words."""

import math
from collections.abc import Iterable
from typing import final

_END = 256
_N_SYMBOLS = 257
"""256 bytes and the end of the word."""
_START = b"\x00"
"""Stands before a word in its contexts. A real NUL byte shares it: that moves counts, not the sum to one."""


@final
class SpellingModel:
    r"""An interpolated byte n-gram model of words (Witten and Bell 1991, the method they call C).

    p(s | h) = (c(h, s) + T(h) p(s | h')) / (c(h) + T(h)), where c counts, T(h) is the number of different
    symbols seen after h, and h' is h without its first byte. Below the empty context p is uniform over the
    257 symbols, so every word has a cost, and with the end symbol the probabilities of all byte strings
    sum to one.
    """

    def __init__(self, words: Iterable[bytes], *, order: int = 5) -> None:
        """Count the symbols of each word after each context of up to `order` - 1 bytes.

        Args:
            words: Byte strings. Give each different word once: unknown words are like rare ones.
            order: Length of the longest n-gram, >= 1.
        """
        self._order = order
        self._followers: dict[bytes, dict[int, int]] = {}
        for word in words:
            for position, symbol in enumerate([*word, _END]):
                for context in self._contexts(word, position):
                    counts = self._followers.setdefault(context, {})
                    counts[symbol] = counts.get(symbol, 0) + 1
        self._totals = {context: sum(counts.values()) for context, counts in self._followers.items()}

    def nats(self, word: bytes) -> float:
        """-log of the word's probability, its end included; finite and > 0."""
        symbols = enumerate([*word, _END])
        return math.fsum(-math.log(self._probability(word, position, symbol)) for position, symbol in symbols)

    def _probability(self, word: bytes, position: int, symbol: int) -> float:
        probability = 1 / _N_SYMBOLS
        for context in self._contexts(word, position):
            if context in self._followers:
                counts = self._followers[context]
                n_different = len(counts)
                seen = counts.get(symbol, 0) + n_different * probability
                probability = seen / (self._totals[context] + n_different)
        return probability

    def _contexts(self, word: bytes, position: int) -> list[bytes]:
        """The contexts of the symbol at `position`, from the empty one to the longest."""
        before = _START + word[:position]
        longest = min(self._order - 1, len(before))
        return [before[len(before) - length :] for length in range(longest + 1)]

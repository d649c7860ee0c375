"""How alike two sentences look: what a model's similarity must beat to be more than shared spelling.

Pearson with the human scores of ASSIN-2 dev (500 pairs): word overlap .586, trigram cosine .655, length .268;
a small model's mean-pooled states that reach .55 have reached a bag of words.
"""

import math
import re
from collections import Counter

_WORD = re.compile(r"\w+")


def word_overlap(first: str, second: str) -> float:
    """Jaccard index of the two sentences' sets of words: shared types over all types.

    Words are lower-cased runs of letters, digits and underscores; punctuation is no word.

    Returns:
        A share in [0, 1]; 1 for the same words in any order.

    Raises:
        ValueError: A sentence holds no word.
    """
    a, b = set(_words(first)), set(_words(second))
    return len(a & b) / len(a | b)


def trigram_cosine(first: str, second: str) -> float:
    """Cosine of the two sentences' counts of character trigrams.

    Taken over the words of `word_overlap` joined by one space, with a space at both ends.

    Returns:
        A number in [0, 1].

    Raises:
        ValueError: A sentence holds no word.
    """
    a, b = _trigrams(first), _trigrams(second)
    dot = sum(count * b[trigram] for trigram, count in a.items())
    return dot / math.sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))


def negative_length_difference(first: str, second: str) -> float:
    """Minus the absolute difference of the sentences' lengths in code points; <= 0."""
    return -float(abs(len(first) - len(second)))


def _words(sentence: str) -> list[str]:
    words = _WORD.findall(sentence.lower())
    if not words:
        raise ValueError(f"a sentence must hold a word to be compared, got {sentence!r}")
    return words


def _trigrams(sentence: str) -> Counter[str]:
    text = f" {' '.join(_words(sentence))} "
    return Counter(text[start : start + 3] for start in range(len(text) - 2))

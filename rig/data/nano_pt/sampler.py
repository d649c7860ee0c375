"""Sentences drawn from the grammar, with their gold trees."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import Final, final

import numpy as np

from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.data.nano_pt.grammar import START, Emission, Grammar, LexicalWord

_CHUNK: Final = 4096
_NO_SPACE_BEFORE: Final = (",", ".")


@final
class Sampler:
    """Draws sentences from a grammar; the sequence depends on the generator's state alone."""

    def __init__(self, grammar: Grammar, *, rng: np.random.Generator) -> None:
        self._grammar = grammar
        self._uniform = _uniform(rng)

    def sentence(self, sent_id: str = "") -> Sentence:
        """One sentence with its tree."""
        return _Derivation(self._grammar, self._uniform).sentence(sent_id)


def _uniform(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(_CHUNK).tolist()


@final
class _Derivation:
    """One top-down, left-to-right expansion of the start symbol."""

    def __init__(self, grammar: Grammar, uniform: Iterator[float]) -> None:
        self._rules = grammar.rules
        self._emissions = grammar.emissions
        self._cumulative = grammar.cumulative
        self._uniform = uniform
        self._emitted: list[Emission] = []
        self._words: list[LexicalWord] = []
        self._heads: list[int] = []
        self._deprels: list[str] = []

    def sentence(self, sent_id: str) -> Sentence:
        self._hang(self._expand(START), 0, "root")
        words = [
            Word(
                form=word.form, upos=word.upos, head=head, deprel=deprel,
                lemma=word.lemma, feats=word.feats, misc=word.misc,
            )
            for word, head, deprel in zip(self._words, self._heads, self._deprels, strict=True)
        ]  # fmt: skip
        units = [(item.surface, len(item.words)) for item in self._emitted]
        return written(units, words, sent_id=sent_id)

    def _expand(self, symbol: str) -> Sequence[int]:
        """Expand a symbol; return the 1-based positions of its words that hang on something outside it."""
        table = self._cumulative[symbol]
        choice = bisect(table, next(self._uniform)) if len(table) > 1 else 0
        if symbol in self._emissions:
            return self._emit(self._emissions[symbol][choice])
        rule = self._rules[symbol][choice]
        if len(rule.children) == 1:
            return self._expand(rule.children[0].symbol)
        outer = [self._expand(child.symbol) for child in rule.children]
        head = outer[rule.head][0]
        for child, positions in zip(rule.children, outer, strict=True):
            if child.deprel is not None:
                self._hang(positions, head, child.deprel)
        return outer[rule.head]

    def _emit(self, emission: Emission) -> Sequence[int]:
        self._emitted.append(emission)
        first = len(self._words) + 1
        outer = []
        for offset, word in enumerate(emission.words):
            self._words.append(word)
            self._deprels.append(word.deprel or "")
            if word.head is None:
                self._heads.append(0)
                outer.append(first + offset)
            else:
                self._heads.append(first + word.head)
        return outer

    def _hang(self, positions: Sequence[int], head: int, deprel: str) -> None:
        for position in positions:
            self._heads[position - 1] = head
            self._deprels[position - 1] = self._deprels[position - 1] or deprel


def written(units: Sequence[tuple[str, int]], words: Sequence[Word], *, sent_id: str) -> Sentence:
    """The sentence as it is written: first letter capital, no space before a comma or the final stop.

    Args:
        units: Surface form in lower case (names apart) and number of words of each unit.
        words: Words in the order of the units.
        sent_id: The sentence's name.
    """
    surface_units: list[SurfaceUnit] = []
    first = 1
    for index, (surface, n_words) in enumerate(units):
        is_last = index + 1 == len(units)
        surface_units.append(
            SurfaceUnit(
                form=capitalised(surface) if index == 0 else surface,
                first_word=first,
                last_word=first + n_words - 1,
                space_after=is_last or units[index + 1][0] not in _NO_SPACE_BEFORE,
                is_multiword=n_words > 1,
            )
        )
        first += n_words
    opening = words[0]
    capital = Word(
        form=capitalised(opening.form), upos=opening.upos, head=opening.head, deprel=opening.deprel,
        lemma=opening.lemma, feats=opening.feats, misc=opening.misc,
    )  # fmt: skip
    return Sentence(
        sent_id=sent_id,
        text=written_text([surface for surface, _ in units]),
        words=(capital, *words[1:]),
        units=tuple(surface_units),
    )


def written_text(surfaces: Sequence[str]) -> str:
    """The text of a sentence from its units: a function of the units alone, and one that can be undone."""
    text = " ".join(surfaces)
    for mark in _NO_SPACE_BEFORE:
        text = text.replace(f" {mark}", mark)
    return capitalised(text)


def capitalised(text: str) -> str:
    """The text with its first letter capital, the others as they are."""
    return text[:1].upper() + text[1:]

"""Sentences of known quality: grammatical, with one agreement error, shuffled, and from a trigram model.

A parser that serves as a judge must tell these apart; truth is exact membership in the language.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, final

import numpy as np

from rig.core.seeding import stream
from rig.core.sentences import Sentence
from rig.data.nano_pt import syntax
from rig.data.nano_pt.agreement import other_number
from rig.data.nano_pt.exact import ExactModel, surface_units
from rig.data.nano_pt.grammar import Grammar
from rig.data.nano_pt.sampler import Sampler, written_text

TRIGRAM_SENTENCES: Final = 5_000
"""Sentences of the train grammar that the trigram model counts."""
MAX_UNITS: Final = 40
_BEGIN: Final = ""
_STOP: Final = "."


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """The same number of sentences of each quality; the first three are aligned."""

    gold: tuple[str, ...]
    """Drawn from the test grammar; the few without a verb to spoil are passed over."""
    agreement_error: tuple[str, ...]
    """The gold sentence with one verb's number flipped; exact probability 0."""
    shuffled: tuple[str, ...]
    """The gold sentence's units in another order, the final stop in place."""
    trigram: tuple[str, ...]
    """Drawn from the maximum-likelihood trigram model of train sentences."""


def contrast(n_sentences: int, *, rng: np.random.Generator) -> Contrast:
    """`n_sentences` of each quality."""
    grammar = syntax.test_grammar()
    model, sampler = ExactModel(grammar), Sampler(grammar, rng=rng)
    gold: list[str] = []
    wrong: list[str] = []
    shuffled: list[str] = []
    while len(gold) < n_sentences:
        sentence = sampler.sentence()
        spoiled = agreement_error(sentence, grammar, model)
        if spoiled is not None:
            gold.append(sentence.text)
            wrong.append(spoiled)
            shuffled.append(written_text(_shuffled(surface_units(sentence, grammar), rng=rng)))
    trigrams = train_trigrams()
    return Contrast(
        gold=tuple(gold),
        agreement_error=tuple(wrong),
        shuffled=tuple(shuffled),
        trigram=tuple(written_text(trigrams.sentence(rng=rng)) for _ in range(n_sentences)),
    )


@cache
def train_trigrams() -> "TrigramModel":
    """The trigram model of `TRIGRAM_SENTENCES` sentences of the train grammar, always the same ones."""
    grammar = syntax.train_grammar()
    sampler = Sampler(grammar, rng=stream(0, "nano_pt", "trigram sentences"))
    return TrigramModel(surface_units(sampler.sentence(), grammar) for _ in range(TRIGRAM_SENTENCES))


def agreement_error(sentence: Sentence, grammar: Grammar, model: ExactModel) -> str | None:
    """The sentence with the number of its first such verb flipped that this makes ungrammatical; or None."""
    units = surface_units(sentence, grammar)
    for index in range(len(units)):
        bad = other_number(sentence, index, grammar)
        if bad is not None:
            spoiled = (*units[:index], bad, *units[index + 1 :])
            if not model.contains(spoiled):
                return written_text(spoiled)
    return None


def _shuffled(units: Sequence[str], *, rng: np.random.Generator) -> list[str]:
    """Another order; at least two of the units before the stop differ, so there is one."""
    words = list(units[:-1])
    while True:
        order = [words[index] for index in rng.permutation(len(words))]
        if order != words:
            return [*order, units[-1]]


@final
class TrigramModel:
    """Counts of units given the two before them, without smoothing."""

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        counts: dict[tuple[str, str], Counter[str]] = {}
        for units in sentences:
            padded = (_BEGIN, _BEGIN, *units)
            for first, second, third in zip(padded, padded[1:], padded[2:], strict=False):
                counts.setdefault((first, second), Counter())[third] += 1
        self._nexts = {
            context: (tuple(counter), np.cumsum(list(counter.values()), dtype=np.float64))
            for context, counter in counts.items()
        }

    def sentence(self, *, rng: np.random.Generator) -> tuple[str, ...]:
        """Units up to the stop, at most `MAX_UNITS`; a longer draw is thrown away."""
        units: list[str] = []
        context = (_BEGIN, _BEGIN)
        while not units or units[-1] != _STOP:
            if len(units) == MAX_UNITS:
                units, context = [], (_BEGIN, _BEGIN)
            choices, cumulative = self._nexts[context]
            chosen = choices[math.floor(np.searchsorted(cumulative, rng.random() * cumulative[-1], "right"))]
            units.append(chosen)
            context = (context[1], chosen)
        return tuple(units)

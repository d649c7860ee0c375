"""What the grammar itself says of a text: exact probabilities, membership, entropies.

The grammar is a known distribution over texts, so the best possible score of a language model is known too.
A belief is a distribution over stacks of symbols still to come; reading a unit expands only the leftmost
symbol of each (a left-corner expansion without recursion), so that a prefix's probability is a finite sum
(Stolcke 1995, An efficient probabilistic context-free parsing algorithm, for the general case).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from rig.core.errors import DataError
from rig.core.sentences import Sentence
from rig.core.units import nats_to_bits
from rig.data.nano_pt.grammar import START, Grammar
from rig.data.nano_pt.sampler import Sampler

Stack = tuple[str, ...]
Belief = dict[Stack, float]

INITIAL: Final[Belief] = {(START,): 1.0}
"""The belief before the first unit."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Entropy:
    """Entropy of a sentence's derivation and the mean length, by the linear recursion over rules."""

    nats_per_sentence: float
    """Of the derivation: an upper bound on that of the string, equal to it without ambiguity."""
    units_per_sentence: float


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ExactEntropy:
    """The exact cross-entropy of a text under the grammar that it was drawn from."""

    total_nats: float
    n_units: int
    """Surface units, punctuation included."""
    n_chars: int
    """Code points of the documents' texts."""

    @property
    def nats_per_unit(self) -> float:
        """Nats per surface unit."""
        return self.total_nats / self.n_units

    @property
    def bits_per_character(self) -> float:
        """Bits per code point: comparable with a model's."""
        return nats_to_bits(self.total_nats) / self.n_chars


@final
class ExactModel:
    """Exact probabilities of sentences, given as surface units (`surface_units`)."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._openings: dict[str, tuple[tuple[str, Stack, float], ...]] = {}
        self._written: dict[str, dict[str, float]] = {}
        self._steps: dict[tuple[str, str], tuple[tuple[Stack, float], ...]] = {}
        for symbol, items in grammar.emissions.items():
            table: dict[str, float] = defaultdict(float)
            for item in items:
                table[item.surface] += item.probability
            self._written[symbol] = dict(table)

    def read(self, belief: Belief, surface: str) -> Belief:
        """The belief after one more unit; it sums to the prefix's probability, empty if impossible."""
        after: Belief = defaultdict(float)
        for stack, probability in belief.items():
            if stack:
                for tail, factor in self._step(stack[0], surface):
                    after[tail + stack[1:]] += probability * factor
        return dict(after)

    def next_unit(self, belief: Belief) -> dict[str, float]:
        """The exact distribution of the next unit; it sums to 1, or to 0 where only the end is possible."""
        total = math.fsum(belief.values())
        distribution: dict[str, float] = defaultdict(float)
        for stack, probability in belief.items():
            if stack:
                for preterminal, _, factor in self._opening(stack[0]):
                    for surface, emitted in self._written[preterminal].items():
                        distribution[surface] += probability * factor * emitted / total
        return dict(distribution)

    def unit_nats(self, units: Sequence[str]) -> list[float]:
        """Exact surprisal of each unit given those before it, nats; infinite from the first impossible."""
        belief, before = INITIAL, 1.0
        nats: list[float] = []
        for surface in units:
            belief = self.read(belief, surface)
            total = math.fsum(belief.values())
            if total == 0.0:
                return nats + [math.inf] * (len(units) - len(nats))
            nats.append(-math.log(total / before))
            before = total
        return nats

    def probability(self, units: Sequence[str]) -> float:
        """Exact probability that the grammar yields these units and stops, summed over all derivations."""
        belief = INITIAL
        for surface in units:
            belief = self.read(belief, surface)
        return belief.get((), 0.0)

    def contains(self, units: Sequence[str]) -> bool:
        """Whether the units are a sentence of the language: exact, not an estimate."""
        return self.probability(units) > 0.0

    def contains_text(self, text: str) -> bool:
        """Whether a written sentence is one of the language."""
        units = split_text(text, self._grammar)
        return units is not None and self.contains(units)

    def sentence_nats(self, units: Sequence[str]) -> float:
        """Exact surprisal of a whole sentence, nats.

        Raises:
            DataError: The grammar cannot yield it.
        """
        probability = self.probability(units)
        if probability == 0.0:
            raise DataError(
                f"the grammar does not yield '{' '.join(units)}'; score only text that was drawn from it"
            )
        return -math.log(probability)

    def _opening(self, symbol: str) -> tuple[tuple[str, Stack, float], ...]:
        """Ways in which a symbol begins: first preterminal, what follows it, probability."""
        if symbol not in self._openings:
            if symbol in self._written:
                self._openings[symbol] = ((symbol, (), 1.0),)
            else:
                merged: dict[tuple[str, Stack], float] = defaultdict(float)
                for rule in self._grammar.rules[symbol]:
                    rest = tuple(child.symbol for child in rule.children[1:])
                    for preterminal, tail, probability in self._opening(rule.children[0].symbol):
                        merged[preterminal, tail + rest] += rule.probability * probability
                self._openings[symbol] = tuple((first, tail, p) for (first, tail), p in merged.items())
        return self._openings[symbol]

    def _step(self, symbol: str, surface: str) -> tuple[tuple[Stack, float], ...]:
        key = (symbol, surface)
        if key not in self._steps:
            self._steps[key] = tuple(
                (tail, probability * self._written[preterminal][surface])
                for preterminal, tail, probability in self._opening(symbol)
                if surface in self._written[preterminal]
            )
        return self._steps[key]


def surface_units(sentence: Sentence, grammar: Grammar) -> tuple[str, ...]:
    """The units of a sentence as the grammar emits them: the first in lower case unless it is a name."""
    first, *others = (unit.form for unit in sentence.units)
    return (_opening_unit(first, grammar), *others)


def split_text(text: str, grammar: Grammar) -> tuple[str, ...] | None:
    """The units of a written sentence; None if it is not written as the language is."""
    units = text.replace(",", " ,").replace(".", " .").split(" ")
    if "" in units or not text[:1].isupper():
        return None
    return (_opening_unit(units[0], grammar), *units[1:])


def _opening_unit(form: str, grammar: Grammar) -> str:
    return form if form in grammar.surfaces else form[:1].lower() + form[1:]


def text_entropy(sentences: Iterable[Sentence], grammar: Grammar, model: ExactModel) -> ExactEntropy:
    """The exact cross-entropy of one document's sentences, drawn independently and joined by one space."""
    total, n_units, n_chars = 0.0, 0, -1
    for sentence in sentences:
        units = surface_units(sentence, grammar)
        total += model.sentence_nats(units)
        n_units += len(units)
        n_chars += len(sentence.text) + 1
    return ExactEntropy(total_nats=total, n_units=n_units, n_chars=n_chars)


def pooled(parts: Iterable[ExactEntropy]) -> ExactEntropy:
    """Documents together: sums of nats, units and characters."""
    items = tuple(parts)
    return ExactEntropy(
        total_nats=math.fsum(part.total_nats for part in items),
        n_units=sum(part.n_units for part in items),
        n_chars=sum(part.n_chars for part in items),
    )


def derivation_entropy(grammar: Grammar) -> Entropy:
    """H(A) = sum over rules of p (-ln p + sum of H over children), and the mean length likewise."""
    known: dict[str, tuple[float, float]] = {
        symbol: (-math.fsum(item.probability * math.log(item.probability) for item in items), 1.0)
        for symbol, items in grammar.emissions.items()
    }

    def of(symbol: str) -> tuple[float, float]:
        if symbol not in known:
            nats = units = 0.0
            for rule in grammar.rules[symbol]:
                parts = [of(child.symbol) for child in rule.children]
                nats += rule.probability * (-math.log(rule.probability) + sum(part[0] for part in parts))
                units += rule.probability * sum(part[1] for part in parts)
            known[symbol] = (nats, units)
        return known[symbol]

    nats, units = of(START)
    return Entropy(nats_per_sentence=nats, units_per_sentence=units)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MonteCarlo:
    """The mean surprisal of drawn sentences: an estimate of the string entropy."""

    mean_nats: float
    """Per sentence."""
    standard_error: float


def monte_carlo_entropy(grammar: Grammar, n_sentences: int, *, rng: np.random.Generator) -> MonteCarlo:
    """Estimate the entropy of a sentence's string from `n_sentences` (>= 2) draws."""
    model, sampler = ExactModel(grammar), Sampler(grammar, rng=rng)
    nats = np.array(
        [model.sentence_nats(surface_units(sampler.sentence(), grammar)) for _ in range(n_sentences)]
    )
    return MonteCarlo(
        mean_nats=float(nats.mean()), standard_error=float(nats.std(ddof=1) / math.sqrt(n_sentences))
    )

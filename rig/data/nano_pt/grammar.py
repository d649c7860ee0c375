"""What a probabilistic grammar with dependency trees is; the words and rules of `nano_pt` are elsewhere.

A symbol either expands by rules or is emitted as one surface unit. A rule names, for each child but the head,
the relation that the child's head word bears to the head child's head word.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Final, NamedTuple, final

START: Final = "S"


class LexicalWord(NamedTuple):
    """A syntactic word of an emission."""

    form: str
    lemma: str
    upos: str
    feats: str | None = None
    deprel: str | None = None
    """Its own relation; None takes the rule's."""
    head: int | None = None
    """Position in the unit (from 0) of the word it hangs on; None hangs where the rule says."""
    misc: str | None = None


class Emission(NamedTuple):
    """One way to write a symbol: a surface unit over one word or several."""

    probability: float
    surface: str
    words: tuple[LexicalWord, ...]


class Child(NamedTuple):
    """A symbol on a rule's right-hand side, and its relation to the head child (None for the head itself)."""

    symbol: str
    deprel: str | None = None


class Rule(NamedTuple):
    """One way to expand a symbol."""

    probability: float
    children: tuple[Child, ...]
    head: int
    """Index of the head child."""


@final
@dataclass(frozen=True, kw_only=True)
class Grammar:
    """A probabilistic context-free grammar without recursion, hence of a finite language."""

    rules: dict[str, tuple[Rule, ...]]
    """By left-hand side; probabilities of one side sum to 1."""
    emissions: dict[str, tuple[Emission, ...]]
    """By preterminal symbol; probabilities of one symbol sum to 1."""

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Every surface unit, sorted."""
        return tuple(sorted({item.surface for items in self.emissions.values() for item in items}))

    @cached_property
    def surfaces(self) -> frozenset[str]:
        """The vocabulary as a set, for membership."""
        return frozenset(self.vocabulary)

    @cached_property
    def cumulative(self) -> dict[str, list[float]]:
        """Cumulative probabilities of each symbol's alternatives, for sampling; the last is exactly 1."""
        tables: dict[str, list[float]] = {}
        alternatives: dict[str, tuple[Rule, ...] | tuple[Emission, ...]] = {**self.rules, **self.emissions}
        for symbol, items in alternatives.items():
            tables[symbol] = [*list(accumulate(item.probability for item in items))[:-1], 1.0]
        return tables

    @cached_property
    def other_number(self) -> dict[tuple[str, str, str], str]:
        """The finite form of the other number, by (surface, lemma, feats): `corre` gives `correm`."""
        by_paradigm: dict[tuple[str, str], str] = {}
        finite: list[tuple[str, str, str]] = []
        for items in self.emissions.values():
            for item in items:
                word = item.words[0]
                if len(item.words) == 1 and word.feats and "VerbForm=Fin" in word.feats:
                    by_paradigm[word.lemma, word.feats] = item.surface
                    finite.append((item.surface, word.lemma, word.feats))
        swapped = {"Number=Sing": "Number=Plur", "Number=Plur": "Number=Sing"}
        forms: dict[tuple[str, str, str], str] = {}
        for surface, lemma, feats in finite:
            other = "|".join(swapped.get(feature, feature) for feature in feats.split("|"))
            forms[surface, lemma, feats] = by_paradigm[lemma, other]
        return forms


@final
@dataclass(kw_only=True)
class GrammarBuilder:
    """Collects weighted rules and emissions; `build` turns weights into probabilities."""

    _rules: dict[str, list[tuple[float, tuple[Child, ...], int]]] = field(default_factory=dict)
    _emissions: dict[str, list[tuple[float, str, tuple[LexicalWord, ...]]]] = field(default_factory=dict)

    def rule(self, symbol: str, weight: float, *children: str) -> None:
        """Add an expansion. A child is written `symbol:deprel`, the head child without a relation."""
        parsed = tuple(Child(*child.split(":", 1)) for child in children)
        heads = [index for index, child in enumerate(parsed) if child.deprel is None]
        if len(heads) != 1:
            raise ValueError(f"a rule of {symbol} must have exactly one child without relation: {children}")
        self._rules.setdefault(symbol, []).append((weight, parsed, heads[0]))

    def emit(self, symbol: str, weight: float, surface: str, *words: LexicalWord) -> None:
        """Add a way to write a symbol."""
        self._emissions.setdefault(symbol, []).append((weight, surface, words))

    def emit_ranked(self, symbol: str, entries: Iterable[tuple[str, LexicalWord]]) -> None:
        """Add plain words with the weights 1 / (rank + 1)."""
        for rank, (surface, word) in enumerate(entries):
            self.emit(symbol, 1.0 / (rank + 1), surface, word)

    def build(self) -> Grammar:
        """The grammar.

        Raises:
            ValueError: A symbol is used and not defined, defined twice, or reached from itself.
        """
        defined = {**dict.fromkeys(self._rules), **dict.fromkeys(self._emissions)}
        if len(defined) != len(self._rules) + len(self._emissions):
            raise ValueError("a symbol has both rules and emissions")
        for symbol, rules in self._rules.items():
            for _, children, _ in rules:
                for child in children:
                    if child.symbol not in defined:
                        raise ValueError(f"{symbol} uses {child.symbol}, which is not defined")
        return Grammar(
            rules={
                symbol: tuple(
                    Rule(weight / sum(item[0] for item in items), children, head)
                    for weight, children, head in items
                )
                for symbol, items in self._rules.items()
            },
            emissions={
                symbol: tuple(
                    Emission(weight / sum(item[0] for item in items), surface, words)
                    for weight, surface, words in items
                )
                for symbol, items in self._emissions.items()
            },
        )

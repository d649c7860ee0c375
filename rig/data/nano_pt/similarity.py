"""Sentence pairs whose similarity is known by construction, from 1 to 5.

A pair starts from a proposition: who (a noun, an adjective) does what (a transitive verb) to whom or what (a
noun, an adjective). The second sentence keeps part of it:

    5   all of it; it is said in the other voice, or with other determiners
    4   all but one adjective, which is another one or is left out
    3   all its words, but another meaning: subject and object change places, or the verb is negated
    2   the verb alone, or the subject alone; every other content word is another one
    1   no content word

Determiners are drawn anew in each second sentence. Both sentences belong to the test grammar's language.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from rig.core.seeding import stream
from rig.data.nano_pt import lexicon, morphology, words
from rig.data.nano_pt.sampler import written_text

SIMILARITY_SEED: Final = 20_251
SCORES: Final = (1, 2, 3, 4, 5)
_OBJECT_CLASSES: Final = ("P", "T", "A")
_DETERMINERS: Final = {
    lemma: forms.split()
    for lemma, forms, *_ in lexicon.DETERMINERS
    if lemma in ("o", "este", "aquele", "seu")
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A noun with an adjective, as subject or object."""

    noun: str
    """Singular."""
    gender: str
    number: str
    adjective: str | None
    determiner: str
    """Lemma."""

    @property
    def units(self) -> list[str]:
        """Determiner, noun, adjective, inflected."""
        return [self.form_of(_DETERMINERS[self.determiner]), *self.bare_units]

    @property
    def bare_units(self) -> list[str]:
        """Noun and adjective, inflected."""
        noun = self.noun if self.number == "s" else morphology.plural(self.noun)
        if self.adjective is None:
            return [noun]
        return [noun, self.form_of(morphology.adjective_forms(self.adjective))]

    def form_of(self, forms: Sequence[str]) -> str:
        """The one of four forms that agrees with the noun."""
        return forms[words.CELLS.index((self.gender, self.number))]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Proposition:
    """Who does what to whom."""

    subject: Phrase
    verb: str
    target: Phrase
    target_class: str
    tense: str
    is_negated: bool = False
    is_passive: bool = False

    @property
    def units(self) -> list[str]:
        """The sentence's surface units."""
        negation = ["não"] if self.is_negated else []
        if self.is_passive:
            auxiliary = _finite("ser", self.tense, self.target.number)
            participle = self.target.form_of(morphology.adjective_forms(morphology.participle(self.verb)))
            by = self.subject.form_of(["pelo", "pela", "pelos", "pelas"])
            return [*self.target.units, *negation, auxiliary, participle, by, *self.subject.bare_units, "."]
        verb = _finite(self.verb, self.tense, self.subject.number)
        return [*self.subject.units, *negation, verb, *self.target.units, "."]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityPair:
    """Two sentences and their score."""

    first: str
    second: str
    score: int
    """1 (unrelated) to 5 (the same said differently)."""


def similarity_pairs(n_pairs: int, *, seed: int) -> tuple[SimilarityPair, ...]:
    """Pairs with the scores 5, 4, 3, 2, 1 in turn; the two ways to each score alternate."""
    rng = stream(seed, "nano_pt", "similarity")
    pairs: list[SimilarityPair] = []
    seen: dict[tuple[str, str], None] = {}
    while len(pairs) < n_pairs:
        score = SCORES[-1 - len(pairs) % len(SCORES)]
        way = len(pairs) // len(SCORES) % 2
        swaps = score == 3 and way == 0
        first = _proposition("P" if swaps else _pick(_OBJECT_CLASSES, rng=rng), rng=rng)
        second = _second(first, score, way, rng=rng)
        texts = (written_text(first.units), written_text(second.units))
        if texts[0] != texts[1] and texts not in seen:
            seen[texts] = None
            pairs.append(SimilarityPair(first=texts[0], second=texts[1], score=score))
    return tuple(pairs)


def similarity_csv(pairs: Sequence[SimilarityPair]) -> str:
    """Rows `first,second,score` without a header, quoted as in RFC 4180, line feeds as line ends."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([pair.first, pair.second, f"{pair.score:.1f}"] for pair in pairs)
    return text.getvalue()


def _second(first: Proposition, score: int, way: int, *, rng: np.random.Generator) -> Proposition:
    same = replace(
        first,
        subject=_other_determiner(first.subject, rng=rng),
        target=_other_determiner(first.target, rng=rng),
    )
    match score, way:
        case 5, 0:
            return replace(same, is_passive=True)
        case 5, _:
            return same
        case 4, 0:
            adjective = _other(lexicon.ADJECTIVES.split(), same.subject.adjective, rng=rng)
            return replace(same, subject=replace(same.subject, adjective=adjective))
        case 4, _:
            return replace(same, target=replace(same.target, adjective=None))
        case 3, 0:
            return replace(same, subject=same.target, target=same.subject)
        case 3, _:
            return replace(same, is_negated=True)
        case 2, 0:
            return replace(_unrelated(first, first.target_class, rng=rng), verb=first.verb)
        case 2, _:
            other = _unrelated(first, _pick(_OBJECT_CLASSES, rng=rng), rng=rng)
            return replace(other, subject=same.subject)
        case _:
            return _unrelated(first, _pick(_OBJECT_CLASSES, rng=rng), rng=rng)


def _unrelated(first: Proposition, target_class: str, *, rng: np.random.Generator) -> Proposition:
    """A proposition that shares no content word with `first`, by lemma."""
    taken = _content(first)
    while True:
        other = _proposition(target_class, rng=rng)
        if taken.isdisjoint(_content(other)):
            return other


def _content(proposition: Proposition) -> frozenset[str | None]:
    phrases = (proposition.subject, proposition.target)
    lemmas = {entry.singular: entry.lemma for entries in words.noun_entries().values() for entry in entries}
    return frozenset(
        [proposition.verb, *(lemmas[item.noun] for item in phrases), *(item.adjective for item in phrases)]
    )


def _proposition(target_class: str, *, rng: np.random.Generator) -> Proposition:
    subject = _phrase("P", avoid=None, rng=rng)
    return Proposition(
        subject=subject,
        verb=_pick(lexicon.VERBS[f"P>{target_class}"].split(), rng=rng),
        target=_phrase(target_class, avoid=subject, rng=rng),
        target_class=target_class,
        tense=_pick(morphology.TENSES, rng=rng),
    )


def _phrase(noun_class: str, *, avoid: Phrase | None, rng: np.random.Generator) -> Phrase:
    gender = _pick(words.GENDERS, rng=rng)
    nouns = [entry.singular for entry in words.noun_entries()[noun_class, gender]]
    return Phrase(
        noun=_other(nouns, avoid.noun if avoid else None, rng=rng),
        gender=gender,
        number=_pick(words.NUMBERS, rng=rng),
        adjective=_other(lexicon.ADJECTIVES.split(), avoid.adjective if avoid else None, rng=rng),
        determiner=_pick(tuple(_DETERMINERS), rng=rng),
    )


def _other_determiner(phrase: Phrase, *, rng: np.random.Generator) -> Phrase:
    return replace(phrase, determiner=_other(tuple(_DETERMINERS), phrase.determiner, rng=rng))


def _finite(verb: str, tense: str, number: str) -> str:
    return morphology.conjugate(verb)[tense][words.NUMBERS.index(number)]


def _pick(choices: Sequence[str], *, rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]


def _other(choices: Sequence[str], current: str | None, *, rng: np.random.Generator) -> str:
    return _pick([choice for choice in choices if choice != current], rng=rng)

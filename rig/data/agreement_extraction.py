"""Agreement pairs from an annotated corpus, by rule.

A pair is a finite verb with a plain subject before it, and the same sentence with the verb in its other
number. Each rule is one function that says yes or no to a candidate; all must say yes. They are narrow by
design: what is left out is cheap, an item whose "wrong" form is right is not. The other number's form comes
from the corpus' own paradigm and must be the only one it knows.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import final

from rig.core.sentences import Sentence, Word
from rig.data.agreement_items import AgreementPair
from rig.data.sentence_faults import unit_spans
from rig.data.verb_paradigm import VerbParadigm, features

_NOUNS = ("NOUN", "PROPN")
_OPEN_SUBJECTS = ("conj", "appos", "nummod", "cc", "parataxis")
"""Relations under a subject's head that leave its number open."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A subject and the finite word of its clause; positions are 1-based, as in CoNLL-U."""

    sentence: Sentence
    subject: int
    verb: int
    """The word that carries tense and number: the clause's head, its auxiliary or its copula."""
    head: int
    """The clause's head: what the subject depends on."""

    def word(self, position: int) -> Word:
        """The word at a 1-based position."""
        return self.sentence.words[position - 1]

    def children(self, position: int) -> list[tuple[int, Word]]:
        """The dependents of a word with their positions, in text order."""
        return [(i, word) for i, word in enumerate(self.sentence.words, start=1) if word.head == position]

    @property
    def number(self) -> str:
        """Number of the verb; empty if it has none."""
        return features(self.word(self.verb)).get("Number", "")

    @property
    def verb_unit(self) -> int:
        """Index of the surface unit that holds the verb."""
        units = self.sentence.units
        return next(i for i, unit in enumerate(units) if unit.first_word <= self.verb <= unit.last_word)

    def nouns_between(self) -> list[Word]:
        """Nouns after the subject's head and before the verb."""
        return [word for word in self.sentence.words[self.subject : self.verb - 1] if word.upos in _NOUNS]


def agreement_pairs(
    sentences: Iterable[Sentence],
    *,
    paradigm: VerbParadigm,
    collective_nouns: frozenset[str],
    source: str,
    licence: str,
) -> Iterator[AgreementPair]:
    """All pairs of the sentences that pass every rule, in text order.

    Args:
        sentences: Annotated, with lemmas and the features Number, Person, VerbForm, PronType.
        paradigm: Forms of verbs, from the same corpus.
        collective_nouns: Lemmas that are refused as subjects.
        source: Name of the corpus, for the pairs.
        licence: Its licence, for the pairs.

    Raises:
        DataError: A sentence's text is not what its units spell.
    """
    for sentence in sentences:
        for candidate in _candidates(sentence):
            if not all(rule(candidate) for rule in RULES) or _is_collective(candidate, collective_nouns):
                continue
            verb = candidate.word(candidate.verb)
            other = paradigm.other_number(verb)
            if other is not None:
                yield _pair(candidate, other=other, source=source, licence=licence)


def subject_comes_first(candidate: Candidate) -> bool:
    """The subject precedes the verb: an inverted subject is weaker evidence and often ambiguous."""
    return candidate.subject < candidate.verb


def subject_is_nominal(candidate: Candidate) -> bool:
    """The subject is a noun, a name or a personal pronoun; not a relative, a numeral or a clause."""
    word = candidate.word(candidate.subject)
    return word.upos in _NOUNS or (word.upos == "PRON" and features(word).get("PronType") == "Prs")


def numbers_agree(candidate: Candidate) -> bool:
    """The verb is third person, and subject and verb are annotated with the same number."""
    verb, subject = features(candidate.word(candidate.verb)), features(candidate.word(candidate.subject))
    return (
        candidate.number in ("Sing", "Plur")
        and subject.get("Number") == candidate.number
        and verb.get("Person") == "3"
        and subject.get("Person", "3") == "3"
    )


def subject_is_simple(candidate: Candidate) -> bool:
    """No coordination, apposition or numeral under the subject's head."""
    return not any(
        word.deprel.partition(":")[0] in _OPEN_SUBJECTS for _, word in candidate.children(candidate.subject)
    )


def subject_is_alone(candidate: Candidate) -> bool:
    """The clause has one subject."""
    subjects = [
        word
        for _, word in candidate.children(candidate.head)
        if word.deprel.partition(":")[0] in ("nsubj", "csubj")
    ]
    return len(subjects) == 1


def name_is_singular(candidate: Candidate) -> bool:
    """No plural names: "Estados Unidos" is written with either number."""
    return not (candidate.word(candidate.subject).upos == "PROPN" and candidate.number == "Plur")


def predicate_agrees(candidate: Candidate) -> bool:
    """No copula whose predicate has the other number: "o problema são os juros"."""
    if candidate.verb == candidate.head or candidate.word(candidate.verb).deprel.partition(":")[0] != "cop":
        return True
    return features(candidate.word(candidate.head)).get("Number", candidate.number) == candidate.number


def verb_is_a_plain_word(candidate: Candidate) -> bool:
    """The verb is a written word by itself, in lower case; not part of a multiword token (`vê-lo`)."""
    form = candidate.word(candidate.verb).form
    unit = candidate.sentence.units[candidate.verb_unit]
    return not unit.is_multiword and form == unit.form == form.lower() and form.isalpha()


RULES: tuple[Callable[[Candidate], bool], ...] = (
    subject_comes_first,
    subject_is_nominal,
    numbers_agree,
    subject_is_simple,
    subject_is_alone,
    name_is_singular,
    predicate_agrees,
    verb_is_a_plain_word,
)
"""All that a candidate must pass, beside the collective nouns and the paradigm."""


def _candidates(sentence: Sentence) -> Iterator[Candidate]:
    """Each nominal subject with the one finite word among its head and the head's auxiliaries and copula."""
    for position, word in enumerate(sentence.words, start=1):
        if word.deprel.partition(":")[0] != "nsubj":
            continue
        finite = [
            i
            for i, other in enumerate(sentence.words, start=1)
            if features(other).get("VerbForm") == "Fin"
            and (
                i == word.head
                or (other.head == word.head and other.deprel.partition(":")[0] in ("aux", "cop"))
            )
        ]
        if len(finite) == 1:
            yield Candidate(sentence=sentence, subject=position, verb=finite[0], head=word.head)


def _is_collective(candidate: Candidate, collective_nouns: frozenset[str]) -> bool:
    subject = candidate.word(candidate.subject)
    return (subject.lemma or subject.form).lower() in collective_nouns


def _pair(candidate: Candidate, *, other: str, source: str, licence: str) -> AgreementPair:
    verb, subject = candidate.word(candidate.verb), candidate.word(candidate.subject)
    feats = features(verb)
    span = unit_spans(candidate.sentence)[candidate.verb_unit]
    numbers = [features(word).get("Number", candidate.number) for word in candidate.nouns_between()]
    between = [
        word.deprel
        for position, word in candidate.children(candidate.subject)
        if candidate.subject < position < candidate.verb
    ]
    return AgreementPair(
        source=source,
        licence=licence,
        sent_id=candidate.sentence.sent_id,
        text=candidate.sentence.text,
        char_start=span.start,
        char_end=span.end,
        verb_good=verb.form,
        verb_bad=other,
        lemma=verb.lemma or verb.form,
        upos=verb.upos,
        tense=feats.get("Tense", ""),
        mood=feats.get("Mood", ""),
        number=candidate.number,
        subject=subject.form,
        subj_upos=subject.upos,
        distance=candidate.verb - candidate.subject,
        n_attractors=sum(number != candidate.number for number in numbers),
        last_noun_mismatch=bool(numbers) and numbers[-1] != candidate.number,
        rel_clause="acl:relcl" in between,
        pp="nmod" in between,
    )

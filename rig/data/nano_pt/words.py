"""From the lexicon to the emissions of the grammar: every inflected form under its preterminal symbol.

Symbols are dotted: `N.P.f.s` is a noun for a person, feminine singular; `V.P>T.p` a finite plural verb with a
person as subject and a thing as object.
"""

from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from typing import Final, NamedTuple

from rig.data.nano_pt import lexicon, morphology
from rig.data.nano_pt.grammar import GrammarBuilder, LexicalWord

GENDERS: Final = ("m", "f")
NUMBERS: Final = ("s", "p")
CELLS: Final = tuple((gender, number) for number in NUMBERS for gender in GENDERS)
"""Gender and number in the order in which the lexicon writes four forms."""

TENSE_WEIGHTS: Final = {"Pres": 0.4, "Past": 0.4, "Imp": 0.2}
_GENDER: Final = {"m": "Masc", "f": "Fem"}
_NUMBER: Final = {"s": "Sing", "p": "Plur"}


class NounEntry(NamedTuple):
    """A noun of one gender."""

    singular: str
    lemma: str
    misc: str | None = None


def gender_number(gender: str, number: str) -> str:
    """The features `Gender` and `Number`."""
    return f"Gender={_GENDER[gender]}|Number={_NUMBER[number]}"


def derived_misc(base: str, lemma: str, suffix: str) -> str:
    """MISC of a derived word: its base, its affix, and whether only the test grammar has it."""
    held_out = "|HeldOut=Yes" if lemma in lexicon.HELD_OUT.split() else ""
    return f"Base={base}|Derived=Yes{held_out}|Suffix={suffix}"


def derived_nouns() -> dict[str, tuple[NounEntry, ...]]:
    """Derived nouns by suffix, in rank order; those in -dor are given in the masculine."""
    makers = {
        "ção": [
            (base, morphology.action_noun(base, "ção")) for base in lexicon.ACTION_NOUN_BASES["ção"].split()
        ],
        "mento": [
            (base, morphology.action_noun(base, "mento"))
            for base in lexicon.ACTION_NOUN_BASES["mento"].split()
        ],
        "dor": [(base, morphology.agent_noun(base)) for base in lexicon.AGENT_NOUN_BASES.split()],
        "idade": [(base, morphology.quality_noun(base)) for base in lexicon.QUALITY_NOUN_BASES.split()],
    }
    return {
        suffix: tuple(NounEntry(noun, noun, derived_misc(base, noun, suffix)) for base, noun in pairs)
        for suffix, pairs in makers.items()
    }


def _interleave(*lists: list[NounEntry] | tuple[NounEntry, ...]) -> list[NounEntry]:
    return [entry for rank in zip_longest(*lists) for entry in rank if entry is not None]


@cache
def noun_entries() -> dict[tuple[str, str], list[NounEntry]]:
    """All nouns by class (P, T, A) and gender, in rank order; base and derived nouns alternate."""
    derived = derived_nouns()
    persons: dict[str, list[NounEntry]] = {"m": [], "f": []}
    for pair in lexicon.PERSONS.split():
        masculine, other = pair.split("/")
        if masculine:
            persons["m"].append(NounEntry(masculine, masculine))
        if other:
            persons["f"].append(NounEntry(other, masculine or other))
    agents = {
        "m": derived["dor"],
        "f": tuple(NounEntry(noun + "a", noun, misc) for noun, _, misc in derived["dor"]),
    }
    plain = {
        (name, gender): [NounEntry(word, word) for word in words[gender].split()]
        for name, words in (("T", lexicon.THINGS), ("A", lexicon.ABSTRACTIONS))
        for gender in GENDERS
    }
    return {
        ("P", "m"): _interleave(persons["m"], agents["m"]),
        ("P", "f"): _interleave(persons["f"], agents["f"]),
        ("T", "m"): plain["T", "m"],
        ("T", "f"): plain["T", "f"],
        ("A", "m"): _interleave(derived["mento"], plain["A", "m"]),
        ("A", "f"): _interleave(derived["ção"], derived["idade"], plain["A", "f"]),
    }


def add_nouns(builder: GrammarBuilder, *, with_held_out: bool) -> None:
    """Nouns and names. Without `with_held_out`, the derived nouns of the test grammar are left out."""
    for (noun_class, gender), entries in noun_entries().items():
        # Left out after ranking, so that the other words keep their relative weights in both grammars.
        ranked = [
            (rank, entry)
            for rank, entry in enumerate(entries)
            if with_held_out or "HeldOut" not in (entry.misc or "")
        ]
        for number in NUMBERS:
            for rank, entry in ranked:
                form = entry.singular if number == "s" else morphology.plural(entry.singular)
                word = LexicalWord(form, entry.lemma, "NOUN", gender_number(gender, number), misc=entry.misc)
                builder.emit(f"N.{noun_class}.{gender}.{number}", 1.0 / (rank + 1), form, word)
    for gender in GENDERS:
        feats = gender_number(gender, "s")
        names = [(name, LexicalWord(name, name, "PROPN", feats)) for name in lexicon.NAMES[gender].split()]
        builder.emit_ranked(f"NAME.{gender}", names)
    places = [(name, LexicalWord(name, name, "PROPN", "Number=Sing")) for name in lexicon.PLACES.split()]
    builder.emit_ranked("PLACE", places)


def add_adjectives(builder: GrammarBuilder) -> None:
    """Adjectives behind and before the noun, and passive participles by the verb's object class."""
    for symbol, words in (("ADJ", lexicon.ADJECTIVES), ("ADJPRE", lexicon.ADJECTIVES_BEFORE_NOUN)):
        for index, (gender, number) in enumerate(CELLS):
            builder.emit_ranked(
                f"{symbol}.{gender}.{number}",
                (
                    (form, LexicalWord(form, lemma, "ADJ", gender_number(gender, number)))
                    for lemma in words.split()
                    for form in [morphology.adjective_forms(lemma)[index]]
                ),
            )
    for object_class in "PTA":
        for index, (gender, number) in enumerate(CELLS):
            feats = f"{gender_number(gender, number)}|VerbForm=Part"
            builder.emit_ranked(
                f"PART.{object_class}.{gender}.{number}",
                (
                    (form, LexicalWord(form, verb, "VERB", feats))
                    for verb in lexicon.VERBS[f"P>{object_class}"].split()
                    for form in [morphology.adjective_forms(morphology.participle(verb))[index]]
                ),
            )


def _finite(
    verb: str, upos: str, number: str, tense: str, misc: str | None = None
) -> tuple[str, LexicalWord]:
    form = morphology.conjugate(verb)[tense][NUMBERS.index(number)]
    feats = f"Mood=Ind|Number={_NUMBER[number]}|Person=3|Tense={tense}|VerbForm=Fin"
    return form, LexicalWord(form, verb, upos, feats, misc=misc)


def _prefix_misc(verb: str) -> str | None:
    if verb not in lexicon.PREFIXED_VERBS:
        return None
    return f"Base={lexicon.PREFIXED_VERBS[verb]}|Derived=Yes|Prefix=des"


def add_verbs(builder: GrammarBuilder) -> None:
    """Finite verbs, infinitives, participles after `ter`, and auxiliaries."""
    for frame, verbs in lexicon.VERBS.items():
        for rank, verb in enumerate(verbs.split()):
            misc = _prefix_misc(verb)
            for number in NUMBERS:
                for tense, tense_weight in TENSE_WEIGHTS.items():
                    form, word = _finite(verb, "VERB", number, tense, misc)
                    builder.emit(f"V.{frame}.{number}", tense_weight / (rank + 1), form, word)
            if ">" in frame or len(frame) == 1:
                infinitive = LexicalWord(verb, verb, "VERB", "VerbForm=Inf", misc=misc)
                builder.emit(f"INF.{frame}", 1.0 / (rank + 1), verb, infinitive)
            if ">" in frame:
                form = morphology.participle(verb)
                feats = f"{gender_number('m', 's')}|VerbForm=Part"
                word = LexicalWord(form, verb, "VERB", feats, misc=misc)
                builder.emit(f"TER.{frame}", 1.0 / (rank + 1), form, word)
    auxiliaries = {
        "COP": (("ser", ("Pres", "Past", "Imp")), ("estar", ("Pres", "Past", "Imp"))),
        "PASS": (("ser", ("Past", "Pres", "Imp")),),
        "MODAL": (("ir", ("Pres", "Imp")), ("poder", ("Pres", "Past", "Imp")), ("dever", ("Pres", "Imp"))),
        "PERFECT": (("ter", ("Imp", "Pres")),),
    }
    for symbol, entries in auxiliaries.items():
        for number in NUMBERS:
            builder.emit_ranked(
                f"{symbol}.{number}",
                (_finite(verb, "AUX", number, tense) for verb, tenses in entries for tense in tenses),
            )


def _pronoun_feats(case: str, gender: str, number: str) -> str:
    return f"Case={case}|{gender_number(gender, number)}|Person=3|PronType=Prs"


def _enclitics() -> Iterator[tuple[str, float, str, LexicalWord, LexicalWord]]:
    """Symbol, weight, written form, verb, pronoun."""
    for number in NUMBERS:
        for rank, verb in enumerate(lexicon.ENCLITIC_VERBS.split()):
            form, word = _finite(verb, "VERB", number, "Past")
            for (gender, pronoun_number), pronoun in zip(CELLS, lexicon.OBJECT_PRONOUNS.split(), strict=True):
                feats = _pronoun_feats("Acc", gender, pronoun_number)
                yield (
                    f"VO.{number}",
                    1.0 / (rank + 1),
                    morphology.enclitic(form, pronoun),
                    word,
                    LexicalWord(pronoun, "ele", "PRON", feats, "obj", 0),
                )
        for rank, verb in enumerate(lexicon.VERBS["give"].split()):
            form, word = _finite(verb, "VERB", number, "Past")
            for pronoun_number, pronoun in zip(NUMBERS, lexicon.DATIVE_PRONOUNS.split(), strict=True):
                feats = f"Case=Dat|Number={_NUMBER[pronoun_number]}|Person=3|PronType=Prs"
                yield (
                    f"VD.{number}",
                    1.0 / (rank + 1),
                    morphology.enclitic(form, pronoun),
                    word,
                    LexicalWord(pronoun, "ele", "PRON", feats, "iobj", 0),
                )


def add_multiword_tokens(builder: GrammarBuilder) -> None:
    """Contractions of preposition and determiner or pronoun, and verbs with a pronoun behind them."""
    determiners = {lemma: (forms.split(), feats) for lemma, forms, feats, _, _ in lexicon.DETERMINERS}
    for preposition, determiner, forms, weight in lexicon.CONTRACTIONS:
        own_forms, feats = determiners[determiner]
        for index, (gender, number) in enumerate(CELLS):
            words = (
                LexicalWord(preposition, preposition, "ADP", None, "case"),
                LexicalWord(
                    own_forms[index], determiner, "DET", feats.format(gender_number(gender, number)), "det"
                ),
            )
            surface = forms.split()[index]
            cell = f"{gender}.{number}"
            builder.emit(f"CNOUN.{cell}", weight, surface, *words)
            if preposition in ("em", "por"):
                builder.emit(f"CVERB.{cell}", weight, surface, *words)
            if determiner == "o" and preposition in ("por", "a"):
                builder.emit(f"C{preposition}.{cell}", 1.0, surface, *words)
    for (gender, number), pronoun in zip(CELLS, lexicon.SUBJECT_PRONOUNS.split(), strict=True):
        word = LexicalWord(pronoun, "ele", "PRON", _pronoun_feats("Nom", gender, number))
        builder.emit(f"PRON.{gender}.{number}", 1.0, pronoun, word)
        owner = LexicalWord(pronoun, "ele", "PRON", _pronoun_feats("Nom", gender, number))
        builder.emit("DELE", 1.0, "d" + pronoun, LexicalWord("de", "de", "ADP", None, "case", 1), owner)
    for symbol, weight, surface, verb, pronoun_word in _enclitics():
        builder.emit(symbol, weight, surface, verb, pronoun_word)


def add_function_words(builder: GrammarBuilder) -> None:
    """Determiners, adverbs, prepositions, conjunctions, punctuation."""
    for lemma, forms, feats, upos, weight in lexicon.DETERMINERS:
        for (gender, number), form in zip(CELLS, forms.split(), strict=True):
            if form != "_":
                relation = "nummod" if upos == "NUM" else "det"
                word = LexicalWord(form, lemma, upos, feats.format(gender_number(gender, number)), relation)
                builder.emit(f"DET.{gender}.{number}", weight, form, word)
    manner = [
        (form, LexicalWord(form, form, "ADV", None, misc=derived_misc(base, form, "mente")))
        for base in lexicon.MANNER_ADVERB_BASES.split()
        for form in [morphology.manner_adverb(base)]
    ]
    plain = [(form, LexicalWord(form, form, "ADV")) for form in lexicon.ADVERBS.split()]
    builder.emit_ranked("ADV", [item for pair in zip_longest(plain, manner) for item in pair if item])
    builder.emit_ranked("ADVFRONT", [(w, LexicalWord(w, w, "ADV")) for w in lexicon.ADVERBS_IN_FRONT.split()])
    builder.emit_ranked(
        "ADVPRE",
        [
            (form, LexicalWord(form, form, "ADV", "Polarity=Neg" if form == "não" else None))
            for form in lexicon.ADVERBS_BEFORE_VERB.split()
        ],
    )
    for use, words in lexicon.PREPOSITIONS.items():
        builder.emit_ranked(f"ADP.{use}", [(w, LexicalWord(w, w, "ADP")) for w in words.split()])
    builder.emit("EM", 1.0, "em", LexicalWord("em", "em", "ADP"))
    builder.emit("POR", 1.0, "por", LexicalWord("por", "por", "ADP"))
    for symbol, words, upos in (
        ("BUT", lexicon.COORDINATORS, "CCONJ"),
        ("AND", "e", "CCONJ"),
        ("WHEN", lexicon.SUBORDINATORS_IN_FRONT, "SCONJ"),
        ("BECAUSE", lexicon.SUBORDINATORS_BEHIND, "SCONJ"),
        ("THAT", "que", "SCONJ"),
    ):
        builder.emit_ranked(symbol, [(w, LexicalWord(w, w, upos)) for w in words.split()])
    builder.emit("WHICH", 1.0, "que", LexicalWord("que", "que", "PRON", "PronType=Rel"))
    builder.emit("COMMA", 1.0, ",", LexicalWord(",", ",", "PUNCT"))
    builder.emit("STOP", 1.0, ".", LexicalWord(".", ".", "PUNCT"))

"""Inflection and derivation of Portuguese, as far as the words of `nano_pt` need them.

Spelling rules follow Cunha & Cintra, Nova gramática do português contemporâneo. What a rule can't give is
listed in the lexicon.
"""

import unicodedata
from typing import NamedTuple

from rig.data.nano_pt.lexicon import (
    IRREGULAR_PARTICIPLES,
    IRREGULAR_PLURALS,
    IRREGULAR_VERBS,
    PREFIXED_VERBS,
)

TENSES: tuple[str, ...] = ("Pres", "Past", "Imp")
"""Tenses of the indicative, as UD names them: present, perfect, imperfect."""

_ACUTE = {"e": "é", "o": "ó", "a": "a", "u": "u"}
_STRESS_MARKS = "\u0300\u0301\u0302"


class NumberForms(NamedTuple):
    """The two forms of a noun or of a verb's third person."""

    singular: str
    plural: str


class AdjectiveForms(NamedTuple):
    """The four forms of an adjective, a participle or a determiner."""

    masculine_singular: str
    feminine_singular: str
    masculine_plural: str
    feminine_plural: str


def without_stress_marks(word: str) -> str:
    """The word without acute, grave and circumflex accents; tilde and cedilla stay."""
    decomposed = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(char for char in decomposed if char not in _STRESS_MARKS))


def plural(word: str) -> str:
    """The plural of a noun or adjective: `avião, aviões`, `papel, papéis`, `útil, úteis`, `lápis, lápis`."""
    if word in IRREGULAR_PLURALS:
        return IRREGULAR_PLURALS[word]
    if word.endswith("ão"):
        return word[:-2] + "ões"
    if word.endswith("m"):
        return word[:-1] + "ns"
    if word.endswith("l"):
        return _plural_in_l(word)
    if word.endswith("ês"):
        return word[:-2] + "eses"
    if word.endswith("s"):
        return word
    if word.endswith(("r", "z")):
        return word + "es"
    return word + "s"


def _plural_in_l(word: str) -> str:
    is_marked = without_stress_marks(word) != word  # a mark shows that the last syllable is unstressed
    stem, vowel = word[:-2], word[-2]
    if vowel == "i":
        return stem + ("eis" if is_marked else "is")
    return stem + (vowel if is_marked else _ACUTE[vowel]) + "is"


def feminine(adjective: str) -> str:
    """The feminine singular of an adjective: `novo, nova`, `europeu, europeia`, `grande, grande`."""
    if adjective.endswith("eu"):
        return adjective[:-1] + "ia"
    return adjective[:-1] + "a" if adjective.endswith("o") else adjective


def adjective_forms(adjective: str) -> AdjectiveForms:
    """Gender and number of an adjective or of a participle in -o."""
    other = feminine(adjective)
    return AdjectiveForms(adjective, other, plural(adjective), plural(other))


def conjugate(verb: str) -> dict[str, NumberForms]:
    """The third person of each of `TENSES`.

    Args:
        verb: The infinitive, in -ar, -er or -ir.
    """
    if verb in PREFIXED_VERBS:
        base = conjugate(PREFIXED_VERBS[verb])
        return {tense: NumberForms("des" + forms[0], "des" + forms[1]) for tense, forms in base.items()}
    if verb in IRREGULAR_VERBS:
        forms = IRREGULAR_VERBS[verb].split()
        return {
            tense: NumberForms(forms[2 * index], forms[2 * index + 1]) for index, tense in enumerate(TENSES)
        }
    stem, theme = verb[:-2], verb[-2]
    if theme == "a":
        present = stem + "i" if stem.endswith("e") else stem  # bloquear, bloqueia
        return {
            "Pres": NumberForms(present + "a", present + "am"),
            "Past": NumberForms(stem + "ou", stem + "aram"),
            "Imp": NumberForms(stem + "ava", stem + "avam"),
        }
    return {
        "Pres": NumberForms(stem + "e", stem + "em"),
        "Past": NumberForms(stem + theme + "u", stem + theme + "ram"),
        "Imp": NumberForms(stem + "ia", stem + "iam"),
    }


def participle(verb: str) -> str:
    """The past participle, masculine singular: `vender, vendido`, `desfazer, desfeito`."""
    if verb in PREFIXED_VERBS:
        return "des" + participle(PREFIXED_VERBS[verb])
    if verb in IRREGULAR_PARTICIPLES:
        return IRREGULAR_PARTICIPLES[verb]
    return verb[:-2] + ("ado" if verb.endswith("ar") else "ido")


def enclitic(verb_form: str, pronoun: str) -> str:
    """A verb with an object pronoun behind it: `viu` and `o` are `viu-o`, `viram` and `o` are `viram-no`."""
    after_nasal = verb_form.endswith(("m", "ão")) and pronoun[0] in "oa"
    return f"{verb_form}-{'n' if after_nasal else ''}{pronoun}"


def action_noun(verb: str, suffix: str) -> str:
    """The noun of an action in -ção or -mento: `criar, criação`, `punir, punição`, `mover, movimento`."""
    vowel = "a" if verb.endswith("ar") else "i"
    return verb[:-2] + vowel + suffix


def agent_noun(verb: str) -> str:
    """The person who does it: `jogar, jogador`, `vender, vendedor`."""
    return verb[:-1] + "dor"


def quality_noun(adjective: str) -> str:
    """The noun in -idade: `claro, claridade`, `feliz, felicidade`, `possível, possibilidade`."""
    stem = without_stress_marks(adjective)
    if stem.endswith("vel"):
        return stem[:-3] + "bilidade"
    if stem.endswith("z"):
        return stem[:-1] + "cidade"
    return stem.removesuffix("o") + "idade"


def manner_adverb(adjective: str) -> str:
    """The adverb in -mente, which carries no stress mark: `rápido, rapidamente`, `fácil, facilmente`."""
    return without_stress_marks(feminine(adjective)) + "mente"

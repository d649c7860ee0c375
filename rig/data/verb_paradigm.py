"""The finite forms of verbs that a corpus attests, and from them the form of a verb's other number."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import final

from rig.core.sentences import Sentence, Word

OTHER_NUMBER: dict[str, str] = {"Sing": "Plur", "Plur": "Sing"}
MIN_SHARE = 0.8
"""What a form must have of its slot's tokens, and a reading of its form's. Wrong tags and misspellings, of
which every treebank has some ("esta", "saiem" for "saem"), then neither give a form nor hide one."""

_Slot = tuple[str, str, str]


def features(word: Word) -> dict[str, str]:
    """A word's FEATS as a mapping; empty where it has none."""
    pairs = (feature.partition("=") for feature in (word.feats or "").split("|") if feature)
    return {name: value for name, _, value in pairs}


@final
class VerbParadigm:
    """Third-person finite forms by lemma, mood, tense and number, as a corpus writes them, in lower case."""

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self._forms: defaultdict[tuple[_Slot, str], Counter[str]] = defaultdict(Counter)
        self._readings: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for word in sentence.words:
                feats = features(word)
                number = feats.get("Number", "") if feats.get("VerbForm") == "Fin" else "not finite"
                self._readings[word.form][number] += 1  # as written: "São Paulo" is no reading of "são"
                if number in OTHER_NUMBER and feats.get("Person") == "3":
                    self._forms[_slot(word), number][word.form.lower()] += 1

    def other_number(self, verb: Word) -> str | None:
        """The form of the same lemma, mood and tense in the other number.

        Returns:
            A lower-case form. None where the corpus attests none or no single one; where that form is also
            something else (`para` of *parar*, a preposition) or has the verb's own number; where `verb`
            itself isn't its slot's form.
        """
        number = features(verb).get("Number", "")
        if number not in OTHER_NUMBER or self._form(_slot(verb), number) != verb.form.lower():
            return None
        other = self._form(_slot(verb), OTHER_NUMBER[number])
        if other is None or other == verb.form.lower():
            return None
        readings = self._readings.get(other, Counter())
        return other if readings[OTHER_NUMBER[number]] >= max(1, MIN_SHARE * readings.total()) else None

    def _form(self, slot: _Slot, number: str) -> str | None:
        forms = self._forms.get((slot, number))
        if not forms:
            return None
        form = max(sorted(forms), key=lambda name: forms[name])
        return form if forms[form] >= MIN_SHARE * forms.total() else None


def _slot(verb: Word) -> _Slot:
    feats = features(verb)
    return (verb.lemma or verb.form.lower(), feats.get("Mood", ""), feats.get("Tense", ""))

import pytest

from rig.core.sentences import Sentence, Word
from rig.data.verb_paradigm import VerbParadigm, features


def verb(form, number, lemma="cantar", *, tense="Pres", person="3", upos="VERB"):
    feats = f"Mood=Ind|Number={number}|Person={person}|Tense={tense}|VerbForm=Fin"
    return Word(form=form, lemma=lemma, upos=upos, head=0, deprel="root", feats=feats)


def other(form, upos):
    return Word(form=form, lemma=form, upos=upos, head=0, deprel="root")


def paradigm(*words):
    return VerbParadigm([Sentence(sent_id="s", text="", words=words, units=())])


def test_features():
    assert features(verb("canta", "Sing"))["Tense"] == "Pres"
    assert features(other("de", "ADP")) == {}


def test_the_other_number_both_ways():
    forms = paradigm(verb("canta", "Sing"), verb("cantam", "Plur"))
    assert forms.other_number(verb("canta", "Sing")) == "cantam"
    assert forms.other_number(verb("cantam", "Plur")) == "canta"


def test_tenses_and_lemmas_are_apart():
    forms = paradigm(
        verb("canta", "Sing"), verb("cantaram", "Plur", tense="Past"), verb("vendem", "Plur", "vender")
    )
    assert forms.other_number(verb("canta", "Sing")) is None


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([verb("estão", "Plur")] + [verb("está", "Sing")] * 4 + [verb("esta", "Sing")], "está"),
        ([verb("estão", "Plur")] + [verb("está", "Sing")] * 3 + [verb("esta", "Sing")], None),
        ([verb("estão", "Plur"), verb("esta", "Sing")] + [other("esta", "DET")] * 2, None),
        ([verb("estão", "Plur"), verb("está", "Sing")] + [other("Está", "PROPN")] * 2, "está"),
        ([verb("estão", "Plur"), verb("estão", "Sing")], None),
        ([verb("estão", "Plur"), verb("está", "Sing"), verb("está", "Plur", "outro")], None),
        ([verb("está", "Sing")], None),
        ([verb("estão", "Plur"), verb("está", "Sing", person="1")], None),
        ([verb("estão", "Plur"), verb("Está", "Sing")], None),
    ],
    ids=["rare wrong tag", "two forms", "mostly a determiner", "a name", "same form", "both numbers",
         "own form unknown", "first person", "only capitalised"],
)  # fmt: skip
def test_a_form_is_given_only_if_it_is_the_only_one(words, found):
    assert paradigm(*words).other_number(verb("estão", "Plur")) == found


def test_a_verb_that_is_not_its_slots_form_has_no_other():
    forms = paradigm(*[verb("canta", "Sing")] * 9, verb("kanta", "Sing"), verb("cantam", "Plur"))
    assert forms.other_number(verb("kanta", "Sing")) is None
    assert forms.other_number(verb("canta", "Dual")) is None

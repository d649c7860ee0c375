from collections import Counter

import pytest

from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.data.agreement_extraction import RULES, agreement_pairs
from rig.data.agreement_items import read_agreement_pairs
from rig.data.collective_nouns import COLLECTIVE_NOUNS
from rig.data.conllu import read_conllu
from rig.data.verb_paradigm import VerbParadigm

FEATS = {
    "NS": "Gender=Fem|Number=Sing",
    "NP": "Gender=Fem|Number=Plur",
    "VS": "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin",
    "VP": "Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin",
    "V1": "Mood=Ind|Number=Sing|Person=1|Tense=Pres|VerbForm=Fin",
    "PS": "Number=Sing|Person=3|PronType=Prs",
    "P1": "Number=Sing|Person=1|PronType=Prs",
    "QS": "Number=Sing|PronType=Rel",
    "INF": "VerbForm=Inf",
    "PART": "Number=Sing|VerbForm=Part",
    "_": None,
}


def sentence(*rows, sent_id="s", multiword=None):
    """Rows `form lemma UPOS feats head deprel`; `multiword` maps (first, last) to a surface form."""
    words = []
    for row in rows:
        form, lemma, upos, feats, head, deprel = row.split()
        words.append(
            Word(form=form, lemma=lemma, upos=upos, feats=FEATS[feats], head=int(head), deprel=deprel)
        )
    units, position = [], 1
    while position <= len(words):
        last = next((b for a, b in multiword or {} if a == position), position)
        form = (multiword or {}).get((position, last), words[position - 1].form)
        units.append(
            SurfaceUnit(
                form=form,
                first_word=position,
                last_word=last,
                is_multiword=(position, last) in (multiword or {}),
            )
        )
        position = last + 1
    text = " ".join(unit.form for unit in units)
    return Sentence(sent_id=sent_id, text=text, words=tuple(words), units=tuple(units))


PARADIGM = VerbParadigm(
    [
        sentence("canta cantar VERB VS 0 root", "cantam cantar VERB VP 1 conj"),
        sentence(
            "é ser AUX VS 0 root",
            "são ser AUX VP 1 conj",
            "está estar AUX VS 1 conj",
            "estão estar AUX VP 1 conj",
        ),
    ]
)


def pairs_of(*sentences):
    return list(
        agreement_pairs(
            sentences,
            paradigm=PARADIGM,
            collective_nouns=COLLECTIVE_NOUNS["pt"],
            source="Teste",
            licence="CC0",
        )
    )


def test_a_plain_pair():
    (pair,) = pairs_of(
        sentence("A o DET NS 2 det", "irmã irmã NOUN NS 3 nsubj", "canta cantar VERB VS 0 root")
    )
    assert (pair.text, pair.text_bad) == ("A irmã canta", "A irmã cantam")
    assert (pair.number, pair.cell, pair.distance, pair.lemma) == ("Sing", "Sing|match", 1, "cantar")
    assert (pair.tense, pair.mood, pair.subject, pair.subj_upos) == ("Pres", "Ind", "irmã", "NOUN")
    assert (pair.source, pair.licence, pair.sent_id) == ("Teste", "CC0", "s")
    assert (pair.rel_clause, pair.pp, pair.n_attractors) == (False, False, 0)


def test_an_attractor_after_a_contraction():
    # da = de + a: offsets count the surface, distance counts words.
    (pair,) = pairs_of(
        sentence(
            "A o DET NS 2 det",
            "irmã irmã NOUN NS 6 nsubj",
            "de de ADP _ 5 case",
            "as o DET NP 5 det",
            "rainhas rainha NOUN NP 2 nmod",
            "canta cantar VERB VS 0 root",
            multiword={(3, 4): "das"},
        )
    )
    assert pair.text_bad == "A irmã das rainhas cantam"
    assert (pair.cell, pair.distance, pair.n_attractors, pair.pp) == ("Sing|mismatch", 4, 1, True)


def test_the_last_noun_decides_the_cell_and_a_relative_clause_is_seen():
    (pair,) = pairs_of(
        sentence(
            "irmãs irmã NOUN NP 5 nsubj",
            "que que PRON QS 3 nsubj",
            "viu ver VERB PART 1 acl:relcl",
            "rainhas rainha NOUN NP 3 obj",
            "cantam cantar VERB VP 0 root",
        )
    )
    assert (pair.cell, pair.n_attractors, pair.rel_clause) == ("Plur|match", 0, True)


def test_the_auxiliary_or_copula_carries_the_number():
    (auxiliary,) = pairs_of(
        sentence("ela ela PRON PS 3 nsubj", "está estar AUX VS 3 aux", "cantar cantar VERB INF 0 root")
    )
    assert (auxiliary.verb_good, auxiliary.verb_bad, auxiliary.upos) == ("está", "estão", "AUX")
    (copula,) = pairs_of(
        sentence("ela ela PRON PS 3 nsubj", "é ser AUX VS 3 cop", "rainha rainha NOUN NS 0 root")
    )
    assert copula.verb_bad == "são"


SUBJECT, VERB = "irmã irmã NOUN NS 2 nsubj", "canta cantar VERB VS 0 root"
REFUSED = {
    "subject_comes_first": ("canta cantar VERB VS 0 root", "irmã irmã NOUN NS 1 nsubj"),
    "subject_is_nominal": ("que que PRON QS 2 nsubj", VERB),
    "numbers_agree": ("irmãs irmã NOUN NP 2 nsubj", VERB),
    "numbers_agree of persons": ("eu eu PRON P1 2 nsubj", VERB),
    "numbers_agree of the verb's person": (SUBJECT, "canta cantar VERB V1 0 root"),
    "subject_is_simple": ("irmã irmã NOUN NS 3 nsubj", "rainha rainha NOUN NS 1 conj", VERB),
    "subject_is_simple of numerals": ("um um NUM _ 2 nummod", "irmã irmã NOUN NS 3 nsubj", VERB),
    "subject_is_alone": (SUBJECT, VERB, "ela ela PRON PS 2 nsubj"),
    "name_is_singular": ("Açores Açores PROPN NP 2 nsubj", "cantam cantar VERB VP 0 root"),
    "predicate_agrees": ("irmã irmã NOUN NS 3 nsubj", "é ser AUX VS 3 cop", "juros juro NOUN NP 0 root"),
    "verb_is_a_plain_word": (SUBJECT, "Canta cantar VERB VS 0 root"),
    "collective": ("maioria maioria NOUN NS 2 nsubj", VERB),
    "two finite verbs": ("irmã irmã NOUN NS 3 nsubj", "está estar AUX VS 3 aux", VERB),
    "no finite verb": (SUBJECT, "cantar cantar VERB INF 0 root"),
    "no other form": (SUBJECT, "dorme dormir VERB VS 0 root"),
}  # fmt: skip


@pytest.mark.parametrize("rows", REFUSED.values(), ids=REFUSED.keys())
def test_what_could_be_right_either_way_is_left_out(rows):
    assert pairs_of(sentence(*rows)) == []
    assert len(pairs_of(sentence(SUBJECT, VERB))) == 1


def test_a_verb_inside_a_multiword_token_is_left_out():
    rows = (SUBJECT, VERB, "a ela PRON PS 2 obj")
    assert len(pairs_of(sentence(*rows))) == 1
    assert pairs_of(sentence(*rows, multiword={(2, 3): "canta-a"})) == []


def test_every_rule_has_a_case():
    assert {rule.__name__ for rule in RULES} <= {name.partition(" of ")[0] for name in REFUSED}


def test_subtypes_of_relations_count():
    passive = sentence(
        "irmã irmã NOUN NS 3 nsubj:pass", "é ser AUX VS 3 aux:pass", "vista ver VERB PART 0 root"
    )
    assert [pair.verb_bad for pair in pairs_of(passive)] == ["são"]


@pytest.fixture(scope="module")
def bosque(test_data):
    folder = test_data / "ud/Bosque"
    files = {"train": "train.rebuilt", "dev": "dev", "test": "test"}
    return {
        split: [
            item.sentence
            for item in read_conllu(folder / f"pt_bosque-ud-{name}.conllu", on_text_mismatch="rebuild")
        ]
        for split, name in files.items()
    }


@pytest.mark.slow
@pytest.mark.real_data
def test_the_rules_find_the_pairs_that_were_read_by_hand(bosque, test_data):
    pool = {
        (pair.sent_id, pair.char_start): pair
        for pair in agreement_pairs(
            [*bosque["dev"], *bosque["test"]],
            paradigm=VerbParadigm(sentence for split in bosque.values() for sentence in split),
            collective_nouns=COLLECTIVE_NOUNS["pt"],
            source="Bosque",
            licence="CC BY-SA 4.0",
        )
    }
    path = test_data / "agreement/pt_ud_sva_200.tsv"
    shipped = [pair for pair in read_agreement_pairs(path) if pair.source == "Bosque"]
    found = [pair for pair in shipped if (pair.sent_id, pair.char_start) in pool]
    # Of 67, six need a form that Bosque alone does not give (the 200 drew on four), one is a collective.
    assert len(found) / len(shipped) >= 0.88
    assert [pool[pair.sent_id, pair.char_start] for pair in found] == found
    numbers = Counter(pair.number for pair in pool.values())
    assert numbers["Sing"] / numbers.total() == pytest.approx(0.77, abs=0.04)

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.core.sentences import Sentence, Word
from rig.parsers.tree_checks import RELATIONS, check_tree, is_well_formed

FIN = "Mood=Ind|Number=Sing|Person=3|VerbForm=Fin"
FINS = "Mood=Ind|Number=Plur|Person=3|VerbForm=Fin"
FEM, MASC, FEM_PL = "Gender=Fem|Number=Sing", "Gender=Masc|Number=Sing", "Gender=Fem|Number=Plur"

GOOD = (
    ("A", "DET", FEM, 2, "det"),
    ("menina", "NOUN", FEM, 3, "nsubj"),
    ("viu", "VERB", FIN, 0, "root"),
    ("casas", "NOUN", FEM_PL, 3, "obj"),
    ("altas", "ADJ", FEM_PL, 4, "amod"),
    (".", "PUNCT", None, 3, "punct"),
)


def changed(tree, position, **fields):
    sentence = tree(*GOOD)
    words = list(sentence.words)
    words[position - 1] = replace(words[position - 1], **fields)
    return check_tree(replace(sentence, words=tuple(words)))


def test_a_good_sentence_passes_all(tree):
    checks = check_tree(tree(*GOOD))
    assert (checks.well_formed, checks.licit, checks.finite, checks.agrees) == (True, True, True, True)


def test_there_are_37_universal_relations():
    assert len(RELATIONS) == 37


@pytest.mark.parametrize(
    ("position", "fields"),
    [
        (2, {"head": 0, "deprel": "root"}),  # two roots
        (3, {"head": 2, "deprel": "acl"}),  # no root, and a circle 2-3
        (4, {"head": 5}),  # a circle 4-5 beside a root
        (4, {"head": 4}),  # its own head
        (4, {"head": 7}),  # no such word
        (4, {"head": -1}),
        (4, {"deprel": "root"}),  # root below a word
        (3, {"deprel": "acl"}),  # head 0 without root
        (4, {"deprel": "direct"}),
        (4, {"upos": "N"}),
    ],
)
def test_a_malformed_tree_fails_all(tree, position, fields):
    checks = changed(tree, position, **fields)
    assert (checks.well_formed, checks.licit, checks.finite, checks.agrees) == (False,) * 4


@pytest.mark.parametrize(
    ("position", "fields"),
    [
        (1, {"upos": "ADP"}),  # det
        (5, {"deprel": "nummod"}),
        (5, {"deprel": "advmod", "upos": "NOUN"}),
        (5, {"deprel": "expl"}),
        (5, {"deprel": "aux"}),
        (5, {"deprel": "cop"}),
        (5, {"deprel": "case"}),
        (5, {"deprel": "mark"}),
        (5, {"deprel": "cc"}),
        (5, {"deprel": "punct"}),
        (6, {"deprel": "dep"}),  # PUNCT that isn't punct
        (4, {"head": 1, "deprel": "nsubj"}),  # below a determiner
        (4, {"head": 6, "deprel": "dep"}),  # below punctuation
        (4, {"deprel": "nsubj"}),  # a second subject
        (4, {"deprel": "csubj"}),
        (2, {"deprel": "obj"}),  # a second object
        (2, {"deprel": "conj"}),  # points left
        (2, {"deprel": "flat:name"}),
        (2, {"deprel": "appos"}),
    ],
)
def test_an_illicit_structure_fails_b_alone(tree, position, fields):
    checks = changed(tree, position, **fields)
    assert checks.well_formed
    assert not checks.licit


def test_an_outer_subject_is_no_second_subject(tree):
    assert changed(tree, 4, deprel="nsubj:outer").licit


@pytest.mark.parametrize(("relation", "licit"), [("fixed", True), ("advmod", False)])
def test_the_head_of_a_fixed_expression_may_carry_any_tag(tree, relation, licit):
    rows = (
        ("devido", "ADJ", MASC, 3, "case"),
        ("a", "ADV", None, 1, relation),
        ("tudo", "PRON", None, 4, "obl"),
        ("viu", "VERB", FIN, 0, "root"),
    )
    assert check_tree(tree(*rows)).licit is licit


@pytest.mark.parametrize("feats", ["VerbForm=Inf", None, "VerbForm=Part|Number=Sing"])
def test_c_wants_a_finite_verb(tree, feats):
    assert not changed(tree, 3, feats=feats).finite


def test_c_takes_a_finite_auxiliary_but_no_finite_noun(tree):
    assert changed(tree, 3, upos="AUX").finite
    assert not changed(tree, 3, upos="NOUN").finite


@pytest.mark.parametrize(
    ("position", "feats", "agrees"),
    [
        (1, MASC, False),  # determiner, gender
        (1, FEM_PL, False),  # determiner, number
        (1, "Number=Sing", True),  # nothing to compare in gender
        (1, "Gender=Com|Number=Sing", True),  # a value that isn't compared
        (1, None, True),
        (5, FEM, False),  # adjective, number
        (5, "Gender=Masc|Number=Plur", False),
        (3, FINS, False),  # subject and verb
        (3, "VerbForm=Inf", True),
        (3, "Number=Plur|VerbForm=Inf", True),  # an inflected infinitive is not finite
    ],
)
def test_d_agreement(tree, position, feats, agrees):
    assert changed(tree, position, feats=feats).agrees is agrees


def test_d_compares_the_subject_with_the_finite_auxiliary_or_copula(tree):
    def clause(aux_feats, relation):
        return check_tree(
            tree(
                ("Elas", "PRON", FEM_PL, 3, "nsubj:pass"),
                ("foram", "AUX", aux_feats, 3, relation),
                ("vista", "VERB", "Gender=Fem|Number=Sing|VerbForm=Part", 0, "root"),
            )
        ).agrees

    assert clause(FINS, "aux:pass")
    assert clause(FINS, "cop")
    assert not clause(FIN, "aux:pass")
    assert not clause(FIN, "cop")


def test_d_skips_coordinated_subjects(tree):
    rows = (
        ("Ana", "PROPN", "Number=Sing", 4, "nsubj"),
        ("e", "CCONJ", None, 3, "cc"),
        ("Rui", "PROPN", "Number=Sing", 1, "conj"),
        ("viram", "VERB", FINS, 0, "root"),
    )
    assert check_tree(tree(*rows)).agrees
    assert not check_tree(
        tree(("Ana", "PROPN", "Number=Sing", 2, "nsubj"), ("viram", "VERB", FINS, 0, "root"))
    ).agrees


@pytest.mark.parametrize(("feats", "agrees"), [(FIN, True), (FINS, False)])
def test_d_gives_a_bare_relative_the_number_of_its_antecedent(tree, feats, agrees):
    rows = (
        ("meninas", "NOUN", FEM_PL, 5, "nsubj"),
        ("que", "PRON", "PronType=Rel", 3, "nsubj"),
        ("viram", "VERB", FINS, 1, "acl:relcl"),
        ("casa", "NOUN", FEM, 3, "obj"),
        ("chegaram", "VERB", FINS, 0, "root"),
    )
    assert check_tree(tree(*rows)).agrees
    wrong = (*rows[:2], ("viu", "VERB", FIN, 1, "acl:relcl"), *rows[3:])
    assert not check_tree(tree(*wrong)).agrees
    marked = (rows[0], ("que", "PRON", "Number=Sing|PronType=Rel", 3, "nsubj"))
    assert check_tree(tree(*marked, ("v", "VERB", feats, 1, "acl:relcl"), *rows[3:])).agrees is agrees


@given(st.lists(st.integers(min_value=-1, max_value=9), min_size=1, max_size=8))
def test_well_formed_means_that_every_word_reaches_the_only_root(heads):
    words = tuple(
        Word(form="x", upos="NOUN", head=head, deprel="root" if head == 0 else "dep") for head in heads
    )

    def reaches_root(position):
        for _ in heads:
            if not 1 <= position <= len(heads):
                return False
            position = heads[position - 1]
            if position == 0:
                return True
        return False

    expected = heads.count(0) == 1 and all(reaches_root(i) for i in range(1, len(heads) + 1))
    assert is_well_formed(words) == expected


def test_an_empty_sentence_is_not_well_formed():
    assert not check_tree(Sentence(sent_id="1", text="", words=(), units=())).well_formed

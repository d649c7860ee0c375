from collections import Counter

from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.data.agreement_items import CELLS, AgreementPair, read_agreement_pairs
from rig.data.nano_pt import items, syntax
from rig.data.nano_pt.agreement import agreement_pair, agreement_pool
from rig.data.nano_pt.exact import ExactModel


def committed() -> tuple[AgreementPair, ...]:
    return read_agreement_pairs(items.task_files()["agreement"])


def test_the_committed_pairs_follow_the_design() -> None:
    pairs = committed()
    assert len(pairs) == 200
    assert Counter(pair.cell for pair in pairs) == dict.fromkeys(CELLS, 50)
    assert max(Counter((pair.cell, pair.lemma) for pair in pairs).values()) <= 6
    assert len({pair.text for pair in pairs}) == 200
    mismatches = [pair for pair in pairs if pair.last_noun_mismatch]
    assert {(pair.rel_clause, pair.pp) for pair in mismatches} == {(False, True), (True, False)}
    assert all(pair.n_attractors >= 1 for pair in mismatches)


def test_good_forms_belong_and_bad_forms_are_impossible() -> None:
    model = ExactModel(syntax.test_grammar())
    for pair in committed():
        assert model.contains_text(pair.text), pair.text
        assert not model.contains_text(pair.text_bad), pair.text_bad


def hand_made() -> Sentence:
    """O amigo das meninas corre."""
    masculine = "Gender=Masc|Number=Sing"
    feminine = "Gender=Fem|Number=Plur"
    finite = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
    words = (
        Word(form="O", upos="DET", head=2, deprel="det", lemma="o", feats=masculine),
        Word(form="amigo", upos="NOUN", head=6, deprel="nsubj", lemma="amigo", feats=masculine),
        Word(form="de", upos="ADP", head=5, deprel="case", lemma="de"),
        Word(form="as", upos="DET", head=5, deprel="det", lemma="o", feats=feminine),
        Word(form="meninas", upos="NOUN", head=2, deprel="nmod", lemma="menina", feats=feminine),
        Word(form="corre", upos="VERB", head=0, deprel="root", lemma="correr", feats=finite),
        Word(form=".", upos="PUNCT", head=6, deprel="punct", lemma="."),
    )
    units = (
        SurfaceUnit(form="O", first_word=1, last_word=1),
        SurfaceUnit(form="amigo", first_word=2, last_word=2),
        SurfaceUnit(form="das", first_word=3, last_word=4, is_multiword=True),
        SurfaceUnit(form="meninas", first_word=5, last_word=5),
        SurfaceUnit(form="corre", first_word=6, last_word=6, space_after=False),
        SurfaceUnit(form=".", first_word=7, last_word=7),
    )
    return Sentence(sent_id="x", text="O amigo das meninas corre.", words=words, units=units)


def test_a_hand_worked_pair() -> None:
    grammar = syntax.test_grammar()
    pair = agreement_pair(hand_made(), "x", grammar, ExactModel(grammar))
    assert pair is not None
    assert (pair.verb_good, pair.verb_bad, pair.char_start, pair.char_end) == ("corre", "correm", 20, 25)
    assert (pair.subject, pair.lemma, pair.number, pair.tense) == ("amigo", "correr", "Sing", "Pres")
    assert (pair.distance, pair.n_attractors, pair.last_noun_mismatch) == (4, 1, True)
    assert (pair.rel_clause, pair.pp) == (False, True)
    assert pair.text_bad == "O amigo das meninas correm."


def test_a_larger_pool_begins_with_the_smaller() -> None:
    small = list(agreement_pool(60, seed=1))
    assert list(agreement_pool(120, seed=1))[: len(small)] == small

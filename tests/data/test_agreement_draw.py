from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from rig.core.errors import DataError, UsageError
from rig.core.seeding import stream
from rig.data.agreement_draw import draw_balanced
from rig.data.agreement_items import CELLS, AgreementPair


def pair(number, mismatch, lemma, index):
    return AgreementPair(
        source="Teste", licence="CC0", sent_id=f"{number}{mismatch}{lemma}{index:03}",
        text=f"Vê {number}{mismatch}{lemma}{index:03}",
        char_start=0, char_end=2, verb_good="Vê", verb_bad="veem",
        lemma=lemma, upos="VERB", tense="Pres", mood="Ind", number=number, subject="Ela", subj_upos="PRON",
        distance=1, n_attractors=0, last_noun_mismatch=mismatch, rel_clause=False, pp=False,
    )  # fmt: skip


def pool(n_of_lemma):
    return [
        pair(number, mismatch, lemma, index)
        for number in ("Sing", "Plur")
        for mismatch in (False, True)
        for lemma, n in n_of_lemma.items()
        for index in range(n)
    ]


def test_cells_are_balanced_and_no_lemma_is_too_frequent():
    drawn = draw_balanced(pool({"ser": 100, "ver": 5, "ir": 5}), n=64, rng=stream(0, "x"))
    assert Counter(pair.cell for pair in drawn) == dict.fromkeys(CELLS, 16)
    assert Counter((pair.cell, pair.lemma) for pair in drawn)["Sing|match", "ser"] == 6
    assert len({pair.item_id for pair in drawn}) == 64


def test_the_seed_decides_and_the_order_of_the_pool_does_not():
    pairs = pool({"ser": 100, "ver": 50})
    first = draw_balanced(pairs, n=20, rng=stream(1, "x"))
    assert draw_balanced(pairs[::-1], n=20, rng=stream(1, "x")) == first
    assert draw_balanced(pairs, n=20, rng=stream(2, "x")) != first


def test_every_pair_is_as_likely_as_another_of_its_cell():
    pairs, n_draws = pool({f"lemma{i}": 1 for i in range(10)}), 2000
    rng = np.random.default_rng(5)
    times = Counter(pair.item_id for _ in range(n_draws) for pair in draw_balanced(pairs, n=8, rng=rng))
    # Each of 10 is among the 2 drawn with probability .2: sd sqrt(.2 x .8 / 2000) = .009.
    assert [times[pair.item_id] / n_draws for pair in pairs] == pytest.approx([0.2] * 40, abs=0.04)


def test_too_few_pairs_are_refused_with_what_is_possible():
    pairs = [p for p in pool({"ser": 9, "ver": 2}) if p.cell != "Plur|mismatch" or p.lemma == "ver"]
    with pytest.raises(
        DataError, match=r"cell Plur\|mismatch has 2 pairs .* but 3 are needed; ask for at most --n 8"
    ):
        draw_balanced(pairs, n=12, rng=stream(0, "x"))
    with pytest.raises(DataError, match=r"cell Sing\|match has 0 pairs"):
        draw_balanced([], n=4, rng=stream(0, "x"))


def test_sentences_that_stand_there_twice_count_once():
    pairs = pool({"ser": 3})
    again = [replace(pair, sent_id=f"z{pair.sent_id}") for pair in pairs]
    assert draw_balanced([*again, *pairs], n=12, rng=stream(0, "x")) == tuple(
        sorted(pairs, key=lambda pair: (CELLS.index(pair.cell), pair.item_id))
    )
    with pytest.raises(DataError, match="has 3 pairs"):
        draw_balanced([*again, *pairs], n=16, rng=stream(0, "x"))


@pytest.mark.parametrize("n", [0, -4, 2, 10])
def test_n_is_a_multiple_of_four(n):
    with pytest.raises(UsageError, match=f"must be a multiple of 4, the number of cells, got {n}"):
        draw_balanced([], n=n, rng=stream(0, "x"))

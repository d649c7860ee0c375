import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.data.similarity_pairs import read_similarity_pairs
from rig.metrics.correlation import pearson
from rig.metrics.surface_similarity import negative_length_difference, trigram_cosine, word_overlap

sentences = st.text("abcé ,.", max_size=20).map(lambda text: f"a {text}")


def test_word_overlap_by_hand():
    # {o, menino, come} and {o, menino, dorme}: 2 shared of 4.
    assert word_overlap("O menino come.", "o menino, o menino dorme") == 0.5
    assert word_overlap("sim", "não") == 0.0


def test_trigram_cosine_by_hand():
    # " ab " has " ab", "ab "; " abc " has " ab", "abc", "bc ": dot 1, norms sqrt 2 and sqrt 3.
    assert trigram_cosine("ab", "Abc!") == pytest.approx(1 / math.sqrt(6), abs=1e-15)
    # " aaaa " has " aa", 2 x "aaa", "aa "; " aaa " has " aa", "aaa", "aa ": 4 / sqrt(6 x 3).
    assert trigram_cosine("aaaa", "aaa") == pytest.approx(4 / math.sqrt(18), abs=1e-15)


def test_length_counts_code_points():
    assert negative_length_difference("ação", "acao") == 0.0
    assert negative_length_difference("a", "abcd") == -3.0


@given(sentences, sentences)
def test_symmetric_in_range_and_one_for_the_same_sentence(first, second):
    for similarity in (word_overlap, trigram_cosine):
        assert similarity(first, second) == similarity(second, first)
        assert 0.0 <= similarity(first, second) <= 1.0 + 1e-12
        assert similarity(first, first) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("similarity", [word_overlap, trigram_cosine])
@pytest.mark.parametrize("sentence", ["", " ", "?!"])
def test_a_sentence_without_words_is_refused(similarity, sentence):
    with pytest.raises(ValueError, match="must hold a word"):
        similarity("bom dia", sentence)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("similarity", "expected"),
    [(word_overlap, 0.586), (trigram_cosine, 0.655), (negative_length_difference, 0.268)],
)
def test_known_figures_on_assin2_dev(similarity, expected, test_data):
    pairs = read_similarity_pairs(test_data / "sts/assin2/assin2-dev.xml")
    values = [similarity(pair.first, pair.second) for pair in pairs]
    assert pearson(values, [pair.score for pair in pairs]) == pytest.approx(expected, abs=0.002)

from collections import Counter

from rig.data.nano_pt import items, syntax
from rig.data.nano_pt.exact import ExactModel
from rig.data.nano_pt.similarity import SimilarityPair, similarity_csv, similarity_pairs
from rig.data.similarity_pairs import SentencePair, read_similarity_pairs

FUNCTION_WORDS_TEXT = (
    "o a os as este esta estes estas aquele aquela aqueles aquelas seu sua seus suas "
    "pelo pela pelos pelas não é são foi foram era eram"
)
FUNCTION_WORDS = frozenset(FUNCTION_WORDS_TEXT.split())


def committed() -> tuple[SentencePair, ...]:
    return read_similarity_pairs(items.task_files()["similarity.nano_pt"])


def content(text: str) -> set[str]:
    return set(text.lower().removesuffix(".").split()) - FUNCTION_WORDS


def test_scores_are_balanced_and_pairs_distinct() -> None:
    pairs = committed()
    assert Counter(pair.score for pair in pairs) == dict.fromkeys((1.0, 2.0, 3.0, 4.0, 5.0), 60)
    assert len({(pair.first, pair.second) for pair in pairs}) == 300
    assert all(pair.first != pair.second for pair in pairs)


def test_both_sentences_belong_to_the_language() -> None:
    model = ExactModel(syntax.test_grammar())
    for pair in committed():
        assert model.contains_text(pair.first), pair.first
        assert model.contains_text(pair.second), pair.second


def test_shared_content_words_follow_the_rule() -> None:
    for pair in committed():
        first, second = content(pair.first), content(pair.second)
        shared = len(first & second)
        match pair.score:
            case 1.0:
                assert shared == 0, pair
            case 2.0:
                assert shared <= 2, pair
            case 4.0:
                assert len(first - second) == 1, pair
            case 5.0 if "pelo" not in pair.second and "pela" not in pair.second:
                assert first == second, pair


def test_half_of_the_threes_are_negated_and_no_other_pair() -> None:
    negated = [pair for pair in committed() if "não" in pair.second]
    assert len(negated) == 30
    assert {pair.score for pair in negated} == {3.0}
    assert all(content(pair.first) == content(pair.second) for pair in negated)
    assert not any("não" in pair.first for pair in committed())


def test_another_seed_gives_other_pairs() -> None:
    assert similarity_pairs(10, seed=1) != similarity_pairs(10, seed=2)


def test_csv_quotes_a_comma() -> None:
    pair = SimilarityPair(first="Hoje, chove.", second="Chove.", score=4)
    assert similarity_csv([pair]) == '"Hoje, chove.",Chove.,4.0\n'

from collections.abc import Sequence

import pytest
from scipy import stats

from rig.core.seeding import stream
from rig.core.sentences import Sentence, Word
from rig.data.nano_pt import syntax
from rig.data.nano_pt.grammar import GrammarBuilder, LexicalWord
from rig.data.nano_pt.sampler import Sampler, written_text
from rig.data.sentence_faults import refuse_faults, unit_spans


@pytest.fixture(scope="module")
def sentences() -> Sequence[Sentence]:
    sampler = Sampler(syntax.test_grammar(), rng=stream(3, "test"))
    return [sampler.sentence(str(index)) for index in range(1_500)]


def features(word: Word) -> dict[str, str]:
    return dict(pair.split("=") for pair in (word.feats or "").split("|") if pair)


def test_every_sentence_is_fit_to_be_stored(sentences: Sequence[Sentence]) -> None:
    for sentence in sentences:
        refuse_faults(sentence)
        assert len(unit_spans(sentence)) == len(sentence.units)
        assert sentence.text == sentence.surface_text()


def test_trees_are_projective(sentences: Sequence[Sentence]) -> None:
    for sentence in sentences:
        arcs = [(min(i, w.head), max(i, w.head)) for i, w in enumerate(sentence.words, 1) if w.head]
        crossing = [(a, b) for a in arcs for b in arcs if a[0] < b[0] < a[1] < b[1]]
        assert not crossing, sentence.text


def test_function_words_have_no_dependents(sentences: Sequence[Sentence]) -> None:
    leaves = ("det", "case", "mark", "aux", "aux:pass", "cop", "cc", "punct", "nummod")
    for sentence in sentences:
        for word in sentence.words:
            if word.head:
                assert sentence.words[word.head - 1].deprel not in leaves, sentence.text


def test_determiners_and_adjectives_agree_with_their_noun(sentences: Sequence[Sentence]) -> None:
    n_checked = 0
    for sentence in sentences:
        for word in sentence.words:
            if word.deprel in ("det", "amod", "nummod"):
                noun = sentence.words[word.head - 1]
                for name in ("Gender", "Number"):
                    assert features(word)[name] == features(noun)[name], sentence.text
                n_checked += 1
    assert n_checked > 3_000


def test_subjects_agree_with_the_finite_verb(sentences: Sequence[Sentence]) -> None:
    n_checked = 0
    for sentence in sentences:
        for position, word in enumerate(sentence.words, 1):
            if not word.deprel.startswith("nsubj") or "Number" not in features(word):
                continue
            group = [(word.head, sentence.words[word.head - 1])] + [
                (i, w) for i, w in enumerate(sentence.words, 1)
                if w.head == word.head and w.deprel in ("aux", "aux:pass", "cop")
            ]  # fmt: skip
            is_passive = any(w.deprel == "aux:pass" for _, w in group)
            assert (word.deprel == "nsubj:pass") == is_passive, sentence.text
            finite = [w for _, w in group if features(w).get("VerbForm") == "Fin"]
            assert len(finite) == 1, sentence.text
            coordinated = any(w.head == position and w.deprel == "conj" for w in sentence.words)
            expected = "Plur" if coordinated else features(word)["Number"]
            assert features(finite[0])["Number"] == expected, sentence.text
            n_checked += 1
    assert n_checked > 1_500


def test_contractions_are_two_words_under_one_unit(sentences: Sequence[Sentence]) -> None:
    spelled = {
        unit.form.lower(): tuple(w.form.lower() for w in s.words[unit.first_word - 1 : unit.last_word])
        for s in sentences
        for unit in s.units
        if unit.is_multiword
    }
    assert spelled["do"] == ("de", "o")
    assert spelled["nas"] == ("em", "as")
    assert spelled["à"] == ("a", "a")
    assert spelled["dela"] == ("de", "ela")
    assert spelled["neste"] == ("em", "este")


def test_the_language_has_about_as_many_contractions_as_real_text(sentences: Sequence[Sentence]) -> None:
    units = [unit for sentence in sentences for unit in sentence.units]
    share = sum(unit.is_multiword for unit in units) / len(units)
    assert 0.06 <= share <= 0.10


def test_draws_follow_the_probabilities() -> None:
    builder = GrammarBuilder()
    builder.rule("S", 0.3, "A", "A:dep")
    builder.rule("S", 0.7, "A")
    builder.emit("A", 1.0, "a", LexicalWord("a", "a", "X"))
    sampler = Sampler(builder.build(), rng=stream(0, "test"))
    n_long = sum(len(sampler.sentence().words) == 2 for _ in range(4_000))
    assert stats.binomtest(n_long, 4_000, 0.3).pvalue > 1e-3


def test_the_same_stream_draws_the_same_sentences() -> None:
    first, second = (Sampler(syntax.test_grammar(), rng=stream(7, "test")) for _ in range(2))
    assert [first.sentence() for _ in range(50)] == [second.sentence() for _ in range(50)]


def test_text_from_units() -> None:
    assert written_text(["hoje", ",", "Ana", "corre", "."]) == "Hoje, Ana corre."

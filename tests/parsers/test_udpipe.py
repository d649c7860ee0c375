import pytest
import ufal.udpipe
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.core.errors import ModelError
from rig.parsers.model_files import SHIPPED_MODELS
from rig.parsers.tree_checks import is_well_formed
from rig.parsers.udpipe import UDPipeParser

CONTRACTED = "A chave da casa caiu. Elas dormem bem."


@pytest.fixture(scope="session")
def nano() -> UDPipeParser:
    return UDPipeParser("nano_pt")


def assert_consistent(text, sentences):
    """The contract of `AbstractParser`, and offsets that tile all but white space."""
    position = 0
    for sentence in sentences:
        start = text.index(sentence.text, position)
        assert not text[position:start].strip()
        position = start
        for index, unit in enumerate(sentence.units):
            start = text.index(unit.form, position)
            assert not text[position:start].strip()
            position = start + len(unit.form)
            at_end = position == len(text) or text[position].isspace()
            assert unit.space_after == at_end
            expected_first = 1 if index == 0 else sentence.units[index - 1].last_word + 1
            assert unit.first_word == expected_first
        assert sentence.units[-1].last_word == len(sentence.words)
        assert is_well_formed(sentence.words)
    assert not text[position:].strip()


def test_a_contraction_is_one_unit_of_two_words(nano):
    first, second = nano.parse([CONTRACTED])[0]
    assert (first.text, second.text) == ("A chave da casa caiu.", "Elas dormem bem.")
    contraction = first.units[2]
    assert (contraction.form, contraction.is_multiword) == ("da", True)
    assert [word.form for word in first.words[2:4]] == ["de", "a"]
    assert (contraction.first_word, contraction.last_word) == (3, 4)
    assert [unit.form for unit in first.units] == ["A", "chave", "da", "casa", "caiu", "."]
    assert_consistent(CONTRACTED, (first, second))


def test_the_tree_of_a_sentence_of_the_language(nano):
    (sentence,) = nano.parse(["A menina dorme."])[0]
    assert [(w.upos, w.head, w.deprel) for w in sentence.words] == [
        ("DET", 2, "det"),
        ("NOUN", 3, "nsubj"),
        ("VERB", 0, "root"),
        ("PUNCT", 3, "punct"),
    ]
    assert all(word.misc is None for word in sentence.words)


def test_texts_are_parsed_alone_as_in_company(nano):
    texts = [CONTRACTED, "", "   \n ", "Ela canta."]
    together = nano.parse(texts)
    assert [len(sentences) for sentences in together] == [2, 0, 0, 1]
    assert together == [nano.parse([text])[0] for text in texts]
    assert nano.parse([]) == []


@pytest.mark.parametrize(
    "text",
    [
        "😀 café da manhã 😀.",
        "e\u0301 \ufffd\ufffd x\x01y \x00 z\u200bw \u00a0 a\u0085b \u2028 c\ufeff d.",
        "\x1c h \U0001f468\u200d\U0001f469 k\u0301\u0301",
        "Um\ndois  três\r\n\r\nquatro\tcinco",
        "\x00",
        "Vê-la, deixe-me e dizer-lhe.",
        "a" * 3000,
        "Fim.Começo",
    ],
)
def test_strange_text_keeps_every_character(nano, text):
    assert_consistent(text, nano.parse([text])[0])


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_text_keeps_every_character(nano, text):
    assert_consistent(text, nano.parse([text])[0])


@settings(max_examples=50, deadline=None)
@given(st.text("aeio da.,!?\n-«»\"' ", max_size=80))
def test_any_text_of_letters_and_signs_keeps_every_character(nano, text):
    assert_consistent(text, nano.parse([text])[0])


def test_version_and_hash_are_stated(nano):
    assert nano.name == "udpipe"
    assert nano.version.count(".") >= 2
    assert len(nano.model_sha256) == 64


def test_a_tagger_alone_is_refused_when_it_parses(tmp_path):
    options = "iterations=1;use_lemma=0;provide_lemma=0;use_xpostag=0;provide_xpostag=0"
    conllu = "1\tAna\t_\tPROPN\t_\t_\t2\tnsubj\t_\t_\n2\tdorme\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n" * 3
    reader, error = ufal.udpipe.InputFormat.newConlluInputFormat(), ufal.udpipe.ProcessingError()
    reader.setText(conllu)
    sentences = ufal.udpipe.Sentences()
    while reader.nextSentence(sentence := ufal.udpipe.Sentence(), error):
        sentences.append(sentence)
    model = ufal.udpipe.Trainer.train(
        "morphodita_parsito", sentences, ufal.udpipe.Sentences(), "none", options, "none", error
    )
    path = tmp_path / "tagger.udpipe"
    path.write_bytes(model)
    with pytest.raises(ModelError, match=r"'tagger.udpipe' has no tokenizer"):
        UDPipeParser(str(path)).parse(["Ana dorme."])
    chain = [str(SHIPPED_MODELS / "nano_pt.udpipe"), str(path), str(path)]
    with pytest.raises(ModelError, match=r"UDPipe failed at sentence 1"):
        UDPipeParser(chain).parse(["Ana dorme."])

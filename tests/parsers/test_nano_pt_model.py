"""The shipped parser on the language that it was trained on, and the same texts spoilt in known ways."""

import json
from collections import Counter, defaultdict

import numpy as np
import pytest

from rig.data.annotations import Annotations, write_annotations
from rig.data.nano_pt import corpus
from rig.parsers.model_files import SHIPPED_MODELS
from rig.parsers.parse_quality import ParseJudge, SentenceVerdict, describe_rates
from rig.parsers.plausibility import HeadAutomaton
from rig.parsers.tree_checks import features, relation
from rig.parsers.udpipe import UDPipeParser
from rig.tasks.generation import shuffled_text

SIZES = {"n_train": 6000, "n_validation": 1, "n_test": 400}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("language") / "nano"
    write_annotations(folder, corpus.documents(SIZES), corpus.metadata(corpus.CorpusOptions(**SIZES)))
    return Annotations.open(folder)


@pytest.fixture(scope="module")
def gold(data):
    return [item.sentence for item in data.sentences("test")]


@pytest.fixture(scope="module")
def train(data):
    return [item.sentence for item in data.sentences("train")]


@pytest.fixture(scope="module")
def rate():
    parser = UDPipeParser("nano_pt")
    judge = ParseJudge(automaton=HeadAutomaton.read(SHIPPED_MODELS / "nano_pt.plausibility.json"))

    def parse_rate(texts):
        verdicts = [v for parsed in parser.parse(texts) for v in judge.judge(parsed, may_be_cut=False)]
        rates = describe_rates(v for v in verdicts if isinstance(v, SentenceVerdict))
        assert rates["n_scored"] >= 0.9 * len(texts)
        assert rates["condition_rates"]["well_formed"] == 1.0
        return rates["parse_rate"]

    return parse_rate


def spelt(sentence, forms):
    pieces = [
        form + (" " if unit.space_after else "") for unit, form in zip(sentence.units, forms, strict=True)
    ]
    return "".join(pieces).strip()


def finite_verb(sentence):
    """The unit of the first finite verb with a subject of its own that isn't coordinated, and its word."""
    words = sentence.words
    for index, unit in enumerate(sentence.units):
        word = words[unit.first_word - 1]
        predicate = word.head if relation(word) in {"aux", "cop"} else unit.first_word
        subjects = [i for i, w in enumerate(words, 1) if w.head == predicate and relation(w) == "nsubj"]
        coordinated = any(w.head in subjects and relation(w) == "conj" for w in words)
        is_finite = features(word).get("VerbForm") == "Fin" and "Number" in features(word)
        if is_finite and subjects and not coordinated and not unit.is_multiword:
            return index, word
    return None


def other_number(train):
    """Lemma and features without number to the verb form of each number."""
    forms = defaultdict(dict)
    for sentence in train:
        for word in sentence.words:
            feats = features(word)
            number = feats.pop("Number", None)
            if feats.get("VerbForm") == "Fin" and number:
                forms[word.lemma, tuple(sorted(feats.items()))][number] = word.form.lower()
    return forms


def disagreeing(gold, train):
    forms = other_number(train)
    for sentence in gold:
        found = finite_verb(sentence)
        if found is None:
            continue
        index, verb = found
        feats = features(verb)
        number = {"Sing": "Plur", "Plur": "Sing"}[feats.pop("Number")]
        form = forms[verb.lemma, tuple(sorted(feats.items()))].get(number)
        if form is not None:
            surface = [unit.form for unit in sentence.units]
            yield spelt(sentence, [*surface[:index], form, *surface[index + 1 :]])


def trigram_texts(train, n):
    following = defaultdict(Counter)
    for sentence in train:
        tokens = ["", "", *(u.form + (" " if u.space_after else "") for u in sentence.units), "END"]
        for one, two, three in zip(tokens, tokens[1:], tokens[2:], strict=False):
            following[one, two][three] += 1
    rng = np.random.default_rng(5)
    for _ in range(n):
        tokens = ["", ""]
        while tokens[-1] != "END":
            counts = following[tokens[-2], tokens[-1]]
            total = counts.total()
            tokens.append(list(counts)[rng.choice(len(counts), p=[c / total for c in counts.values()])])
        yield "".join(tokens[2:-1]).strip()


@pytest.mark.slow
def test_text_passes_and_spoilt_text_fails(gold, train, rate):
    rng = np.random.default_rng(4)
    text = rate([sentence.text for sentence in gold])
    shuffled = rate([shuffled_text(sentence, rng=rng) for sentence in gold])
    wrong = list(disagreeing(gold, train))
    assert len(wrong) > 0.6 * len(gold)
    agreement_error = rate(wrong)
    trigram = rate(list(trigram_texts(train, 400)))
    assert text >= 0.9
    assert shuffled <= 0.1
    assert agreement_error <= 0.1
    assert shuffled + 0.1 < trigram < text - 0.1


def test_attachment_and_sentence_splitting(data):
    parser = UDPipeParser("nano_pt")
    by_document = defaultdict(list)
    for item in data.sentences("test"):
        by_document[item.doc_id].append(item.sentence)
    n_words = n_right = 0
    for document in data.documents("test"):
        parsed = parser.parse([document.text])[0]
        for ours, theirs in zip(by_document[document.doc_id], parsed, strict=True):
            assert ours.text == theirs.text
            assert [u.form for u in ours.units] == [u.form for u in theirs.units]
            n_words += len(ours.words)
            if len(ours.words) == len(theirs.words):
                n_right += sum(
                    (a.head, a.deprel) == (b.head, b.deprel)
                    for a, b in zip(ours.words, theirs.words, strict=True)
                )
    assert n_right / n_words > 0.98


def test_the_model_is_small():
    assert (SHIPPED_MODELS / "nano_pt.udpipe").stat().st_size < 1.5e6


def test_the_table_belongs_to_the_model():
    table = json.loads((SHIPPED_MODELS / "nano_pt.plausibility.json").read_text())
    assert table["model_sha256"] == UDPipeParser("nano_pt").model_sha256
    assert table["n_sentences"] == 4000

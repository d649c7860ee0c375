import math
import re
from collections import Counter

import numpy as np
import pytest

from rig.core.errors import ConfigError, DataError, ModelError
from rig.core.fingerprint import fingerprint
from rig.core.items import Item
from rig.core.token_scores import TokenScores
from rig.data.agreement_extraction import agreement_pairs
from rig.data.agreement_items import CELLS, AgreementPair, read_agreement_pairs, write_agreement_pairs
from rig.data.collective_nouns import COLLECTIVE_NOUNS
from rig.data.conllu import read_conllu
from rig.data.verb_paradigm import VerbParadigm
from rig.models.base import AbstractLanguageModel, Filled
from rig.models.tokenizer import Encoding
from rig.tasks.agreement import AgreementTask, distance_bin, sv_agreement
from rig.tasks.base import TaskData
from rig.tasks.catalog import build_task

WORD = re.compile(r"\s*(?:\w+|[^\w\s])")


class WordModel(AbstractLanguageModel):
    """Scores each word (with the space before it) by a function of the word."""

    def __init__(self, logprob):
        self.logprob = logprob
        self.calls = 0

    def score(self, documents):
        self.calls += 1
        return [self.scored(document) for document in documents]

    def scored(self, document):
        ends = [match.end() for match in WORD.finditer(document.text)]
        words = [match.group().strip() for match in WORD.finditer(document.text)]
        return TokenScores(
            doc_id=document.doc_id,
            token_id=np.arange(len(ends)),
            char_start=np.array([0, *ends[:-1]]),
            char_end=np.array(ends),
            logprob=np.array([self.logprob(word) for word in words], dtype=np.float64),
            n_chars=document.n_chars,
        )


def pair(sent_id, number="Sing", *, last_noun_mismatch=False, distance=1, verb_bad=None, lemma="cantar"):
    good, bad = ("canta", "cantam") if number == "Sing" else ("cantam", "canta")
    return AgreementPair(
        source="Teste",
        licence="CC0",
        sent_id=sent_id,
        text=f"Nome {sent_id} {good}.",
        char_start=6 + len(sent_id),
        char_end=6 + len(sent_id) + len(good),
        verb_good=good,
        verb_bad=verb_bad or bad,
        lemma=lemma,
        upos="VERB",
        tense="Pres",
        mood="Ind",
        number=number,
        subject="Nome",
        subj_upos="NOUN",
        distance=distance,
        n_attractors=int(last_noun_mismatch),
        last_noun_mismatch=last_noun_mismatch,
        rel_clause=False,
        pp=False,
    )


FOUR = (
    pair("a"),
    pair("b", last_noun_mismatch=True, distance=3),
    pair("c", "Plur", distance=2, lemma="ser"),
    pair("d", "Plur", last_noun_mismatch=True, distance=9),
)


def task_of(tmp_path, pairs=FOUR):
    path = tmp_path / "pairs.tsv"
    write_agreement_pairs(path, pairs)
    return build_task("agreement", {}, TaskData(annotations=tmp_path, files={"agreement": path}))


def ask(tmp_path, model, pairs=FOUR):
    task = task_of(tmp_path, pairs)
    result = task.run(model, seed=0)
    (column,) = task.columns()
    assert column.name == "sv_agreement"
    assert fingerprint(result.facts)
    return column.statistic(result.items), result


def test_the_oracle_has_everything_right(tmp_path):
    right = {pair.text for pair in FOUR}

    class Oracle(AbstractLanguageModel):
        def score(self, documents):
            said = {True: WordModel(lambda word: -1.0), False: WordModel(lambda word: -1.5)}
            return [said[document.text in right].scored(document) for document in documents]

    value, result = ask(tmp_path, Oracle())
    assert value == 1.0
    assert [item.predicted for item in result.items] == [1.0] * 4
    assert result.facts["n_ties"] == 0


def test_items_say_what_is_resampled_together(tmp_path):
    _, result = ask(tmp_path, WordModel(lambda word: -1.0))
    assert [(item.item_id, item.cluster_id, item.cell, item.gold) for item in result.items] == [
        ("Teste/a/7", "cantar", "Sing|match", 1.0),
        ("Teste/b/7", "cantar", "Sing|mismatch", 1.0),
        ("Teste/c/7", "ser", "Plur|match", 1.0),
        ("Teste/d/7", "cantar", "Plur|mismatch", 1.0),
    ]


def test_a_model_that_says_the_same_of_everything_gets_half_and_all_ties(tmp_path):
    value, result = ask(tmp_path, WordModel(lambda word: -3.0))
    assert value == 0.5
    assert result.facts["n_ties"] == 4
    assert result.facts["cells"]["Sing|match"] == {
        "n": 1, "n_ties": 1, "accuracy": 0.5, "low": 0.0, "high": 1.0,
    }  # fmt: skip


def test_a_model_of_singulars_gets_half_of_balanced_cells_and_more_of_natural_text(tmp_path):
    singular = WordModel(lambda word: -1.0 if word == "canta" else -2.0)
    assert ask(tmp_path, singular)[0] == 0.5
    natural = (*FOUR, *(pair(f"x{i}") for i in range(16)))
    value, result = ask(tmp_path, singular, natural)
    assert value == 0.5
    assert result.facts["accuracy_all"] == 18 / 20


def test_a_bias_for_short_strings_is_seen_as_the_sum_it_is(tmp_path):
    # The bad form has one token more at -1 each: sums -4 against -5, means equal.
    pairs = tuple(pair(name, verb_bad="canta se") for name in ("a", "b"))
    _, result = ask(tmp_path, WordModel(lambda word: -1.0), pairs)
    assert [item.predicted for item in result.items] == [1.0, 1.0]
    assert result.facts["n_pairs_of_unequal_tokens"] == 2
    assert result.facts["share_of_unequal_tokens"] == 1.0


def test_all_strings_are_scored_in_one_call(tmp_path):
    model = WordModel(lambda word: -1.0)
    ask(tmp_path, model)
    assert model.calls == 1


def test_distances(tmp_path):
    assert [distance_bin(distance) for distance in (1, 2, 3, 4, 5, 22)] == [
        "1",
        "2",
        "3-4",
        "3-4",
        "5+",
        "5+",
    ]
    _, result = ask(tmp_path, WordModel(lambda word: -1.0))
    assert {name: group["n"] for name, group in result.facts["distances"].items()} == {
        "1": 1, "2": 1, "3-4": 1, "5+": 1,
    }  # fmt: skip


def test_an_empty_cell_leaves_the_column_empty_with_the_reason(tmp_path):
    value, result = ask(tmp_path, WordModel(lambda word: -1.0), FOUR[:2])
    assert value is None
    assert result.reasons == {
        "sv_agreement": "no pairs in Plur|match, Plur|mismatch: the mean of four cells is undefined"
    }


def test_the_statistic_is_a_function_of_the_items_in_any_order():
    items = [
        Item(item_id=str(i), cluster_id="", cell=CELLS[i % 4], predicted=float(i % 3 == 0), gold=1.0)
        for i in range(40)
    ]
    expected = np.mean([np.mean([items[i].predicted for i in range(cell, 40, 4)]) for cell in range(4)])
    assert sv_agreement(items) == pytest.approx(expected, abs=1e-15)
    assert sv_agreement(items[::-1]) == sv_agreement(items)


@pytest.mark.parametrize("value", [math.nan, -math.inf, 0.5])
def test_a_score_that_is_none_fails_with_the_item(tmp_path, value):
    model = WordModel(lambda word: value if word == "cantam" else -1.0)
    with pytest.raises(
        ModelError, match=r"'Teste/c/7 \(cantam\)': a log-probability must be finite and <= 0"
    ):
        ask(tmp_path, model, FOUR[2:])


def test_a_sum_that_overflows_fails_with_the_item(tmp_path):
    with (
        np.errstate(over="ignore"),
        pytest.raises(ModelError, match=r"pair 'Teste/a/7 \(canta\)': .* must be finite, got -inf"),
    ):
        ask(tmp_path, WordModel(lambda word: -1e308))


def test_answers_in_another_order_are_refused(tmp_path):
    class Shuffled(WordModel):
        def score(self, documents):
            return super().score(documents)[::-1]

    with pytest.raises(ModelError, match="got the scores of 'Teste/d/7"):
        ask(tmp_path, Shuffled(lambda word: -1.0))


def test_missing_answers_are_refused(tmp_path):
    class Lazy(WordModel):
        def score(self, documents):
            return super().score(documents)[1:]

    with pytest.raises(ModelError, match="was given 8 sentences and scored 7"):
        ask(tmp_path, Lazy(lambda word: -1.0))


class MaskedWords(AbstractLanguageModel):
    """Fills a hidden word; a word of more than five letters has two pieces, the first of five letters."""

    objective = "masked"
    max_tokens = 50

    def __init__(self, logprob):
        self.logprob = logprob
        self.words = [""]

    def score(self, documents):
        raise AssertionError("a masked model is asked for the verb, not for the sentence")

    def encode(self, texts):
        encodings = []
        for text in texts:
            ends = []
            for match in WORD.finditer(text):
                first = match.start() + len(match.group()) - len(match.group().lstrip())
                if match.end() - first > 5:
                    ends.append(first + 5)
                ends.append(match.end())
            starts = [0, *ends[:-1]]
            pieces = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
            self.words += [piece for piece in pieces if piece not in self.words]
            ids = [self.words.index(piece) for piece in pieces]
            encodings.append(Encoding.from_ends(np.array(ids), np.array(ends)))
        return encodings

    def fill(self, gaps):
        self.asked = gaps
        return [
            Filled(
                logprob=np.array([self.logprob(self.words[one.token_id[one.asked[0]]])]),
                predicted=np.zeros(1, np.int64),
            )
            for one in gaps
        ]


def test_a_masked_model_is_asked_for_the_verbs_pieces_left_to_right(tmp_path):
    # "canta" is one piece, "cantam" two: `canta` and `m`. Every piece has probability 1/2.
    model = MaskedWords(lambda piece: -math.log(2))
    value, result = ask(tmp_path, model)
    assert value == 0.5  # the form of one piece always wins: right for the two singular cells
    assert {item.cell: item.predicted for item in result.items} == {
        "Sing|match": 1.0, "Sing|mismatch": 1.0, "Plur|match": 0.0, "Plur|mismatch": 0.0,
    }  # fmt: skip
    assert result.facts["scoring"].startswith("summed pseudo-log-probability of the verb's pieces")
    assert result.facts["n_pairs_of_unequal_tokens"] == 4
    hidden = [[model.words[one.token_id[place]] for place in one.hidden] for one in model.asked]
    assert (
        hidden
        == [["canta"]] * 2 + [["canta", "m"], ["m"]] * 2 + [["canta", "m"], ["m"]] * 2 + [["canta"]] * 2
    )


def test_a_masked_oracle_has_everything_right_and_equal_forms_tie(tmp_path):
    model = MaskedWords(lambda piece: 0.0)
    value, result = ask(tmp_path, model)
    assert value == 0.5
    assert result.facts["n_ties"] == 4

    class Oracle(MaskedWords):
        def fill(self, gaps):
            n_good = 2 + 2 * 2  # two singular verbs of one piece, two plural ones of two
            return [
                Filled(logprob=np.array([-0.1 if index < n_good else -9.0]), predicted=np.zeros(1, np.int64))
                for index, _ in enumerate(gaps)
            ]

    assert ask(tmp_path, Oracle(None))[0] == 1.0


def test_a_masked_model_that_gives_no_number_fails_loudly_and_names_the_pair(tmp_path):
    with pytest.raises(ModelError, match=r"document 'Teste/a/\d+ \(canta\)': a span's log-probability"):
        ask(tmp_path, MaskedWords(lambda piece: math.nan))


def test_a_masked_model_that_fills_no_masks_has_an_empty_column_that_says_why(tmp_path):
    model = WordModel(lambda word: -1.0)
    model.objective = "masked"
    value, result = ask(tmp_path, model)
    assert value is None
    assert result.items == ()
    assert "must fill masks" in result.reasons["sv_agreement"]
    assert model.calls == 0


def test_without_a_file_the_column_is_empty(tmp_path):
    task = AgreementTask({}, TaskData(annotations=tmp_path, files={}))
    result = task.run(WordModel(lambda word: -1.0), seed=0)
    assert result.reasons == {"sv_agreement": "data.agreement is not set"}
    assert sv_agreement(result.items) is None


def test_what_is_wrong_is_refused_when_the_task_is_built(tmp_path):
    with pytest.raises(ConfigError, match=r"`task\.agreement` has no options, got 'normalise'"):
        AgreementTask({"normalise": True}, TaskData(annotations=tmp_path, files={}))
    with pytest.raises(DataError, match=r"none\.tsv' does not exist"):
        AgreementTask({}, TaskData(annotations=tmp_path, files={"agreement": tmp_path / "none.tsv"}))


@pytest.fixture(scope="module")
def bosque(test_data):
    """Sentences of Bosque's three sections."""
    folder = test_data / "ud/Bosque"
    names = {"train": "train.rebuilt", "validation": "dev", "test": "test"}
    return {
        split: [
            item.sentence
            for item in read_conllu(folder / f"pt_bosque-ud-{name}.conllu", on_text_mismatch="rebuild")
        ]
        for split, name in names.items()
    }


@pytest.fixture(scope="module")
def unigram(bosque):
    """How often a word stands in Bosque's train section, add-one smoothed."""
    counts = Counter(
        match.group().strip() for sentence in bosque["train"] for match in WORD.finditer(sentence.text)
    )
    total = counts.total() + len(counts) + 1
    return WordModel(lambda word: math.log((counts[word] + 1) / total))


@pytest.mark.slow
@pytest.mark.real_data
def test_frequency_alone_gets_half_of_the_balanced_200(tmp_path, unigram, test_data):
    path = test_data / "agreement/pt_ud_sva_200.tsv"
    value, result = ask(tmp_path, unigram, read_agreement_pairs(path))
    assert value == pytest.approx(0.492, abs=0.02)
    cells = {name: group["accuracy"] for name, group in result.facts["cells"].items()}
    assert min(cells["Sing|match"], cells["Sing|mismatch"]) > 0.85
    assert max(cells["Plur|match"], cells["Plur|mismatch"]) < 0.15


@pytest.mark.slow
@pytest.mark.real_data
def test_frequency_alone_passes_on_text_as_it_comes_but_not_by_cells(tmp_path, unigram, bosque):
    pairs = agreement_pairs(
        [*bosque["validation"], *bosque["test"]],
        paradigm=VerbParadigm(sentence for split in bosque.values() for sentence in split),
        collective_nouns=COLLECTIVE_NOUNS["pt"],
        source="Bosque",
        licence="CC BY-SA 4.0",
    )
    value, result = ask(tmp_path, unigram, tuple(pairs))
    assert result.facts["accuracy_all"] == pytest.approx(0.77, abs=0.02)
    assert value == pytest.approx(0.5, abs=0.02)

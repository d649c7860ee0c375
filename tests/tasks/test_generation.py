import json
import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from rig.core.errors import ConfigError, DataError, ModelError
from rig.core.fingerprint import canonical_json
from rig.core.items import Item
from rig.core.seeding import stream
from rig.data.annotations import Annotations, write_annotations
from rig.data.nano_pt import corpus
from rig.models.base import AbstractLanguageModel
from rig.parsers.model_files import SHIPPED_MODELS
from rig.parsers.udpipe import UDPipeParser
from rig.tasks.base import TaskData
from rig.tasks.catalog import build_task
from rig.tasks.generation import shuffled_text
from rig.tasks.generation_items import parse_rate, tree_depth, tree_valid_rate

SIZES = {"n_train": 150, "n_validation": 60, "n_test": 120}
OPTIONS = {
    "n_prompts": 4,
    "n_tokens": 100,
    "temperature": 1.0,
    "top_p": 0.95,
    "min_words": 3,
    "max_words": 100,
    "n_reference_sentences": 100,
    "parser": {"name": "udpipe", "model": "nano_pt"},
}
PROMPTS = ("A menina", "O professor", "As casas", "Uma cantora")
GOOD = " dorme. A menina viu o professor. Ela canta nas"


class Silent(AbstractLanguageModel):
    def score(self, documents):
        raise NotImplementedError


class Writes(Silent):
    """Continues each prompt with a given text."""

    def __init__(self, *continuations: str) -> None:
        self.continuations = continuations
        self.asked: dict[str, object] = {}

    def generate(self, prompts: Sequence[str], *, n_tokens, temperature, top_p, rngs) -> list[str]:
        self.asked = {"n_tokens": n_tokens, "temperature": temperature, "top_p": top_p, "prompts": prompts}
        self.draws = [rng.random() for rng in rngs]
        return list(self.continuations)


class Samples(Silent):
    """Continues a prompt with whole sentences, or with their words in random order."""

    def __init__(self, sentences, *, shuffle: bool) -> None:
        self.sentences, self.shuffle = sentences, shuffle

    def generate(self, prompts, *, n_tokens, temperature, top_p, rngs):
        texts = []
        for rng in rngs:
            chosen = [self.sentences[i] for i in rng.integers(len(self.sentences), size=6)]
            pieces = [shuffled_text(s, rng=rng) if self.shuffle else s.text for s in chosen]
            texts.append(" canta. " + " ".join(pieces))
        return texts


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> TaskData:
    root = tmp_path_factory.mktemp("generation")
    write_annotations(root / "nano", corpus.documents(SIZES), corpus.metadata(corpus.CorpusOptions(**SIZES)))
    (root / "prompts.txt").write_text("\n".join(PROMPTS) + "\n", encoding="utf-8")
    return TaskData(annotations=root / "nano", files={"prompts": root / "prompts.txt"})


@pytest.fixture(scope="module")
def test_sentences(data):
    return [item.sentence for item in Annotations.open(data.annotations).sentences("test")]


def run(data, model, *, seed=1, **options):
    return build_task("generation", OPTIONS | options, data).run(model, seed=seed)


def test_columns_are_functions_of_the_items(data):
    task = build_task("generation", OPTIONS, data)
    assert [column.name for column in task.columns()] == ["tree_valid_rate", "parse_rate", "tree_depth"]
    result = task.run(Writes(*[GOOD] * 4), seed=1)
    values = {column.name: column.statistic(result.items) for column in task.columns()}
    parsed = [item.predicted for item in result.items if item.cell == "parsed"]
    assert values["parse_rate"] == sum(parsed) / len(parsed) == result.facts["generated"]["parse_rate"]
    assert values["tree_valid_rate"] == 1.0
    assert values["tree_depth"] == result.facts["tree_depth"]
    assert result.reasons == {}


def test_the_cut_sentence_is_unscored_and_shown(data):
    result = run(data, Writes(*[GOOD] * 4))
    assert result.facts["generated"]["n_scored"] == 8
    assert result.facts["n_unscored"] == {"cut": 4}
    assert result.facts["unscored_examples"] == ["Ela canta nas"] * 3


def test_the_prompt_is_part_of_the_text(data):
    model = Writes(*[GOOD] * 4)
    result = run(data, model)
    assert result.samples == tuple(prompt + GOOD for prompt in PROMPTS[:3])
    assert result.facts["text_parsed"] == "prompt and continuation together"
    assert model.asked == {"n_tokens": 100, "temperature": 1.0, "top_p": 0.95, "prompts": PROMPTS}


def test_each_prompt_draws_from_its_own_stream(data):
    model = Writes(*[GOOD] * 4)
    run(data, model, seed=7)
    assert model.draws == [stream(7, "generation", index).random() for index in range(4)]
    fewer = Writes(*[GOOD] * 2)
    run(data, fewer, seed=7, n_prompts=2)
    assert fewer.draws == model.draws[:2]


def test_short_sentences_are_unscored_and_an_empty_output_fails(data):
    result = run(data, Writes(GOOD, "", " \n", " dorme. Sim. Ela dorme bem."))
    facts = result.facts
    assert facts["n_empty_outputs"] == 2
    # The last sentence of the first text is cut; "Sim." has one word.
    assert facts["n_unscored"] == {"cut": 1, "short": 1}
    # Two sentences of the first text, two of the last, and the two empty outputs.
    assert facts["generated"]["n_scored"] == 6
    failed = [item for item in result.items if item.cluster_id == "prompt 2"]
    assert {item.predicted for item in failed} == {0.0}
    assert {item.cell for item in failed} == {
        "well_formed",
        "licit",
        "finite",
        "agrees",
        "plausible",
        "parsed",
    }
    assert tree_valid_rate(result.items) < 1


def test_overlong_sentences_stay_in_the_denominator(data):
    result = run(data, Writes(*[" dorme. A menina viu o professor."] * 4), max_words=4)
    generated = result.facts["generated"]
    assert generated["n_scored"] == 8
    assert generated["n_overlong"] == 4


def test_where_all_is_cut_columns_are_empty_with_the_reason(data):
    result = run(data, Writes(*[" e"] * 4))
    for statistic in (tree_valid_rate, parse_rate, tree_depth):
        assert statistic(result.items) is None
    assert set(result.reasons) == {"tree_valid_rate", "parse_rate", "tree_depth"}
    assert "no generated sentence could be scored" in result.reasons["parse_rate"]


def test_text_of_the_language_passes_and_its_shuffle_fails(data, test_sentences):
    good = run(data, Samples(test_sentences, shuffle=False))
    bad = run(data, Samples(test_sentences, shuffle=True))
    assert parse_rate(good.items) > 0.8
    assert good.facts["parse_rate_ref"] > 0.85
    assert good.facts["parse_rate_shuffled"] < 0.15
    # Its first sentences are the prompt's own; the shuffled ones drag the rate down.
    assert bad.facts["generated"]["parse_rate"] < 0.4
    interval = good.facts["generated"]
    assert interval["low"] < interval["parse_rate"] < interval["high"]


def test_an_unfit_parser_leaves_parse_rate_empty_with_the_reason(data, tmp_path):
    # A table that lets nothing pass: human text fares no better than shuffled words.
    for suffix in (".udpipe", ".plausibility.json"):
        (tmp_path / f"strict{suffix}").write_bytes((SHIPPED_MODELS / f"nano_pt{suffix}").read_bytes())
    table = tmp_path / "strict.plausibility.json"
    table.write_text(canonical_json(json.loads(table.read_text()) | {"threshold": -0.01}))
    parser = {"name": "udpipe", "model": str(tmp_path / "strict.udpipe")}
    result = run(data, Writes(*[GOOD] * 4), parser=parser)
    assert parse_rate(result.items) is None
    assert result.reasons == {
        "parse_rate": "the parser is unfit: human text and shuffled words differ by 0.000 in parse rate, "
        "less than 0.3"
    }
    assert tree_valid_rate(result.items) == 1.0


@pytest.mark.parametrize(
    ("reference", "shuffled", "expected"), [(0.8, 0.51, None), (0.8, 0.5, 1.0), (0.1, 0.9, None)]
)
def test_parse_rate_needs_controls_that_lie_apart(reference, shuffled, expected):
    def items(cell, share):
        n_passed = round(share * 100)
        return [
            Item(item_id=f"{cell}{i}", cluster_id="x", cell=cell, predicted=float(i < n_passed), gold=1.0)
            for i in range(100)
        ]

    rows = items("reference", reference) + items("shuffled", shuffled) + items("parsed", 1.0)
    assert parse_rate(rows) == expected


def test_without_controls_there_is_no_parse_rate():
    assert parse_rate([Item(item_id="a", cluster_id="x", cell="parsed", predicted=1.0, gold=1.0)]) is None
    assert parse_rate([]) is None


def test_human_depth_of_equal_length_stands_beside(data):
    result = run(data, Writes(*[GOOD] * 4))
    depths = [item for item in result.items if item.cell == "depth"]
    assert result.facts["tree_depth_of_human_text_of_equal_length"] == pytest.approx(
        sum(item.gold for item in depths) / len(depths)
    )
    assert all(item.predicted >= 1 for item in depths)


def test_equal_inputs_give_equal_results(data, test_sentences):
    first, again, other = (run(data, Samples(test_sentences, shuffle=False), seed=seed) for seed in (3, 3, 4))
    assert first == again
    assert canonical_json(first.facts) == canonical_json(again.facts)
    assert first.samples != other.samples


def test_item_ids_are_unique_and_clusters_are_prompts(data):
    items = run(data, Writes(*[GOOD] * 4)).items
    assert len({item.item_id for item in items}) == len(items)
    assert {item.cluster_id for item in items if item.cell == "parsed"} == {
        f"prompt {i}" for i in range(1, 5)
    }


def test_parser_name_version_and_hash_stand_in_the_facts(data):
    parser = run(data, Writes(*[GOOD] * 4)).facts["parser"]
    shipped = UDPipeParser("nano_pt")
    assert (parser["name"], parser["version"], parser["model_sha256"]) == (
        "udpipe",
        shipped.version,
        shipped.model_sha256,
    )
    assert parser["plausibility"] == "the table beside the model, from its training treebank"


def test_a_model_without_a_table_has_one_fitted_and_says_so(data, tmp_path):
    path = tmp_path / "other.udpipe"
    path.write_bytes((SHIPPED_MODELS / "nano_pt.udpipe").read_bytes())
    result = run(data, Writes(*[GOOD] * 4), parser={"name": "udpipe", "model": str(path)})
    assert result.facts["parser"]["plausibility"].startswith("fitted on parsed train text")
    assert result.facts["parser"]["plausibility_sentences"] >= 140


def test_a_table_of_another_model_is_refused(data, tmp_path):
    path = tmp_path / "other.udpipe"
    path.write_bytes((SHIPPED_MODELS / "nano_pt.udpipe").read_bytes())
    table = (SHIPPED_MODELS / "nano_pt.plausibility.json").read_text()
    sha = UDPipeParser("nano_pt").model_sha256
    (tmp_path / "other.plausibility.json").write_text(table.replace(sha, "0" * 64))
    with pytest.raises(DataError, match="was made with another model than the one beside it"):
        run(data, Writes(*[GOOD] * 4), parser={"name": "udpipe", "model": str(path)})


def test_a_model_that_cannot_generate_leaves_its_columns_empty_and_says_why(data):
    result = run(data, Silent())
    assert result.items == ()
    assert set(result.reasons) == {"tree_valid_rate", "parse_rate", "tree_depth"}
    assert result.reasons["parse_rate"] == "Silent can't continue a text: it has no method `generate`"


def test_a_missing_continuation_is_refused(data):
    with pytest.raises(ModelError, match="given 4 prompts and continued 3"):
        run(data, Writes(*[GOOD] * 3))


def test_text_is_normalised_before_it_is_parsed(data):
    result = run(data, Writes(*[unicodedata.normalize("NFD", " vê o médico. Ela dorme")] * 4))
    assert all(unicodedata.is_normalized("NFC", sample) for sample in result.samples)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_token": 3}, r"unknown option 'n_token' of `task.generation`. Did you mean 'n_tokens'\?"),
        ({"n_tokens": 0}, "`task.generation.n_tokens` must be an integer of at least 1, got 0"),
        ({"n_prompts": 2.0}, r"n_prompts` must be an integer of at least 1, got 2.0"),
        ({"min_words": True}, "min_words` must be an integer of at least 1, got True"),
        ({"min_words": 30, "max_words": 20}, "must not exceed max_words, got 30 and 20"),
        ({"temperature": 0}, "temperature` must be a finite number above 0, got 0"),
        ({"temperature": float("nan")}, "temperature` must be a finite number above 0, got nan"),
        ({"temperature": float("inf")}, "got inf"),
        ({"top_p": 1.5}, r"top_p` must be in \(0, 1\], got 1.5"),
        ({"top_p": "0.9"}, r"top_p` must be in \(0, 1\], got '0.9'"),
        ({"parser": "udpipe"}, "parser` must have a name and a model, got 'udpipe'"),
        ({"parser": {"name": "udpipes", "model": "x"}}, r"Did you mean 'udpipe'\?"),
    ],
)
def test_wrong_options_are_refused_before_any_work(data, options, message):
    with pytest.raises(ConfigError, match=message):
        build_task("generation", OPTIONS | options, data)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"um\ndois\n", r"has 2 prompts, but `task.generation.n_prompts` is 4"),
        (b"um\ndois\num\ntres\n", r"has the prompt 'um' twice"),
        ("não".encode("latin1"), "must be UTF-8"),
        (None, "does not exist"),
    ],
)
def test_wrong_prompts_are_refused(data, tmp_path, content, message):
    path = tmp_path / "prompts.txt"
    if content is not None:
        path.write_bytes(content)
    wrong = TaskData(annotations=data.annotations, files={"prompts": path})
    with pytest.raises(DataError, match=message):
        build_task("generation", OPTIONS, wrong)


def test_no_prompts_in_the_data_config(data):
    with pytest.raises(ConfigError, match=r"`data.prompts` is not set"):
        build_task("generation", OPTIONS, TaskData(annotations=data.annotations, files={}))


def test_shuffling_keeps_the_units_and_the_end(test_sentences):
    for sentence in test_sentences[:50]:
        text = shuffled_text(sentence, rng=np.random.default_rng(0))
        assert text.endswith(".")
        assert sorted(text[:-1].split()) == sorted(unit.form for unit in sentence.units[:-1])


def test_the_shipped_config_and_prompts_are_accepted(data):
    conf = Path(__file__).parents[2] / "conf"
    shipped = TaskData(annotations=data.annotations, files={"prompts": conf / "prompts" / "pt.txt"})
    options = {**OPTIONS, "n_prompts": 50}
    assert build_task("generation", options, shipped).name == "generation"
    keys = {line.partition(":")[0] for line in (conf / "task" / "generation.yaml").read_text().splitlines()}
    assert {key for key in keys if not key.startswith("#")} == set(OPTIONS)

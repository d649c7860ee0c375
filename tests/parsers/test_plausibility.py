import json
import math
from collections import Counter

import pytest

from rig.core.errors import DataError
from rig.parsers.plausibility import HeadAutomaton, emissions, fit_head_automaton


@pytest.fixture
def small(tree):
    return tree(("Ana", "PROPN", None, 2, "nsubj"), ("dorme", "VERB", None, 0, "root"))


def test_emissions_by_hand(small):
    assert list(emissions(small)) == [
        (("ROOT", "ROOT", "right", "START"), ("root", "VERB")),
        (("PROPN", "nsubj", "left", "START"), ("STOP", "")),
        (("PROPN", "nsubj", "right", "START"), ("STOP", "")),
        (("VERB", "root", "left", "START"), ("nsubj", "PROPN")),
        (("VERB", "root", "left", "nsubj"), ("STOP", "")),
        (("VERB", "root", "right", "START"), ("STOP", "")),
    ]


def test_dependents_are_emitted_outward(tree):
    sentence = tree(
        ("a", "ADV", None, 3, "advmod"),
        ("b", "PRON", None, 3, "nsubj"),
        ("c", "VERB", None, 0, "root"),
    )
    events = [event for context, event in emissions(sentence) if context[:3] == ("VERB", "root", "left")]
    assert events == [("nsubj", "PRON"), ("advmod", "ADV"), ("STOP", "")]


def test_probabilities_follow_witten_bell_by_hand(small):
    automaton = fit_head_automaton([small], [small], model_sha256="x")
    # Events: STOP 4 times, nsubj and root once each: 6 tokens, 3 types, uniform over 3 + 1.
    lowest = (1 + 3 * 1 / 4) / (6 + 3)
    # Side left: STOP, nsubj, STOP: 3 tokens, 2 types.
    by_side = (1 + 2 * lowest) / (3 + 2)
    # VERB left: nsubj, STOP: 2 tokens, 2 types; the same with the relation.
    by_tag = (1 + 2 * by_side) / (2 + 2)
    by_relation = (1 + 2 * by_tag) / (2 + 2)
    # After START: nsubj only: 1 token, 1 type.
    full = (1 + by_relation) / (1 + 1)
    context = ("VERB", "root", "left", "START")
    assert automaton.probability(context, ("nsubj", "PROPN")) == pytest.approx(full, abs=1e-15)


@pytest.mark.parametrize(
    "context",
    [
        ("VERB", "root", "left", "START"),
        ("VERB", "root", "left", "nsubj"),
        ("ADJ", "amod", "left", "START"),
        ("ADJ", "amod", "upward", "START"),
    ],
)
def test_probabilities_sum_to_one_over_seen_events_and_one_unseen(small, context):
    automaton = fit_head_automaton([small], [small], model_sha256="x")
    events = [*automaton.counts[()], ("never", "SEEN")]
    assert math.fsum(automaton.probability(context, event) for event in events) == pytest.approx(1, abs=1e-12)


def test_the_score_is_nats_per_word(small):
    automaton = fit_head_automaton([small], [small], model_sha256="x")
    total = sum(math.log(automaton.probability(c, e)) for c, e in emissions(small))
    assert automaton.score(small) == pytest.approx(total / 2, abs=1e-15)
    assert automaton.score(small) < 0


def test_the_threshold_is_the_fifth_percentile(tree, small):
    odd = tree(("a", "ADV", None, 0, "root"), ("b", "NUM", None, 1, "obl"))
    automaton = fit_head_automaton([small], [odd] + [small] * 19, model_sha256="x")
    # Of 20 scores the lowest is below the threshold and the other 95% are not.
    assert automaton.threshold == automaton.score(small)
    assert not automaton.is_plausible(odd)
    assert automaton.is_plausible(small)
    lax = fit_head_automaton([small], [odd] + [small] * 18, model_sha256="x")
    assert lax.threshold == lax.score(odd)


def test_a_table_survives_the_disk(tmp_path, small, tree):
    odd = tree(("a", "ADV", None, 0, "root"), ("b", "NUM", None, 1, "obl"))
    automaton = fit_head_automaton([small, small, odd], [small], model_sha256="abc")
    automaton.write(tmp_path / "t.json")
    again = HeadAutomaton.read(tmp_path / "t.json")
    assert again == automaton
    assert again.score(odd) == automaton.score(odd)
    again.write(tmp_path / "u.json")
    assert (tmp_path / "t.json").read_bytes() == (tmp_path / "u.json").read_bytes()


def test_malformed_trees_are_not_counted(tree, small):
    bad = tree(("a", "ADV", None, 0, "root"), ("b", "NUM", None, 0, "root"))
    assert fit_head_automaton([bad, small], [bad, small], model_sha256="x").n_sentences == 1
    with pytest.raises(DataError, match=r"needs train and held-out sentences, got 1 and 0"):
        fit_head_automaton([small], [bad], model_sha256="x")
    with pytest.raises(DataError, match=r"got 0 and 1"):
        fit_head_automaton([], [small], model_sha256="x")


def table(**changes):
    whole = {
        "schema": 1,
        "threshold": -1.5,
        "n_sentences": 1,
        "model_sha256": "x",
        "counts": {"VERB\troot\tleft\tSTART": {"STOP\t": 1}},
    }
    return json.dumps(whole | changes)


def test_a_whole_table_is_read(tmp_path):
    (tmp_path / "t.json").write_text(table())
    assert HeadAutomaton.read(tmp_path / "t.json").threshold == -1.5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        table(schema=2),
        table(counts=3),
        table(counts={}),
        table(counts={"VERB": {"STOP\t": 1}}),
        table(counts={"VERB\troot\tleft\tSTART": {"STOP": 1}}),
        table(threshold=float("nan")),
        table(threshold=0.5),
        table(threshold=None),
    ],
)
def test_a_damaged_table_is_refused(tmp_path, text):
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"plausibility table 't.json' can't be read .* `rig parser train`"):
        HeadAutomaton.read(path)


def test_a_missing_table_is_refused(tmp_path):
    with pytest.raises(DataError, match="can't be read"):
        HeadAutomaton.read(tmp_path / "none.json")


def test_counts_are_kept_for_every_shorter_context(small):
    automaton = fit_head_automaton([small], [small], model_sha256="x")
    assert automaton.counts["VERB", "left"] == Counter({("nsubj", "PROPN"): 1, ("STOP", ""): 1})
    assert automaton.counts[("right",)] == Counter({("STOP", ""): 2, ("root", "VERB"): 1})

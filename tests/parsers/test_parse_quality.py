import pytest
from scipy.stats import norm

from rig.parsers.parse_quality import (
    CONDITIONS,
    ParseJudge,
    SentenceVerdict,
    Unscored,
    describe_rates,
    ends_sentence,
    split_terminal,
    wilson_interval,
)
from rig.parsers.plausibility import fit_head_automaton

FIN = "Number=Sing|VerbForm=Fin"


def sentence(tree, *, words=3, end=".", feats=FIN):
    """A subject, a verb, adverbs, and an end."""
    rows = [("Ana", "PROPN", "Number=Sing", 2, "nsubj"), ("dorme", "VERB", feats, 0, "root")]
    rows += [("bem", "ADV", None, 2, "advmod")] * (words - 2)
    if end:
        rows.append((end, "PUNCT", None, 2, "punct"))
    return tree(*rows)


@pytest.fixture
def judge(tree):
    known = sentence(tree)
    return ParseJudge(automaton=fit_head_automaton([known], [known], model_sha256="x"), max_words=10)


def test_a_good_sentence_is_parsed(judge, tree):
    (verdict,) = judge.judge([sentence(tree)], may_be_cut=True)
    assert isinstance(verdict, SentenceVerdict)
    assert verdict.is_parsed
    assert (verdict.n_words, verdict.depth, verdict.text) == (4, 2, "Ana dorme bem .")


def test_only_the_last_sentence_can_be_cut_and_only_where_the_text_can(judge, tree):
    cut = sentence(tree, end="")
    first, last = judge.judge([cut, cut], may_be_cut=True)
    assert isinstance(first, SentenceVerdict)
    assert last == Unscored(text="Ana dorme bem", reason="cut")
    assert all(isinstance(v, SentenceVerdict) for v in judge.judge([cut, cut], may_be_cut=False))
    assert judge.judge([], may_be_cut=True) == []


def test_punctuation_does_not_make_a_sentence_longer(judge, tree):
    short = sentence(tree, words=2)
    assert judge.judge([short], may_be_cut=False) == [Unscored(text="Ana dorme .", reason="short")]


def test_an_overlong_sentence_stays_in_the_denominator(judge, tree):
    (verdict,) = judge.judge([sentence(tree, words=10)], may_be_cut=False)
    assert verdict.is_overlong
    assert not verdict.is_parsed


def test_each_condition_fails_alone(judge, tree):
    (verdict,) = judge.judge([sentence(tree, feats=None)], may_be_cut=False)
    assert dict(zip(CONDITIONS, verdict.conditions, strict=True))["finite"] is False
    assert sum(verdict.conditions) == 4
    assert not verdict.is_parsed


@pytest.mark.parametrize("text", ["Sim.", "Sim!", "Sim?", "Sim…", "«Sim.»", 'Ele disse "sim." ', "(Sim!)"])
def test_terminal_punctuation(text):
    assert ends_sentence(text)


@pytest.mark.parametrize("text", ["Sim", "Sim,", '"Sim"', "", "Sim:", "1.5"])
def test_no_terminal_punctuation(text):
    assert not ends_sentence(text)


@pytest.mark.parametrize(
    ("forms", "body", "terminal"),
    [
        (["Ana", "dorme", "."], ["Ana", "dorme"], ["."]),
        (["Ana", "dorme", ".", "»"], ["Ana", "dorme"], [".", "»"]),
        (["Ana", ".", "dorme"], ["Ana", ".", "dorme"], []),
        (["..."], [], ["..."]),
    ],
)
def test_split_terminal(forms, body, terminal):
    assert split_terminal(forms) == (body, terminal)


def verdict(*conditions):
    return SentenceVerdict(text="x", n_words=5, conditions=conditions, is_overlong=False, depth=2)


def test_rates_by_hand():
    good, bad = verdict(True, True, True, True, True), verdict(True, False, True, True, False)
    rates = describe_rates([good, good, bad], n_failed=1)
    assert (rates["n_scored"], rates["n_parsed"], rates["parse_rate"]) == (4, 2, 0.5)
    assert rates["condition_rates"] == {
        "well_formed": 0.75,
        "licit": 0.5,
        "finite": 0.75,
        "agrees": 0.75,
        "plausible": 0.5,
    }


def test_nothing_scored_is_none():
    rates = describe_rates([])
    assert (rates["parse_rate"], rates["low"], rates["high"]) == (None, None, None)
    assert set(rates["condition_rates"].values()) == {None}


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (764, 881)])
def test_wilson_interval_is_wilsons_formula(k, n):
    z, p = norm.ppf(0.975), k / n
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * (p * (1 - p) / n + z**2 / (4 * n**2)) ** 0.5
    assert wilson_interval(k, n) == pytest.approx((max(middle - half, 0), min(middle + half, 1)), abs=1e-12)

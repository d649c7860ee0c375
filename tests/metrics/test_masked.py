"""Which tokens are hidden, and the sums of hidden tokens and of pseudo-likelihood, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.core.documents import WORD_CLASSES, AnnotatedDocument, Document, Units
from rig.core.masked_tokens import MaskedTokens, no_masked_tokens
from rig.core.seeding import stream
from rig.core.sums import collect
from rig.core.token_scores import TokenScores
from rig.metrics.catalog import METRICS, metrics_of
from rig.metrics.likelihood import CLASSES, document_sums
from rig.metrics.masked import SHARE_SELECTED, masked_sums, pseudo_sums, selected_tokens


def hidden(doc_id: str, original: list[int], predicted: list[int], logprob: list[float]) -> MaskedTokens:
    return MaskedTokens(
        doc_id=doc_id,
        position=np.arange(len(original)) * 2,
        token_id=np.array(original, np.int64),
        predicted=np.array(predicted, np.int64),
        logprob=np.array(logprob, np.float64),
    )


def test_the_specs_example_gives_one_half() -> None:
    sums = masked_sums(hidden("d", [2, 1, 1, 0], [2, 0, 1, 3], [-1.0, -2.0, -0.5, -4.0]))
    assert sums == {"mlm_accuracy": (2.0, 4.0), "mlm_ce": (7.5, 4.0)}


def test_documents_of_unequal_length_are_pooled_and_not_averaged() -> None:
    documents = [hidden("a", [1], [1], [-1.0]), hidden("b", [1, 2, 3], [0, 0, 0], [-3.0] * 3)]
    sums = collect((tokens.doc_id, masked_sums(tokens)) for tokens in documents)
    assert METRICS["mlm_accuracy"].value(sums.ratio("mlm_accuracy")) == 0.25  # the mean of documents is 0.5
    assert METRICS["mlm_ce"].value(sums.ratio("mlm_ce")) == 2.5


def test_where_nothing_is_hidden_there_is_no_score() -> None:
    sums = collect([("a", masked_sums(no_masked_tokens("a")))])
    assert METRICS["mlm_accuracy"].value(sums.ratio("mlm_accuracy")) is None


def spans(ends: list[int]) -> tuple[np.ndarray, np.ndarray]:
    char_end = np.array(ends, np.int64)
    return np.concatenate([[0], char_end])[:-1], char_end


def test_a_token_is_hidden_if_its_first_character_is_drawn() -> None:
    n_chars = 4000
    is_drawn = stream(0, "masked characters", "d").random(n_chars) < SHARE_SELECTED
    one_each = selected_tokens("d", *spans(list(range(1, n_chars + 1))), n_chars)
    assert one_each.tolist() == np.flatnonzero(is_drawn).tolist()
    by_three = selected_tokens("d", *spans([*range(3, n_chars, 3), n_chars]), n_chars)
    assert by_three.tolist() == np.flatnonzero(is_drawn[::3]).tolist()
    assert len(one_each) / n_chars == pytest.approx(0.15, abs=0.02)  # 3 standard errors are .017


def test_the_pieces_of_one_character_are_hidden_together() -> None:
    n_chars = 500
    ends = [end for char in range(n_chars) for end in [char + 1] * 3]
    selected = selected_tokens("d", *spans(ends), n_chars)
    whole = selected_tokens("d", *spans(list(range(1, n_chars + 1))), n_chars)
    assert selected.tolist() == [3 * char + piece for char in whole for piece in range(3)]


def test_the_choice_is_the_documents_own_and_no_other_thing_moves_it() -> None:
    arguments = (*spans(list(range(1, 301))), 300)
    assert selected_tokens("a", *arguments).tolist() == selected_tokens("a", *arguments).tolist()
    assert selected_tokens("a", *arguments).tolist() != selected_tokens("b", *arguments).tolist()
    assert selected_tokens("a", *spans([]), 0).tolist() == []


# "Ação é." has 7 characters and 3 units; its tokens: Aç, ão, " é", "."
TEXT = AnnotatedDocument(
    document=Document(doc_id="a", text="Ação é."),
    units=Units(
        char_start=np.array([0, 5, 6]),
        char_end=np.array([4, 6, 7]),
        upos=("NOUN", "AUX", "PUNCT"),
        strata={"seen": ("seen", "unseen", "seen")},
    ),
)


def scores(logprob: list[float]) -> TokenScores:
    char_start, char_end = spans([2, 4, 6, 7])
    return TokenScores(
        doc_id="a",
        token_id=np.array([5, 1, 7, 8]),
        char_start=char_start,
        char_end=char_end,
        logprob=np.array(logprob),
        n_chars=7,
    )


PLAIN, L2R = scores([-1.0, -0.5, -0.75, -0.25]), scores([-3.0, -0.5, -0.75, -0.25])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pppl", math.exp(2.5 / 4)),
        ("pppl_l2r", math.exp(4.5 / 4)),
        ("word_pppl_l2r", math.exp(4.5 / 3)),
        ("pppl_l2r_noun", math.exp(3.5 / 2)),
        ("wpppl_l2r_noun", math.exp(3.5)),
        ("pppl_l2r_outros", math.exp(1.0 / 2)),
        ("wpppl_l2r_outros", math.exp(1.0 / 2)),
        ("pppl_l2r_verb", None),
        ("unk_rate", 0.25),
        ("mixed_share", 0.0),
    ],
)
def test_one_document_by_hand(name: str, expected: float | None) -> None:
    sums = collect([("a", pseudo_sums(PLAIN, L2R, TEXT, unk_id=1))])
    value = METRICS[name].value(sums.ratio(METRICS[name].sums))
    assert value == (None if expected is None else pytest.approx(expected, rel=1e-12))


def test_strata_partition_the_nats() -> None:
    sums = pseudo_sums(PLAIN, L2R, TEXT, unk_id=None)
    assert sums["pll_l2r[seen=seen]"] == (3.75, 3.0)
    assert sums["pll_l2r[seen=unseen]"] == (0.75, 1.0)
    assert sums["wpll_l2r[seen=seen]"] == (3.75, 2.0)


@settings(deadline=None)
@given(st.lists(st.floats(-30, 0), min_size=4, max_size=4))
def test_the_classes_and_mixed_partition_tokens_units_and_nats(logprob: list[float]) -> None:
    l2r = scores(logprob)
    sums = pseudo_sums(PLAIN, l2r, TEXT, unk_id=None)
    for prefix in ("pll_l2r", "wpll_l2r"):
        parts = [sums[f"{prefix}_{name.lower()}"] for name in CLASSES]
        assert sum(total for total, _ in parts) == pytest.approx(sums[prefix][0], rel=1e-12, abs=1e-12)
        assert sum(weight for _, weight in parts) == sums[prefix][1]


def test_pseudo_and_causal_likelihood_share_no_sum_but_the_shares_of_tokens() -> None:
    pseudo = {*pseudo_sums(PLAIN, L2R, TEXT, unk_id=1), *masked_sums(no_masked_tokens("a"))}
    causal = {*document_sums(PLAIN, TEXT, unk_id=1, is_code_length=True)}
    assert pseudo & causal == {"mixed_share", "unk_rate"}
    assert {*metrics_of("causal")} & {*metrics_of("masked")} == {"mixed_share", "unk_rate"}
    assert {metric.sums for metric in metrics_of("masked").values()} <= pseudo


def test_the_contracts_masked_columns_come_first_in_their_order() -> None:
    only = [name for name, metric in METRICS.items() if metric.objectives == ("masked",)]
    assert only[:3] == ["mlm_accuracy", "pppl", "pppl_l2r"]
    assert {f"pppl_l2r_{name.lower()}" for name in WORD_CLASSES} <= {*only}
    assert METRICS["mlm_accuracy"].direction == "higher"
    assert METRICS["pppl_l2r"].is_exp

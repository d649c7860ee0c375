import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.core.documents import WORD_CLASSES, AnnotatedDocument, Document, Units
from rig.core.sums import collect
from rig.core.token_scores import TokenScores
from rig.metrics.catalog import METRICS
from rig.metrics.likelihood import CLASSES, document_sums


def annotated(
    doc_id: str, text: str, units: list[tuple[int, int, str]], **strata: list[str]
) -> AnnotatedDocument:
    return AnnotatedDocument(
        document=Document(doc_id=doc_id, text=text),
        units=Units(
            char_start=np.array([start for start, _, _ in units]),
            char_end=np.array([end for _, end, _ in units]),
            upos=tuple(upos for _, _, upos in units),
            strata={name: tuple(labels) for name, labels in strata.items()},
        ),
    )


def scored(doc_id: str, n_chars: int, ends: list[int], logprob: list[float], ids: list[int]) -> TokenScores:
    return TokenScores(
        doc_id=doc_id,
        token_id=np.array(ids),
        char_start=np.array([0, *ends[:-1]]),
        char_end=np.array(ends),
        logprob=np.array(logprob, dtype=np.float64),
        n_chars=n_chars,
    )


# Two documents of unequal length, worked by hand. "Ação é." has 7 characters, 10 bytes, 3 units.
FIRST = annotated("a", "Ação é.", [(0, 4, "NOUN"), (5, 6, "AUX"), (6, 7, "PUNCT")])
FIRST_SCORES = scored("a", 7, [2, 4, 6, 7], [-1.0, -2.0, -0.5, -0.25], [5, 6, 7, 8])
# "Vê" has 2 characters, 3 bytes, 1 unit; the last byte of ê is a token of its own.
SECOND = annotated("b", "Vê", [(0, 2, "VERB")])
SECOND_SCORES = scored("b", 2, [1, 2, 2], [-3.0, -0.5, -0.125], [9, 1, 10])


def pooled_value(name: str) -> float | None:
    sums = collect(
        (scores.doc_id, document_sums(scores, document, unk_id=1, is_code_length=True))
        for scores, document in ((FIRST_SCORES, FIRST), (SECOND_SCORES, SECOND))
    )
    metric = METRICS[name]
    return metric.value(sums.ratio(metric.sums))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ce", 7.375 / 7),
        ("ppl", math.exp(7.375 / 7)),
        ("bpc", 7.375 / math.log(2) / 9),
        ("bpb", 7.375 / math.log(2) / 13),
        ("word_ppl", math.exp(7.375 / 4)),
        ("ppl_noun", math.exp(3.0 / 2)),
        ("ppl_verb", math.exp(3.625 / 3)),
        ("ppl_outros", math.exp(0.75 / 2)),
        ("wppl_noun", math.exp(3.0)),
        ("wppl_verb", math.exp(3.625)),
        ("wppl_outros", math.exp(0.75 / 2)),
        ("bpc_noun", 3.0 / math.log(2) / 4),
        ("bpc_verb", 3.625 / math.log(2) / 2),
        # ` é` brings its space: three characters in all for `é` and `.`
        ("bpc_outros", 0.75 / math.log(2) / 3),
        ("mixed_share", 0.0),
        ("unk_rate", 1 / 7),
    ],
)
def test_two_documents_of_unequal_length_by_hand(name: str, expected: float) -> None:
    assert pooled_value(name) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ["ppl_adj", "ppl_propn", "ppl_adv", "wppl_adj", "bpc_adv"])
def test_a_class_that_nothing_is_of_is_empty_and_not_zero(name: str) -> None:
    assert pooled_value(name) is None


def test_the_users_formula_for_bits_per_character() -> None:
    # spec: BPC = cross_entropy_loss x num_tokens / (num_chars x log(2))
    ce, n_tokens, n_chars = pooled_value("ce"), 7, 9
    assert ce is not None
    assert pooled_value("bpc") == pytest.approx(ce * n_tokens / (n_chars * math.log(2)), rel=1e-12)


def test_facebookresearch_adaptive_span_17_bpc_is_not_bpb() -> None:
    # "ação": 4 characters, 6 bytes
    document = annotated("d", "ação", [(0, 4, "NOUN")])
    sums = document_sums(scored("d", 4, [4], [-4.0], [3]), document, unk_id=None, is_code_length=True)
    bpc = sums["bpc"][0] / sums["bpc"][1]
    bpb = sums["bpb"][0] / sums["bpb"][1]
    assert bpc == pytest.approx(1.5 * bpb, rel=1e-15)


def test_lm_evaluation_harness_242_bits_per_byte_are_bits() -> None:
    sums = document_sums(FIRST_SCORES, FIRST, unk_id=None, is_code_length=True)
    total, weight = sums["bpb"]
    assert 2 ** (total / weight) == pytest.approx(math.exp(3.75 / 10), rel=1e-12)


def test_without_a_code_length_nothing_per_character_or_byte_is_given() -> None:
    sums = document_sums(FIRST_SCORES, FIRST, unk_id=1, is_code_length=False)
    assert not [name for name in sums if name.startswith(("bpc", "bpb"))]
    assert "ce_noun" in sums


def test_a_block_of_two_classes_is_mixed_and_counted_in_the_total() -> None:
    document = annotated("d", "fim.", [(0, 3, "NOUN"), (3, 4, "PUNCT")])
    sums = document_sums(scored("d", 4, [4], [-2.0], [3]), document, unk_id=None, is_code_length=True)
    assert sums["ce_mixed"] == (2.0, 1.0)
    assert sums["wce_mixed"] == (2.0, 2.0)
    assert sums["ce_noun"] == sums["ce_outros"] == (0.0, 0.0)
    assert sums["mixed_share"] == (1.0, 1.0)


def test_scores_group_by_any_column() -> None:
    document = annotated(
        "d", "o gato", [(0, 1, "DET"), (2, 6, "NOUN")], deprel=["det", "nsubj"], seen=["seen", "unseen"]
    )
    sums = document_sums(
        scored("d", 6, [1, 6], [-1.0, -4.0], [2, 3]), document, unk_id=None, is_code_length=True
    )
    assert sums["ce[deprel=nsubj]"] == (4.0, 1.0)
    assert sums["wce[seen=seen]"] == (1.0, 1.0)
    assert sums["bpc[seen=unseen]"] == (pytest.approx(4.0 / math.log(2)), 5.0)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["NOUN", "VERB", "ADJ", "PROPN", "ADV", "DET", "PUNCT"]), st.integers(1, 6)
        ),
        min_size=1,
        max_size=12,
    ),
    st.data(),
)
def test_the_classes_and_mixed_partition_everything(
    units: list[tuple[str, int]], data: st.DataObject
) -> None:
    text, spans = "", []
    for upos, length in units:
        text += " " * bool(text)
        spans.append((len(text), len(text) + length, upos))
        text += "x" * length
    cuts = data.draw(st.lists(st.integers(1, len(text)), max_size=20))
    ends = sorted([*cuts, len(text)])
    logprob = data.draw(st.lists(st.floats(-700, 0), min_size=len(ends), max_size=len(ends)))
    scores = scored("d", len(text), ends, logprob, [0] * len(ends))
    sums = document_sums(scores, annotated("d", text, spans), unk_id=None, is_code_length=True)
    for whole in ("ce", "wce", "bpc"):
        parts = [sums[f"{whole}_{name.lower()}"] for name in CLASSES]
        assert sum(total for total, _ in parts) == pytest.approx(sums[whole][0], rel=1e-12, abs=1e-12)
        assert sum(weight for _, weight in parts) == sums[whole][1]
    assert {name.lower() for name in WORD_CLASSES} < {name.lower() for name in CLASSES}


@pytest.mark.parametrize("logprob", [-200.0, -1e5, -1e-300, 0.0])
def test_extreme_scores_stay_exact(logprob: float) -> None:
    document = annotated("d", "o", [(0, 1, "DET")])
    sums = document_sums(scored("d", 1, [1], [logprob], [3]), document, unk_id=None, is_code_length=True)
    assert sums["ce"] == (-logprob, 1.0)


def test_a_perplexity_that_overflows_is_empty_and_its_cross_entropy_stands() -> None:
    assert METRICS["ppl"].value(1e5) is None
    assert METRICS["ce"].value(1e5) == 1e5
    assert METRICS["ppl"].value(math.log(1000)) == pytest.approx(1000, rel=1e-12)


def test_pooling_is_adding_whatever_the_order() -> None:
    first = document_sums(FIRST_SCORES, FIRST, unk_id=1, is_code_length=True)
    second = document_sums(SECOND_SCORES, SECOND, unk_id=1, is_code_length=True)
    one_way = collect([("a", first), ("b", second)])
    other_way = collect([("b", second), ("a", first)])
    assert one_way.names == other_way.names
    for name in one_way.names:
        assert one_way.pooled(name) == other_way.pooled(name)
    assert one_way.ratio("no such sum") is None

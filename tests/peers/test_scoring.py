"""Faults of scoring that were reported in public, each tried on rig: models and numbers made by hand."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from bigram_model import BOS, bigram_model, word_tokenizer
from commands import tier1
from synthetic_reports import record_of, row

from rig.core.documents import AnnotatedDocument, Document, Units
from rig.core.errors import ModelError
from rig.core.sums import Sums, collect
from rig.core.token_scores import TokenScores
from rig.metrics.catalog import METRICS
from rig.metrics.likelihood import document_sums
from rig.models.base import AbstractLanguageModel
from rig.models.tokenizer import AbstractTokenizer
from rig.models.uniform import UniformModel
from rig.report.comparison import compare_kinds
from rig.report.rows import SeedRow, column_catalog
from rig.store.cells import DoneCell

ABAB = {
    (BOS, "a"): 0.5,
    ("a", " b"): 0.9,
    (" b", " a"): 0.8,
    (" a", " b"): 0.9,
    ("a", " a"): 0.01,
    (" a", " a"): 0.01,
}


def abab_tokenizer() -> AbstractTokenizer:
    return word_tokenizer(["a b a b", "b a"])


def document(text: str, doc_id: str = "d") -> Document:
    return Document(doc_id=doc_id, text=text)


def annotated(text: str, doc_id: str = "d") -> AnnotatedDocument:
    """Each word between spaces is a unit."""
    ends = np.cumsum([len(word) + 1 for word in text.split(" ")]) - 1
    starts = ends - [len(word) for word in text.split(" ")]
    units = Units(char_start=starts, char_end=ends, upos=("NOUN",) * len(ends))
    return AnnotatedDocument(document=document(text, doc_id), units=units)


def sums_of(model: AbstractLanguageModel, texts: Sequence[str]) -> Sums:
    """As a cell makes them: scored, aligned, summed by document."""
    held = [annotated(text, f"d{index}") for index, text in enumerate(texts)]
    scores = model.score([one.document for one in held])
    return collect(
        (one.document.doc_id, document_sums(score, one, unk_id=model.unk_id, is_code_length=True))
        for one, score in zip(held, scores, strict=True)
    )


def value(sums: Sums, name: str) -> float:
    metric = METRICS[name]
    result = metric.value(sums.ratio(metric.sums))
    assert result is not None
    return result


def test_peers_01_lighteval_1252_logits_are_shifted_by_one() -> None:
    """huggingface/lighteval PR #1252: logits at t were held against token t, and perplexity came out x 8."""
    model = bigram_model(abab_tokenizer(), ABAB)
    by_hand = (0.5 * 0.9 * 0.8 * 0.9) ** (-1 / 4)
    assert value(sums_of(model, ["a b a b"]), "ppl") == pytest.approx(by_hand, rel=1e-6)
    (scores,) = model.score([document("a b a b")])
    np.testing.assert_allclose(np.exp(scores.logprob), [0.5, 0.9, 0.8, 0.9], rtol=1e-6)


def test_peers_02_lighteval_1299_the_shipped_configuration_runs_and_is_finite(tmp_path: Path) -> None:
    """huggingface/lighteval #1299, #57: the perplexity task that is shipped does not run."""
    ended = tier1("--kinds", "uniform,ngram", "--seeds", "1", "tasks=[]", cwd=tmp_path)
    assert ended.code == 0, ended.err
    with next(tmp_path.glob("runs/reports/*/per_seed.csv")).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [one["kind"] for one in rows] == ["uniform", "ngram"]
    for one in rows:
        for name in ("ce", "ppl", "bpc", "bpb", "word_ppl", "ppl_noun", "ppl_outros"):
            assert math.isfinite(float(one[name])), name
            assert float(one[name]) > 0


def test_peers_10_transformers_39241_a_short_last_batch_weighs_by_its_tokens() -> None:
    """huggingface/transformers #39241, #41898: the evaluation loss is the mean of batch means."""
    texts = ["a b a b a b a b", "a b a b", "a"]
    nats = [-math.log(0.5 * 0.9**4 * 0.8**3), -math.log(0.5 * 0.9**2 * 0.8), -math.log(0.5)]
    pooled = sum(nats) / 13
    batch_means = [(nats[0] + nats[1]) / 12, nats[2]]  # batches of two documents
    assert abs(sum(batch_means) / 2 - pooled) > 0.1
    for batch_size in (1, 2, 3):
        model = bigram_model(abab_tokenizer(), ABAB, batch_size=batch_size)
        assert value(sums_of(model, texts), "ce") == pytest.approx(pooled, rel=1e-6)


def test_peers_11_lingua_46_what_is_scored_is_what_is_divided_by() -> None:
    """facebookresearch/lingua #46: the likelihood of a truncated text over the length of the whole."""
    n_pairs = 25
    text = " ".join(["a b"] * n_pairs)
    model = bigram_model(abab_tokenizer(), ABAB, context=4, stride=3)
    (scores,) = model.score([document(text)])
    assert (scores.n_tokens, scores.n_chars) == (2 * n_pairs, len(text))
    sums = sums_of(model, [text])
    nats = -(math.log(0.5) + n_pairs * math.log(0.9) + (n_pairs - 1) * math.log(0.8))
    assert value(sums, "ce") == pytest.approx(nats / (2 * n_pairs), rel=1e-6)
    assert value(sums, "bpc") == pytest.approx(nats / math.log(2) / len(text), rel=1e-6)


def test_peers_12_lm_evaluation_harness_340_perplexity_is_defined_and_base_e() -> None:
    """EleutherAI/lm-evaluation-harness #340, huggingface/evaluate #688: 675 by one tool, 37.6 by another.

    One sums over tokens, one over words, one averages the texts' perplexities. Here each has a name of its
    own, and the definition stands in the table of metrics.
    """
    sums = sums_of(bigram_model(abab_tokenizer(), ABAB), ["a b a b", "a"])
    nats = [-math.log(0.5 * 0.9**2 * 0.8), -math.log(0.5)]
    assert value(sums, "ppl") == pytest.approx(math.e ** (sum(nats) / 5), rel=1e-6)
    mean_of_perplexities = (math.exp(nats[0] / 4) + math.exp(nats[1])) / 2
    assert abs(value(sums, "ppl") - mean_of_perplexities) > 0.1
    assert METRICS["ppl"].definition.startswith("Perplexity: exp(ce).")
    assert METRICS["ce"].unit == "nats/token"
    assert "exp(nats / units)" in METRICS["word_ppl"].definition


def test_peers_13_lm_evaluation_harness_242_bits_are_bits() -> None:
    """EleutherAI/lm-evaluation-harness PR #242: `bits_per_byte` was in nats."""
    texts = ["a b a b", "b a"]
    sums = sums_of(bigram_model(abab_tokenizer(), ABAB), texts)
    nats, _ = sums.pooled("ce")
    byte_perplexity = math.exp(nats / sum(len(text.encode()) for text in texts))
    assert 2 ** value(sums, "bpb") == pytest.approx(byte_perplexity, rel=1e-12)


def test_peers_14_adaptive_span_17_bpc_is_not_bpb() -> None:
    """facebookresearch/adaptive-span #17: what was called bits per character was bits per byte."""
    tokenizer = word_tokenizer(["ação"])
    sums = sums_of(bigram_model(tokenizer, {(BOS, "ação"): 0.125}), ["ação"])
    assert value(sums, "bpc") == pytest.approx(3 / 4, rel=1e-6)
    assert value(sums, "bpb") == pytest.approx(3 / 6, rel=1e-6)
    assert value(sums, "bpc") == pytest.approx(1.5 * value(sums, "bpb"), rel=1e-12)


def test_peers_16_marin_6011_bits_per_byte_do_not_know_of_batches() -> None:
    """marin-community/marin PR #6011, #6013: a token-weighted mean of the batches' bits per byte."""
    tokenizer = word_tokenizer(["ã ã ã", "internacionalização"])
    table = {(BOS, "ã"): 0.25, ("ã", " ã"): 0.25, (" ã", " ã"): 0.25, (BOS, "internacionalização"): 0.5}
    texts = ["ã ã ã", "internacionalização"]
    bits, n_bytes, n_tokens = [6.0, 1.0], [8, 21], [3, 1]
    weighted = sum(b / n * t for b, n, t in zip(bits, n_bytes, n_tokens, strict=True)) / sum(n_tokens)
    assert abs(weighted - sum(bits) / sum(n_bytes)) > 0.2
    for batch_size in (1, 2):
        sums = sums_of(bigram_model(tokenizer, table, batch_size=batch_size), texts)
        assert value(sums, "bpb") == pytest.approx(sum(bits) / sum(n_bytes), rel=1e-6)


def test_peers_24_lm_zoo_31_surprisals_belong_to_their_words() -> None:
    """cpllab/lm-zoo #31, swj0419/detect-pretrain-code #5: surprisals near 95, and one place off."""
    text = "This is a test sentence."
    tokens = ["This", " is", " a", " test", " sentence", "."]
    p = [0.1, 0.2, 0.4, 0.05, 0.025, 0.8]
    table = dict(zip(zip([BOS, *tokens], tokens, strict=False), p, strict=True))
    (scores,) = bigram_model(word_tokenizer([text]), table).score([document(text)])
    by_word = {
        text[start:end].strip(): surprisal
        for start, end, surprisal in zip(scores.char_start, scores.char_end, -scores.logprob, strict=True)
    }
    assert list(by_word) == ["This", "is", "a", "test", "sentence", "."]
    np.testing.assert_allclose(list(by_word.values()), [-math.log(one) for one in p], rtol=1e-6)


def test_peers_27_lm_evaluation_harness_350_a_dummy_has_the_perplexity_of_a_dummy() -> None:
    """EleutherAI/lm-evaluation-harness #350: a dummy model got a good perplexity."""
    words = [f"{a}{b}{c}" for a in "bcdfglmnprst" for b in "aeiou" for c in "bcdfghjlmnprstvxz"]
    assert len(words) > 998
    tokenizer = word_tokenizer(words, vocab_size=1000)
    assert tokenizer.vocab_size == 1000
    known = [token for token in tokenizer.tokens if token is not None]
    sums = sums_of(UniformModel(tokenizer), [known[0], known[-1], known[17]])
    assert value(sums, "ppl") == pytest.approx(1000.0, rel=1e-12)


def of_vocabulary(vocab_size: int, texts: Sequence[str]) -> tuple[Sums, str]:
    """A uniform model's sums at a vocabulary size, and its tokenizer's hash."""
    tokenizer = word_tokenizer(texts, vocab_size=vocab_size)
    return sums_of(UniformModel(tokenizer), texts), tokenizer.sha256


def seed_row(kind: str, sums: Sums, tokenizer_sha256: str) -> SeedRow:
    made = row(kind, 1, 1.0)
    values = {name: metric.value(sums.ratio(metric.sums)) for name, metric in METRICS.items()}
    ratios = {name: sums.ratio(metric.sums) for name, metric in METRICS.items()}
    done = DoneCell(
        directory=Path(),
        attempt=Path(),
        result={"facts": {"tokenizer_sha256": tokenizer_sha256}, "tasks": {}},
        timing={},
    )
    return SeedRow(
        kind=kind,
        seed=1,
        objective=made.objective,
        values=values,
        test_values=ratios,
        reasons={},
        facts=made.facts,
        lineage=made.lineage,
        status="ok",
        error="",
        sums=sums,
        done=done,
    )


def test_peers_38_kenlm_67_a_small_vocabulary_wins_nothing() -> None:
    """kpu/kenlm #67, senarvi/theanolm #13: with more unknown words perplexity falls.

    The share of unknown words stands in the table, an unknown word is charged its spelling, perplexities of
    two tokenizers are not compared, and bits per character and byte are.
    """
    texts = ["a menina viu o gato", "o menino leu o livro", "a gata viu a casa"]
    large, large_sha256 = of_vocabulary(100, texts)
    small, small_sha256 = of_vocabulary(4, texts)
    assert value(large, "unk_rate") == 0.0
    assert value(small, "unk_rate") > 0.7
    assert value(small, "ppl") > 4.0  # without the spelling it would be 4, the size of the vocabulary
    assert value(small, "bpc") > value(large, "bpc")

    rows = [seed_row("large", large, large_sha256), seed_row("small", small, small_sha256)]
    record = record_of(["large", "small"], [1])
    found = {one.column.name: one for one in compare_kinds(rows, column_catalog(rows), record)}
    for name in ("ppl", "ce", "ppl_noun"):
        assert found[name].tested is None
        assert "different tokenizers" in found[name].not_compared
    for name in ("bpc", "bpb"):
        assert found[name].not_compared == ""
        assert found[name].raw is not None


def test_peers_24_lm_zoo_31_what_is_no_log_probability_is_refused() -> None:
    """cpllab/lm-zoo #31: surprisals of another sign, which are probabilities of e^95."""
    with pytest.raises(ModelError, match="must be finite and <= 0, got 95"):
        TokenScores(
            doc_id="d",
            token_id=np.array([1]),
            char_start=np.array([0]),
            char_end=np.array([1]),
            logprob=np.array([95.0]),
            n_chars=1,
        )

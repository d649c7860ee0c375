"""Masks filled as the reference fills them; the same bits in any batch; nothing hidden is seen."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError, ModelError
from rig.metrics.masked import masked_sums, selected_tokens
from rig.models.base import Embeds, Explains, FillsMasks, Gaps, Generates
from rig.models.masha import MorphemicPrior, Switches
from rig.models.masked_prediction import predict_selected
from rig.models.morphemes import Morphology, morpheme_table
from rig.models.network import Architecture, Network
from rig.models.tokenizer import AbstractTokenizer, train_tokenizer
from rig.models.transformer_masked_lm import TransformerMaskedLanguageModel
from rig.reference.mlm import mlm_eval_accuracy

CONTEXT = 12
TEXTS = (
    "O gato viu a casa.",
    "As casas do trabalhador não têm gatos, mas os trabalhadores viram a ação 😀 das organizações.",
    "Não",
    "o",
    "Trabalhamos na casa; trabalhavam nas casas. Organização, organizações, ações e trabalho, trabalhos.",
)
MORPHOLOGY = Morphology.from_config(
    {"prefixes": ["des"], "suffixes": ["s", "as", "a", "o", "os", "ação", "ações"], "min_stem": 3}
)
AC = Switches(embedding=True, output_logits=True)
ABC = Switches(embedding=True, attention_bias=True, output_logits=True, bias_strength=0.8)


def documents(texts: Sequence[str] = TEXTS) -> list[Document]:
    return [Document(doc_id=f"d{index}", text=text) for index, text in enumerate(texts)]


def masked_model(
    switches: Switches | None = None, *, batch_size: int = 4, kind: str = "bpe"
) -> tuple[TransformerMaskedLanguageModel, Network, AbstractTokenizer]:
    vocab_size = {"bpe": 300, "word": 20}[kind]
    tokenizer = train_tokenizer({"type": kind, "vocab_size": vocab_size}, TEXTS)
    prior = None
    if switches is not None:
        prior = MorphemicPrior(morpheme_table((*tokenizer.tokens, None), MORPHOLOGY), switches)
    architecture = Architecture(
        vocab_size=tokenizer.vocab_size + 1, d_model=16, n_layers=2, n_heads=2, context=CONTEXT
    )
    network = Network(architecture, prior=prior, causal=False)
    for name, tensor in network.parameters.tensors.items():
        tensor[...] = np.random.default_rng(len(name)).normal(0.0, 0.4, tensor.shape)
    return TransformerMaskedLanguageModel(network, tokenizer, batch_size=batch_size), network, tokenizer


def gaps_of(model: TransformerMaskedLanguageModel, texts: Sequence[str] = TEXTS) -> list[Gaps]:
    """Two gaps a text, of which the first is asked for, or one where there is one token."""
    result = []
    for encoding in model.encode(texts):
        token_id = encoding.token_id[: model.max_tokens]
        hidden = np.unique([len(token_id) // 3, len(token_id) - 1])
        result.append(Gaps(token_id=token_id, hidden=hidden, asked=hidden[:1]))
    return result


def test_what_it_can_do() -> None:
    model, network, tokenizer = masked_model()
    assert isinstance(model, FillsMasks)
    assert isinstance(model, Embeds)
    assert not isinstance(model, Generates)
    assert not isinstance(model, Explains)
    assert model.objective == "masked"
    assert not model.is_code_length
    assert model.max_tokens == CONTEXT - 1
    assert model.n_params == network.parameters.n_params
    assert model.unk_id == tokenizer.unk_id


@pytest.mark.parametrize("switches", [None, AC])
def test_masked_accuracy_is_that_of_the_reference_on_the_same_weights(switches: Switches | None) -> None:
    model, network, tokenizer = masked_model(switches)
    tensors = network.tensors()
    n_correct = n_selected = 0.0
    for document in documents():
        encoding = tokenizer.encode(document.text)
        selected = selected_tokens(document.doc_id, encoding.char_start, encoding.char_end, document.n_chars)
        for start in range(0, len(encoding), CONTEXT - 1):
            original = encoding.token_id[start : start + CONTEXT - 1]
            is_selected = np.isin(np.arange(start, start + len(original)), selected)
            shown = np.where(is_selected, tokenizer.vocab_size, original)
            accuracy = mlm_eval_accuracy(
                [[tokenizer.bos_id, *shown]],
                [[tokenizer.bos_id, *original]],
                [[0, *is_selected.astype(float)]],
                tensors.emb,
                tensors.pos[: len(original) + 1],
                tensors.blocks,
                tensors.head,
                2,
            )
            n_correct += accuracy * is_selected.sum()
            n_selected += is_selected.sum()
    sums = [masked_sums(tokens)["mlm_accuracy"] for tokens in predict_selected(model, documents())]
    assert n_selected > 8
    assert sum(weight for _, weight in sums) == n_selected
    assert sum(total for total, _ in sums) == pytest.approx(n_correct)


@pytest.mark.parametrize("switches", [None, ABC])
def test_a_fill_is_the_softmax_over_the_whole_vocabulary_with_mask(switches: Switches | None) -> None:
    model, network, tokenizer = masked_model(switches)
    tensors = network.tensors()
    for gaps, filled in zip(gaps_of(model), model.fill(gaps_of(model)), strict=True):
        ids = np.concatenate([[tokenizer.bos_id], gaps.token_id])
        ids[gaps.hidden + 1] = tokenizer.vocab_size
        states = network.last_states(ids[None], tensors)[0].astype(np.float64)
        logits = states[gaps.asked[0] + 1] @ tensors.head.astype(np.float64)
        logprob = logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())
        assert filled.logprob[0] == pytest.approx(logprob[gaps.token_id[gaps.asked[0]]], rel=1e-4)
        assert filled.predicted[0] == logits.argmax()


@pytest.mark.parametrize("switches", [None, ABC])
def test_what_stands_at_a_hidden_position_changes_nothing(switches: Switches | None) -> None:
    """Not for the morphemic prior either: MASK has no morphemes."""
    model, _, tokenizer = masked_model(switches)
    for gaps in gaps_of(model):
        (expected,) = model.fill([gaps])
        changed = gaps.token_id.copy()
        others = gaps.hidden[~np.isin(gaps.hidden, gaps.asked)]
        changed[others] = (changed[others] + 7) % tokenizer.vocab_size
        (same,) = model.fill([Gaps(token_id=changed, hidden=gaps.hidden, asked=gaps.asked)])
        assert same.logprob.tolist() == expected.logprob.tolist()
        changed[gaps.asked] = (changed[gaps.asked] + 3) % tokenizer.vocab_size
        (asked_other,) = model.fill([Gaps(token_id=changed, hidden=gaps.hidden, asked=gaps.asked)])
        assert asked_other.predicted.tolist() == expected.predicted.tolist()


@pytest.mark.parametrize("switches", [None, ABC])
def test_numbers_are_the_same_bits_in_any_batch_and_any_order(switches: Switches | None) -> None:
    model, _, _ = masked_model(switches)
    expected = [(one.logprob.tolist(), one.predicted.tolist()) for one in model.fill(gaps_of(model))]
    scores = {one.doc_id: one.logprob.tolist() for one in model.score(documents())}
    hidden = {one.doc_id: one.logprob.tolist() for one in predict_selected(model, documents())}
    for batch_size in (1, 2, 64):
        other, _, _ = masked_model(switches, batch_size=batch_size)
        for order in itertools.islice(itertools.permutations(range(len(TEXTS))), 0, 120, 41):
            gaps = gaps_of(other)
            filled = other.fill([gaps[index] for index in order])
            assert [(one.logprob.tolist(), one.predicted.tolist()) for one in filled] == [
                expected[index] for index in order
            ]
        shuffled = documents()[::-1]
        assert {one.doc_id: one.logprob.tolist() for one in other.score(shuffled)} == scores
        assert {one.doc_id: one.logprob.tolist() for one in predict_selected(other, shuffled)} == hidden


def test_each_token_of_a_long_text_is_scored_once() -> None:
    model, _, tokenizer = masked_model()
    lengths = [len(tokenizer.encode(text)) for text in TEXTS]
    assert max(lengths) > 2 * CONTEXT
    scored = model.score(documents())
    assert [one.n_tokens for one in scored] == lengths
    assert all((one.logprob < 0).all() for one in scored)


def test_the_selected_tokens_of_a_long_text_are_each_predicted_once() -> None:
    model, _, tokenizer = masked_model()
    text = " ".join(TEXTS) * 3
    (document,) = documents([text])
    encoding = tokenizer.encode(text)
    (tokens,) = predict_selected(model, [document])
    expected = selected_tokens("d0", encoding.char_start, encoding.char_end, len(text))
    assert tokens.position.tolist() == expected.tolist()
    assert tokens.token_id.tolist() == encoding.token_id[expected].tolist()


def test_a_document_without_text_has_nothing() -> None:
    model, _, _ = masked_model()
    assert [one.n_tokens for one in model.score(documents(["", "o"]))] == [0, 1]
    assert len(predict_selected(model, documents([""]))[0].position) == 0
    assert model.fill([]) == []


def test_embeddings_are_means_of_states_without_bos_alone_and_in_a_batch() -> None:
    model, network, tokenizer = masked_model(ABC)
    short = [text for text in TEXTS if len(tokenizer.encode(text)) < CONTEXT]
    assert len(short) >= 3
    together = model.embed(TEXTS, layers=[0, -1])
    for text, row in zip(TEXTS, together, strict=True):
        assert model.embed([text], layers=[0, -1])[0].tolist() == row.tolist()
    for text in short:
        ids = np.array([[tokenizer.bos_id, *tokenizer.encode(text).token_id]])
        states = network.all_states(ids, network.tensors())
        expected = (states[0][0, 1:].mean(axis=0) + states[2][0, 1:].mean(axis=0)) / 2
        np.testing.assert_allclose(model.embed([text], layers=[0, -1])[0], expected, rtol=1e-5, atol=1e-6)


def test_a_long_text_is_embedded_as_the_mean_over_all_of_its_tokens() -> None:
    model, _, tokenizer = masked_model()
    text = TEXTS[1]
    encoding = tokenizer.encode(text)
    cuts = range(0, len(encoding), CONTEXT - 1)
    parts = [(encoding.char_start[cut], encoding.char_end[cut : cut + CONTEXT - 1][-1]) for cut in cuts]
    pieces = [text[start:end] for start, end in parts]
    lengths = [len(tokenizer.encode(piece)) for piece in pieces]
    assert sum(lengths) == len(encoding)
    expected = np.average(model.embed(pieces, layers=[1]), axis=0, weights=lengths)
    np.testing.assert_allclose(model.embed([text], layers=[1])[0], expected, rtol=1e-9)


def test_what_is_asked_wrongly_is_refused() -> None:
    model, _, _ = masked_model()
    long = np.ones(CONTEXT, np.int64)
    one = np.array([0])
    with pytest.raises(ModelError, match="sees 11 tokens at once, got a text of 12"):
        model.fill([Gaps(token_id=long, hidden=one, asked=one)])
    with pytest.raises(ModelError, match="asked for must be hidden"):
        model.fill([Gaps(token_id=long[:3], hidden=one, asked=np.array([1]))])
    with pytest.raises(DataError, match="text 1 is empty"):
        model.embed(["o", ""], layers=[0])
    with pytest.raises(ConfigError, match=r"layers 0 \(input\) to 2 \(last, also -1\), got 3"):
        model.embed(["o"], layers=[3])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_an_error_that_names_the_document(value: float) -> None:
    model, network, _ = masked_model()
    network.parameters["blocks"][0] = value
    with pytest.raises(ModelError, match="document 'd0': a log-probability must be finite"):
        model.score(documents())
    with pytest.raises(ModelError, match="document 'd0': a log-probability must be finite"):
        predict_selected(model, documents())
    with pytest.raises(ModelError, match="the embedding of text 0 is not finite"):
        model.embed(TEXTS, layers=[-1])

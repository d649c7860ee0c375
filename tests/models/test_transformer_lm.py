"""Scores against a loop over single tokens; nothing depends on batches; text and embeddings by definition."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError, ModelError
from rig.models.base import Embeds, Explains, Generates
from rig.models.masha import MorphemicPrior, Switches
from rig.models.morphemes import Morphology, morpheme_table
from rig.models.network import Architecture, Network
from rig.models.tokenizer import AbstractTokenizer, train_tokenizer
from rig.models.transformer_lm import TransformerLanguageModel

CONTEXT, STRIDE = 12, 5
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
ABC = Switches(embedding=True, attention_bias=True, output_logits=True, bias_strength=0.8)


def documents(texts: Sequence[str] = TEXTS) -> list[Document]:
    return [Document(doc_id=f"d{index}", text=text) for index, text in enumerate(texts)]


def network_for(tokenizer: AbstractTokenizer, switches: Switches | None) -> Network:
    prior = None
    if switches is not None:
        prior = MorphemicPrior(morpheme_table(tokenizer.tokens, MORPHOLOGY), switches)
    architecture = Architecture(
        vocab_size=tokenizer.vocab_size, d_model=16, n_layers=2, n_heads=2, context=CONTEXT
    )
    network = Network(architecture, prior=prior)
    for name, tensor in network.parameters.tensors.items():
        tensor[...] = np.random.default_rng(len(name)).normal(0.0, 0.4, tensor.shape)
    return network


def language_model(
    kind: str = "bpe", switches: Switches | None = None, *, batch_size: int = 4, stride: int = STRIDE
) -> tuple[TransformerLanguageModel, Network, AbstractTokenizer]:
    vocab_size = {"bpe": 300, "byte": 257, "word": 20}[kind]
    tokenizer = train_tokenizer({"type": kind, "vocab_size": vocab_size}, TEXTS)
    network = network_for(tokenizer, switches)
    return (
        TransformerLanguageModel(network, tokenizer, stride=stride, batch_size=batch_size),
        network,
        tokenizer,
    )


def slow_logprobs(network: Network, tokenizer: AbstractTokenizer, text: str, *, stride: int) -> list[float]:
    """Each token from its own call: the inputs of the first window that reaches it, and no more."""
    inputs = [tokenizer.bos_id, *tokenizer.encode(text).token_id.tolist()]
    tensors = network.tensors()
    result = []
    for i in range(len(inputs) - 1):
        start = 0
        while i >= start + CONTEXT:
            start += stride
        ids = np.array([inputs[start : i + 1]])
        logits = network.last_states(ids, tensors)[0, -1].astype(np.float64) @ tensors.head.astype(np.float64)
        peak = logits.max()
        result.append(float(logits[inputs[i + 1]] - peak - math.log(np.exp(logits - peak).sum())))
    return result


@pytest.mark.parametrize("stride", [1, STRIDE, CONTEXT])
@pytest.mark.parametrize("switches", [None, ABC])
def test_each_token_is_scored_once_as_a_loop_over_tokens_scores_it(
    switches: Switches | None, stride: int
) -> None:
    """Tokens cut off, or scored twice where windows overlap: evaluate #332, lm-evaluation-harness #2467."""
    model, network, tokenizer = language_model(switches=switches, stride=stride)
    for document, scores in zip(documents(), model.score(documents()), strict=True):
        expected = slow_logprobs(network, tokenizer, document.text, stride=stride)
        np.testing.assert_allclose(scores.logprob, expected, rtol=1e-4, atol=2e-6)
        assert scores.doc_id == document.doc_id
        assert scores.token_id.tolist() == tokenizer.encode(document.text).token_id.tolist()
        assert scores.n_chars == len(document.text)


@pytest.mark.parametrize("switches", [None, ABC])
def test_an_explanation_holds_the_distributions_that_the_scores_were_read_from(
    switches: Switches | None,
) -> None:
    model, _, tokenizer = language_model(switches=switches)
    assert isinstance(model, Explains)
    for document, scores in zip(documents(), model.score(documents()), strict=True):
        explanation = model.explain(document)
        assert explanation.input_id.tolist() == [tokenizer.bos_id, *scores.token_id.tolist()[:-1]]
        assert (explanation.bos_id, explanation.eos_id) == (tokenizer.bos_id, None)
        assert explanation.logprob.shape == (scores.n_tokens, tokenizer.vocab_size)
        assert np.exp(explanation.logprob).sum(axis=1) == pytest.approx(1.0, abs=1e-12)
        of_tokens = explanation.logprob[np.arange(scores.n_tokens), scores.token_id]
        np.testing.assert_allclose(of_tokens, scores.logprob, rtol=0, atol=2e-6)
    assert model.explain(Document(doc_id="empty", text="")).logprob.shape == (0, tokenizer.vocab_size)


def test_some_documents_here_need_several_windows() -> None:
    _, _, tokenizer = language_model()
    lengths = [len(tokenizer.encode(text)) for text in TEXTS]
    assert min(lengths) == 1
    assert max(lengths) == 3 * CONTEXT


@pytest.mark.parametrize("switches", [None, ABC])
def test_scores_are_the_same_bits_in_any_batch_and_any_order(switches: Switches | None) -> None:
    """Padding that is scored or attended to: evaluate #636, mlx-lm PR #1855, lm-evaluation-harness #3055."""
    expected = {s.doc_id: s.logprob.tolist() for s in language_model(switches=switches)[0].score(documents())}
    for batch_size in (1, 2, 64):
        model, _, _ = language_model(switches=switches, batch_size=batch_size)
        for order in itertools.islice(itertools.permutations(documents()), 0, 120, 29):
            assert {s.doc_id: s.logprob.tolist() for s in model.score(order)} == expected
        for document in documents():
            assert model.score([document])[0].logprob.tolist() == expected[document.doc_id]


@pytest.mark.parametrize("tail", ["amento", "a.", "as do trabalhador", ""])
@pytest.mark.parametrize(("kind", "switches"), [("bpe", ABC), ("byte", None)])
def test_later_text_changes_no_earlier_score_not_even_within_a_word(
    kind: str, switches: Switches | None, tail: str
) -> None:
    """A morphemic model that read a token's whole word would fail here: `casas` and `casamento`."""
    model, _, _ = language_model(kind, switches)
    one, two = model.score(documents(["O gato viu a casas", "O gato viu a cas" + tail]))
    n = min(one.n_tokens, two.n_tokens)
    differ = np.flatnonzero(one.token_id[:n] != two.token_id[:n])
    n_shared = int(differ[0]) if differ.size else n
    assert n_shared >= 4
    assert one.logprob[:n_shared].tolist() == two.logprob[:n_shared].tolist()


def test_an_unknown_word_also_costs_its_spelling() -> None:
    model, network, tokenizer = language_model("word")
    assert model.unk_id is not None
    text = "O gato viu a zebra."
    encoding = tokenizer.encode(text)
    extra = tokenizer.extra_nats(text, encoding)
    assert (extra > 0).tolist() == (encoding.token_id == model.unk_id).tolist()
    assert extra.max() > 1.0
    scores = model.score(documents([text]))[0]
    bare = slow_logprobs(network, tokenizer, text, stride=STRIDE)
    np.testing.assert_allclose(scores.logprob, np.array(bare) - extra, rtol=1e-4, atol=2e-6)


def test_an_empty_document_has_no_scores() -> None:
    scores = language_model()[0].score(documents(["", "o"]))
    assert [s.n_tokens for s in scores] == [0, 1]
    assert language_model()[0].score([]) == []


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_refused_with_the_document(value: float) -> None:
    tokenizer = train_tokenizer({"type": "bpe", "vocab_size": 300}, TEXTS)
    network = network_for(tokenizer, None)
    network.parameters["head"][:, 5] = value
    model = TransformerLanguageModel(network, tokenizer, stride=STRIDE, batch_size=4)
    with pytest.raises(ModelError, match="document 'd0': a log-probability must be finite"):
        model.score(documents())
    with pytest.raises(ModelError, match="a logit of the next token is not finite"):
        model.generate(["a"], n_tokens=1, temperature=1.0, top_p=1.0, rngs=generators(1))
    network.parameters["emb"][:, 3] = value
    with pytest.raises(ModelError, match="the embedding of text 0 is not finite; check the model's weights"):
        model.embed(["a"], layers=[0])


def test_a_certain_prediction_is_zero_and_never_above() -> None:
    """A head that gives one token a logit of 200 more than any other."""
    tokenizer = train_tokenizer({"type": "byte", "vocab_size": 257}, TEXTS)
    network = network_for(tokenizer, None)
    for name in ("emb", "blocks", "head"):
        network.parameters[name][...] = 0.0
    network.parameters["pos"][...] = 1.0
    token = int(tokenizer.encode("o").token_id[0])
    network.parameters["head"][:, token] = 200.0 / 16
    model = TransformerLanguageModel(network, tokenizer, stride=STRIDE, batch_size=4)
    assert model.score(documents(["o" * 40]))[0].logprob.tolist() == [0.0] * 40
    other = model.score(documents(["a"]))[0].logprob
    assert other.tolist() == [-200.0]


def test_the_model_says_what_it_can_do() -> None:
    model, network, _ = language_model(switches=ABC)
    assert isinstance(model, Generates)
    assert isinstance(model, Embeds)
    assert model.objective == "causal"
    assert model.n_params == network.parameters.n_params
    n_morphemes = network.parameters["morpheme_embedding"].shape[0]
    vocab = network.architecture.vocab_size
    assert model.n_params == 2 * vocab * 16 + CONTEXT * 16 + 2 * 6 * 16 * 16 + 2 * n_morphemes * 16


def generators(n: int) -> list[np.random.Generator]:
    return [np.random.default_rng(100 + i) for i in range(n)]


def test_each_prompt_draws_from_its_own_generator_whatever_the_batch() -> None:
    prompts = ["O gato", "", "As casas do trabalhador não têm gatos, mas", "a"]
    options: dict[str, Any] = {"n_tokens": 30, "temperature": 0.9, "top_p": 0.95}
    together = language_model(switches=ABC, batch_size=64)[0].generate(prompts, rngs=generators(4), **options)
    model = language_model(switches=ABC, batch_size=1)[0]
    for index, prompt in enumerate(prompts):
        alone = model.generate([prompt], rngs=[generators(4)[index]], **options)
        assert alone == [together[index]]
    assert len(set(together)) == 4


def test_greedy_generation_is_the_argmax_of_a_slow_loop_past_the_context() -> None:
    model, network, tokenizer = language_model("byte")
    tensors = network.tensors()
    ids = [0, *tokenizer.encode("casa").token_id.tolist()]
    for _ in range(25):
        seen = ids if len(ids) <= CONTEXT else [0, *ids[-(CONTEXT - 1) :]]
        logits = network.last_states(np.array([seen]), tensors)[0, -1] @ tensors.head
        logits[0] = -np.inf
        ids.append(int(logits.argmax()))
    text = model.generate(["casa"], n_tokens=25, temperature=0.0, top_p=1.0, rngs=generators(1))
    assert text == [tokenizer.decode(ids[5:])]


def test_tokens_are_drawn_as_often_as_they_are_probable() -> None:
    """Against theory: frequencies of the first token over 4,000 prompts, within five standard errors."""
    model, network, tokenizer = language_model("word")
    tensors = network.tensors()
    logits = (network.last_states(np.array([[0]]), tensors)[0, -1] @ tensors.head).astype(np.float64)
    p = np.exp(logits / 1.3)
    assert tokenizer.unk_id is not None
    p[[tokenizer.bos_id, tokenizer.unk_id]] = 0.0
    p /= p.sum()
    n = 4000
    rngs = [np.random.default_rng(i) for i in range(n)]
    texts = model.generate([""] * n, n_tokens=1, temperature=1.3, top_p=1.0, rngs=rngs)
    by_text: dict[str, float] = {}
    for index in np.flatnonzero(p).tolist():
        by_text[tokenizer.decode([index])] = by_text.get(tokenizer.decode([index]), 0.0) + p[index]
    assert set(texts) <= set(by_text)
    for text, probability in by_text.items():
        error = math.sqrt(probability * (1 - probability) / n)
        assert abs(texts.count(text) / n - probability) < 5 * error + 1e-9


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"n_tokens": -1},
            "`n_tokens` >= 0 and one generator for each prompt, got -1 tokens, 1 prompts and 1",
        ),
        ({"rngs": []}, "got 2 tokens, 1 prompts and 0 generators"),
        ({"temperature": -1.0}, "`temperature` must be finite and >= 0"),
        ({"top_p": 0.0}, r"`top_p` must lie in \(0, 1\]"),
    ],
)
def test_wrong_generation_settings_are_refused(changes: dict[str, object], message: str) -> None:
    arguments = {"n_tokens": 2, "temperature": 1.0, "top_p": 1.0, "rngs": generators(1), **changes}
    with pytest.raises(ConfigError, match=message):
        language_model()[0].generate(["a"], **arguments)  # type: ignore[arg-type]


def test_an_embedding_is_the_mean_of_the_states_of_all_tokens_once() -> None:
    """Slow reference: each token's state from the first window that holds it; BOS left out."""
    model, network, tokenizer = language_model(switches=ABC)
    tensors = network.tensors()
    text = TEXTS[4]
    inputs = [0, *tokenizer.encode(text).token_id.tolist()]
    rows = []
    for i in range(1, len(inputs)):
        start = 0
        while i >= start + CONTEXT:
            start += STRIDE
        states = network.all_states(np.array([inputs[start : i + 1]]), tensors)
        rows.append((states[0][0, -1] + states[2][0, -1]) / 2)
    embedding = model.embed([text], layers=[0, -1])
    assert embedding.shape == (1, 16)
    np.testing.assert_allclose(embedding[0], np.mean(rows, axis=0, dtype=np.float64), rtol=1e-4, atol=1e-6)


def test_the_input_layer_of_one_token_is_its_embedding_at_position_one() -> None:
    model, network, tokenizer = language_model("byte")
    token = tokenizer.encode("o").token_id[0]
    expected = network.parameters["emb"][token] + network.parameters["pos"][1]
    np.testing.assert_array_equal(model.embed(["o"], layers=[0])[0], expected.astype(np.float64))


def test_an_embedding_is_the_same_bits_alone_and_in_a_batch() -> None:
    """Padding in the mean: huggingface/sentence-transformers #2569."""
    together = language_model(switches=ABC, batch_size=64)[0].embed(TEXTS, layers=[1])
    model = language_model(switches=ABC, batch_size=2)[0]
    for index, text in enumerate(TEXTS):
        np.testing.assert_array_equal(model.embed([text], layers=[1])[0], together[index])


def test_an_embedding_of_nothing_is_refused() -> None:
    model = language_model()[0]
    with pytest.raises(DataError, match="text 1 is empty"):
        model.embed(["a", ""], layers=[0])
    with pytest.raises(ConfigError, match=r"layers 0 \(input\) to 2 \(last, also -1\), got 3"):
        model.embed(["a"], layers=[3])
    with pytest.raises(ConfigError, match="at least one layer, got none"):
        model.embed(["a"], layers=[])


@settings(max_examples=25, deadline=None)
@given(text=st.text(alphabet="aos cãé😀\n", min_size=1, max_size=80))
def test_any_text_is_scored_whole(text: str) -> None:
    scores = _SHARED.score([Document(doc_id="x", text=text)])[0]
    assert scores.char_end[-1] == len(text)
    assert scores.total_nats > 0


_SHARED = language_model()[0]

"""Scores against a float64 loop over single tokens; nothing depends on batches; text by definition."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hf_tokenizers import texts

from rig.core.documents import AnnotatedDocument, Document, Units
from rig.core.errors import ConfigError, DataError
from rig.core.token_scores import TokenScores
from rig.metrics.alignment import align
from rig.models.base import Embeds, Explains, Generates
from rig.models.hf.load import LoadedModel, load_model
from rig.models.hf.options import HfOptions

torch = pytest.importorskip("torch", reason="SKIPPED: torch is not installed (pip install 'rig[hf]')")
transformers = pytest.importorskip("transformers", reason="SKIPPED: transformers is not installed")

CONTEXT = 48
TEXTS = (
    texts("test")[0],
    "O gato.",
    "ação 😀 </s>\n\n x",
    "o",
    texts("test")[1][:150],
    " dois  espaços ",
    "",
)


def documents(given: tuple[str, ...] = TEXTS) -> list[Document]:
    return [Document(doc_id=f"d{index}", text=text) for index, text in enumerate(given)]


def loaded(directory: Path, **options: Any) -> Any:
    return load_model(directory, objective="causal", options=HfOptions(**options))


def slow_logprobs(
    directory: Path, token_id: list[int], *, stride: int, context: int = CONTEXT
) -> list[float]:
    """Each token from its own call, in float64: the inputs of the first window that reaches it, no more."""
    network = transformers.AutoModelForCausalLM.from_pretrained(directory).double().eval()
    inputs = [transformers.AutoTokenizer.from_pretrained(directory).bos_token_id, *token_id]
    result = []
    with torch.no_grad():
        for i in range(len(inputs) - 1):
            start = 0
            while i >= start + context:
                start += stride
            logits = network(torch.tensor([inputs[start : i + 1]])).logits[0, -1].tolist()
            peak = max(logits)
            total = math.fsum(math.exp(logit - peak) for logit in logits)
            result.append(logits[inputs[i + 1]] - peak - math.log(total))
    return result


@pytest.mark.parametrize("stride", [7, CONTEXT // 2, CONTEXT])
def test_each_token_is_scored_as_a_float64_loop_scores_it(causal_directory: Path, stride: int) -> None:
    given = (texts("test")[0][:200], "O gato viu a ação 😀.")
    for document, scores in zip(
        documents(given), loaded(causal_directory, stride=stride).score(documents(given)), strict=True
    ):
        expected = slow_logprobs(causal_directory, scores.token_id.tolist(), stride=stride)
        np.testing.assert_allclose(scores.logprob, expected, rtol=0, atol=1e-5)
        assert scores.logprob.dtype == np.float64
        assert scores.n_chars == len(document.text)
    assert scores.n_tokens < CONTEXT


def test_nats_bits_and_word_sums_are_those_of_the_loop(causal_directory: Path) -> None:
    text = texts("test")[0][:200]
    (scores,) = loaded(causal_directory).score(documents((text,)))
    loop = slow_logprobs(causal_directory, scores.token_id.tolist(), stride=CONTEXT // 2)
    assert -scores.logprob.sum() / scores.n_tokens == pytest.approx(-math.fsum(loop) / len(loop), abs=1e-5)
    bits_per_byte = -math.fsum(loop) / math.log(2) / len(text.encode())
    assert scores.total_nats / math.log(2) / len(text.encode()) == pytest.approx(bits_per_byte, abs=1e-5)

    words = word_spans(text)
    expected = [0.0] * len(words)
    for start, end, value in zip(scores.char_start, scores.char_end, loop, strict=True):
        begin = start - 1 if start == end else start  # an empty piece is of the character before it
        first = next(i for i in range(begin, len(text)) if not text[i].isspace())
        expected[next(i for i, (low, high) in enumerate(words) if low <= first < high)] += value
    np.testing.assert_allclose(word_sums(scores, text), expected, rtol=0, atol=1e-5 * 10)


def word_spans(text: str) -> list[tuple[int, int]]:
    spans, end = [], 0
    for word in text.split():
        start = text.index(word, end)
        end = start + len(word)
        spans.append((start, end))
    return spans


def word_sums(scores: TokenScores, text: str) -> list[float]:
    """As the metrics align tokens with words."""
    low, high = (np.array(edge) for edge in zip(*word_spans(text), strict=True))
    units = Units(char_start=low, char_end=high, upos=("NOUN",) * len(low))
    document = AnnotatedDocument(document=Document(doc_id="d", text=text), units=units)
    sums = np.zeros(len(low))
    np.add.at(sums, align(scores, document).token_unit, scores.logprob)
    return sums.tolist()


def test_the_stride_changes_what_a_token_sees(gpt2_directory: Path) -> None:
    """So the loop above could tell strides apart."""
    model = {stride: loaded(gpt2_directory, stride=stride) for stride in (7, CONTEXT)}
    totals = [model[stride].score(documents())[0].total_nats for stride in model]
    assert totals[0] != pytest.approx(totals[1], rel=1e-4)
    assert totals[0] == pytest.approx(totals[1], rel=0.2)


def test_later_text_changes_no_earlier_score(causal_directory: Path) -> None:
    model = loaded(causal_directory)
    text = TEXTS[0]
    whole, cut = (model.score(documents((part,)))[0] for part in (text, text[:100]))
    n = cut.n_tokens - 3  # the tokens at the cut may be others
    assert whole.token_id[:n].tolist() == cut.token_id[:n].tolist()
    np.testing.assert_allclose(whole.logprob[:n], cut.logprob[:n], rtol=0, atol=1e-5)


def test_a_smaller_context_is_used(gpt2_directory: Path) -> None:
    (scores,) = loaded(gpt2_directory, context=9, stride=4).score(documents()[:1])
    expected = slow_logprobs(gpt2_directory, scores.token_id.tolist(), stride=4, context=9)
    np.testing.assert_allclose(scores.logprob, expected, rtol=0, atol=1e-5)


def test_without_bos_the_first_token_costs_a_uniform_choice(gpt2_directory: Path) -> None:
    with_bos, without = loaded(gpt2_directory), loaded(gpt2_directory, bos="none")
    assert without.facts["bos"] == "none: the first token costs ln(vocabulary)"
    for one, other in zip(with_bos.score(documents()), without.score(documents()), strict=True):
        assert one.n_tokens == other.n_tokens
        if one.n_tokens:
            assert other.logprob[0] == -math.log(400)
    network = transformers.AutoModelForCausalLM.from_pretrained(gpt2_directory).eval()
    ids = without.encode(["O gato."])[0].token_id
    with torch.no_grad():
        loose = torch.log_softmax(network(torch.from_numpy(ids)[None]).logits[0].double(), -1).numpy()
    expected = loose[np.arange(len(ids) - 1), ids[1:]]
    np.testing.assert_allclose(without.score(documents(("O gato.",)))[0].logprob[1:], expected, atol=1e-5)


def test_its_distributions_are_those_that_it_scores_with(causal_directory: Path) -> None:
    model = loaded(causal_directory)
    assert isinstance(model, Explains)
    bos = transformers.AutoTokenizer.from_pretrained(causal_directory).bos_token_id
    for document in documents():
        explanation = model.explain(document)
        (scores,) = model.score([document])
        assert explanation.input_id.tolist() == [bos, *scores.token_id.tolist()][: scores.n_tokens or 0]
        assert explanation.bos_id == bos
        assert explanation.eos_id not in explanation.input_id
        np.testing.assert_allclose(np.exp(explanation.logprob).sum(axis=1), 1.0, atol=1e-9)
        chosen = explanation.logprob[np.arange(scores.n_tokens), scores.token_id]
        np.testing.assert_allclose(chosen, scores.logprob, rtol=0, atol=1e-5)


def test_a_model_that_caps_its_logits_is_scored_by_its_own_logits(tmp_path: Path) -> None:
    """Gemma 2's `final_logit_softcapping`: applying the head to the states would be silently wrong."""
    import hf_checkpoints

    directory = hf_checkpoints.gemma2(tmp_path)
    model = loaded(directory)
    (scores,) = model.score(documents(("O gato viu a casa.",)))
    expected = slow_logprobs(directory, scores.token_id.tolist(), stride=24)
    np.testing.assert_allclose(scores.logprob, expected, rtol=0, atol=1e-5)


def generate(model: LoadedModel, prompts: list[str], **settings: Any) -> list[str]:
    assert isinstance(model, Generates)
    rngs = [np.random.default_rng(len(prompt)) for prompt in prompts]
    return model.generate(prompts, rngs=rngs, **{"n_tokens": 6, "temperature": 1.0, "top_p": 0.9, **settings})


def test_continuations_are_the_same_alone_and_in_a_batch(causal_directory: Path) -> None:
    prompts = ["O", "As casas do trabalhador", "", TEXTS[0]]
    together = generate(loaded(causal_directory), prompts)
    alone = [generate(loaded(causal_directory, batch_size=1), [prompt])[0] for prompt in prompts]
    assert together == alone
    assert generate(loaded(causal_directory), prompts) == together


def test_the_most_probable_continuation_is_the_argmax(gpt2_directory: Path) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(gpt2_directory)
    network = transformers.AutoModelForCausalLM.from_pretrained(gpt2_directory).eval()
    ids = [tokenizer.bos_token_id, *tokenizer("O gato")["input_ids"]]
    start = len(ids)
    for _ in range(6):
        with torch.no_grad():
            logits = network(torch.tensor([ids])).logits[0, -1]
        logits[tokenizer.all_special_ids] = -torch.inf
        ids.append(int(logits.argmax()))
    (text,) = generate(loaded(gpt2_directory), ["O gato"], temperature=0.0, top_p=1.0)
    assert text == tokenizer.decode(ids[start:])


def test_special_tokens_are_never_drawn(llama_directory: Path) -> None:
    model = loaded(llama_directory)
    drawn = generate(model, ["O gato"] * 40, n_tokens=20, temperature=3.0, top_p=1.0)
    assert not any(name in text for text in drawn for name in ("<s>", "</s>", "<unk>", "<pad>"))


def test_past_the_context_the_last_tokens_slide_after_bos(gpt2_directory: Path) -> None:
    model = loaded(gpt2_directory, context=8)
    ids = model.encode(["O gato viu a casa."])[0].token_id
    prompt = "O gato viu a casa."
    (text,) = generate(model, [prompt], n_tokens=1, temperature=0.0, top_p=1.0)
    network = transformers.AutoModelForCausalLM.from_pretrained(gpt2_directory).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(gpt2_directory)
    seen = [tokenizer.bos_token_id, *ids[-7:].tolist()]
    with torch.no_grad():
        logits = network(torch.tensor([seen])).logits[0, -1]
    logits[tokenizer.all_special_ids] = -torch.inf
    assert text == tokenizer.decode([int(logits.argmax())])


def test_generation_checks_its_settings(gpt2_directory: Path) -> None:
    model = loaded(gpt2_directory)
    assert generate(model, [], n_tokens=3) == []
    assert generate(model, ["O"], n_tokens=0) == [""]
    with pytest.raises(ConfigError, match="one generator for each prompt, got 1 tokens, 1 prompts and 0"):
        model.generate(["O"], n_tokens=1, temperature=1.0, top_p=1.0, rngs=[])
    with pytest.raises(ConfigError, match="`temperature` must be finite and >= 0, got -1"):
        generate(model, ["O"], temperature=-1)


def test_an_embedding_is_the_mean_of_the_texts_own_states(causal_directory: Path) -> None:
    model = loaded(causal_directory)
    assert isinstance(model, Embeds)
    given = ["O gato.", "o", "As casas do trabalhador"]
    network = transformers.AutoModelForCausalLM.from_pretrained(causal_directory).eval()
    bos = transformers.AutoTokenizer.from_pretrained(causal_directory).bos_token_id
    expected = []
    for encoding in model.encode(given):
        with torch.no_grad():
            ids = torch.tensor([[bos, *encoding.token_id.tolist()]])
            states = network(ids, output_hidden_states=True).hidden_states
        expected.append(((states[0] + states[-1]) / 2)[0, 1:].double().mean(dim=0).numpy())
    np.testing.assert_allclose(model.embed(given, layers=[0, -1]), expected, rtol=0, atol=1e-5)


def test_a_long_texts_embedding_counts_each_token_once(gpt2_directory: Path) -> None:
    """Layer 0 of a model without positions would be enough; here each window is asked by hand."""
    model = loaded(gpt2_directory, context=8, stride=8)
    text = "O gato viu a casa do trabalhador."
    (encoding,) = model.encode([text])
    network = transformers.AutoModelForCausalLM.from_pretrained(gpt2_directory).eval()
    ids = [0, *encoding.token_id.tolist()]
    states = []
    for start in range(0, len(ids), 8):
        with torch.no_grad():
            out = network(torch.tensor([ids[start : start + 8]]), output_hidden_states=True)
        states.append(out.hidden_states[-1][0])
    expected = torch.cat(states)[1:].double().mean(dim=0).numpy()
    np.testing.assert_allclose(model.embed([text], layers=[-1])[0], expected, rtol=0, atol=1e-5)


def test_what_has_no_embedding_is_refused(gpt2_directory: Path) -> None:
    model = loaded(gpt2_directory)
    with pytest.raises(DataError, match="text 1 is empty, so it has no embedding"):
        model.embed(["o", ""], layers=[0])
    with pytest.raises(
        ConfigError, match=r"the model has the layers 0 \(input\) to 2 \(last, also -1\), got 3"
    ):
        model.embed(["o"], layers=[3])
    with pytest.raises(ConfigError, match="an embedding needs at least one layer, got none"):
        model.embed(["o"], layers=[])


def test_a_text_that_is_no_unicode_is_refused(gpt2_directory: Path) -> None:
    with pytest.raises(DataError, match=r"holds the lone surrogate .* at character 1"):
        loaded(gpt2_directory).score([Document(doc_id="d", text="a\ud800b")])

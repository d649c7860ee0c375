"""The same network and text in other tools, where their definition is ours; where it isn't, by how much."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hf_tokenizers import byte_level, texts

from rig.core.documents import Document
from rig.models.hf.load import load_model
from rig.models.hf.options import HfOptions

pytest.importorskip("torch", reason="SKIPPED: torch is not installed (pip install 'rig[hf]')")
transformers = pytest.importorskip("transformers", reason="SKIPPED: transformers is not installed")

GIVEN = [texts("test")[4], "O gato.", "o", "ação 😀"]


def loaded(directory: Path, objective: str = "causal", **options: Any) -> Any:
    return load_model(directory, objective=objective, options=HfOptions(**options))


def scores(model: Any, given: list[str]) -> Any:
    return model.score([Document(doc_id=str(index), text=text) for index, text in enumerate(given)])


@pytest.fixture(scope="module")
def scorer() -> Any:
    pytest.importorskip("minicons", reason="SKIPPED: minicons is not installed")
    from minicons import scorer

    return scorer


@pytest.mark.filterwarnings("ignore")
def test_token_scores_are_those_of_minicons(gpt2_directory: Path, scorer: Any) -> None:
    theirs = scorer.IncrementalLMScorer(str(gpt2_directory), "cpu").token_score(GIVEN, bos_token=True)
    for ours, other in zip(scores(loaded(gpt2_directory), GIVEN), theirs, strict=True):
        np.testing.assert_allclose(ours.logprob, [value for _, value in other[1:]], rtol=0, atol=1e-5)


@pytest.mark.filterwarnings("ignore")
def test_a_tokenizer_that_adds_bos_needs_another_setting_in_minicons(
    llama_directory: Path, scorer: Any
) -> None:
    """`bos_token=True` gives BOS twice there, and cuts the text otherwise; without it the scores are ours."""
    held = scorer.IncrementalLMScorer(str(llama_directory), "cpu")
    ours = scores(loaded(llama_directory), GIVEN)
    for one, other in zip(ours, held.token_score(GIVEN, bos_token=False), strict=True):
        np.testing.assert_allclose(one.logprob, [value for _, value in other[1:]], rtol=0, atol=1e-5)
    doubled = held.token_score(GIVEN, bos_token=True)
    assert [name for name, _ in doubled[1]][:2] == ["<s>", "<s>"]
    assert doubled[1][1][1] < -1.0  # and the second one is scored


@pytest.mark.filterwarnings("ignore")
def test_word_sums_are_those_of_minicons(gpt2_directory: Path, scorer: Any) -> None:
    (theirs,) = scorer.IncrementalLMScorer(str(gpt2_directory), "cpu").word_score_tokenized(
        ["O gato viu"], bos_token=True, tokenize_function=str.split, bow_correction=False
    )
    (ours,) = scores(loaded(gpt2_directory), ["O gato viu"])
    word = np.searchsorted([1, 6, 10], ours.char_start, side="right")
    sums = [ours.logprob[word == index].sum() for index in range(3)]
    assert [name for name, _ in theirs] == ["O", "gato", "viu"]
    np.testing.assert_allclose(sums, [value for _, value in theirs], rtol=0, atol=1e-5)


@pytest.mark.filterwarnings("ignore")
def test_pseudo_likelihood_is_that_of_minicons(bert_directory: Path, scorer: Any) -> None:
    given = ["O gato viu a casa.", "o", "As casas não."]
    held = scorer.MaskedLMScorer(str(bert_directory), "cpu")
    held.tokenizer.batch_encode_plus = held.tokenizer.__call__  # transformers 5 dropped the old name
    ours = scores(loaded(bert_directory, "masked"), given)
    for one, other in zip(ours, held.token_score(given), strict=True):
        np.testing.assert_allclose(one.logprob, [value for _, value in other], rtol=0, atol=1e-5)


def rolling(directory: Path, given: list[str], **settings: Any) -> list[float]:
    """The harness's rolling log-likelihood of each text."""
    pytest.importorskip("lm_eval", reason="SKIPPED: lm-evaluation-harness is not installed")
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    model = HFLM(
        pretrained=transformers.AutoModelForCausalLM.from_pretrained(directory),
        tokenizer=transformers.AutoTokenizer.from_pretrained(directory),
        backend="causal",
        batch_size=2,
        **settings,
    )
    asked = [Instance("loglikelihood_rolling", {}, (text,), index) for index, text in enumerate(given)]
    totals: list[float] = model.loglikelihood_rolling(asked, disable_tqdm=True)
    return totals


@pytest.mark.filterwarnings("ignore")
def test_bits_per_byte_are_those_of_the_harness_within_one_window(gpt2_directory: Path) -> None:
    ours = scores(loaded(gpt2_directory), GIVEN)
    for text, one, other in zip(GIVEN, ours, rolling(gpt2_directory, GIVEN), strict=True):
        n_bytes = len(text.encode())
        assert one.total_nats / math.log(2) / n_bytes == pytest.approx(
            -other / math.log(2) / n_bytes, abs=1e-5
        )


@pytest.mark.filterwarnings("ignore")
def test_whole_windows_are_those_of_the_harness_too(gpt2_directory: Path) -> None:
    """Windows that don't overlap, each with one token of context: ours with `stride` = `context`."""
    tokenizer = byte_level()
    text = next(
        text for n in range(60, 400)
        if len(tokenizer.encode(text := texts("test")[1][:n], add_special_tokens=False).ids) == 96
    )  # fmt: skip
    (ours,) = scores(loaded(gpt2_directory, stride=48), [text])
    (theirs,) = rolling(gpt2_directory, [text])
    assert -ours.total_nats == pytest.approx(theirs, abs=1e-5 * ours.n_tokens)
    # A last window that is not full is drawn back there, so that its tokens see more.
    longer = text + " viu"
    (ours,), (theirs,) = (
        scores(loaded(gpt2_directory, stride=48), [longer]),
        rolling(gpt2_directory, [longer]),
    )
    assert abs(ours.total_nats + theirs) > 0.1


@pytest.mark.filterwarnings("ignore")
def test_the_harness_doubles_bos_unless_told_not_to(llama_directory: Path) -> None:
    """EleutherAI/lm-evaluation-harness #3333: a tokenizer that adds BOS, and a prefix of BOS."""
    ours = [-one.total_nats for one in scores(loaded(llama_directory), GIVEN)]
    assert rolling(llama_directory, GIVEN, add_bos_token=False) == pytest.approx(ours, abs=1e-4)
    assert abs(rolling(llama_directory, GIVEN)[1] - ours[1]) > 1.0

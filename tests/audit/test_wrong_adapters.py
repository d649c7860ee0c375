"""Wrong adapters of a real GPT-2, each caught by its own sentence and no other; the right one passes all."""

import re
from collections.abc import Sequence
from typing import Any

import gpt2_adapters
import numpy as np
import pytest

from rig.audit.checks import audit
from rig.audit.finding import Finding, perplexity_effect
from rig.audit.probe import Probe, mean_nats
from rig.core.documents import Document
from rig.models.base import AbstractLanguageModel
from rig.models.tokenizer import AbstractTokenizer

pytestmark = pytest.mark.slow

Documents = tuple[Document, ...]

CAUSAL = (
    "scores", "two calls", "own score", "batching", "windows", "distributions", "special tokens",
    "sum to one", "score of the distribution", "softmax once", "shift", "causal leak", "token itself",
    "late text",
)  # fmt: skip
WRONG = {
    "Unshifted": ("shift", r"^not shifted: each token was scored after it had been read", "too high"),
    "ShiftedTwice": ("shift", r"^shifted twice: each token was scored without the token before", "too high"),
    "ProbabilitiesForLogits": ("softmax once", r"^softmax was taken twice", "times too high"),
    "BaseTwo": ("sum to one", r"^base 2: the powers of 2 sum to one", "times too high"),
    "PaddingScored": ("batching", r"^padding is scored: 6 texts have \d+ tokens alone and \d+", "too low"),
    "PaddingAttended": ("batching", r"^padding is attended to, or positions are counted from it", "too"),
    "DoubleBos": ("special tokens", r"^double BOS: the input of a text begins with id 0 2 times", "too high"),
    "FutureLeak": ("causal leak", r"^the future leaks: the scores of \d+ of \d+ tokens change", "too low"),
    "ItselfLeaks": ("token itself", r"^the token itself leaks", "too low"),
    "PerBatchMean": ("own score", r"^per-batch mean: all tokens of a text have one and the same", "wrongly"),
    "PerTextMean": ("own score", r"^per-text mean: all tokens of a text have one and the same", "wrongly"),
    "DropoutOn": ("two calls", r"^two calls with the same text differ by up to .*dropout", "too high"),
    "Raises": ("scores", r"^the model raised IndexError: index out of range in self$", "no perplexity"),
    "NotANumber": (
        "windows",
        r"^the model raised ModelError: .*must be finite and <= 0, got nan",
        "no perpl",
    ),
}
"""Adapter to the one check that it fails, that check's sentence, and a part of the effect."""


def failed(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.status == "failed"]


def by_check(findings: Sequence[Finding]) -> dict[str, Finding]:
    return {finding.check: finding for finding in findings}


def audited(name: str, gpt2: Any, tokenizer: AbstractTokenizer, documents: Documents) -> tuple[Finding, ...]:
    model: AbstractLanguageModel = getattr(gpt2_adapters, name)(gpt2, tokenizer)
    return audit(model, documents, thorough=False)


@pytest.mark.parametrize("thorough", [False, True])
def test_a_right_adapter_passes_every_check(
    gpt2: Any, tokenizer: AbstractTokenizer, documents: Documents, thorough: bool
) -> None:
    findings = audit(gpt2_adapters.Right(gpt2, tokenizer), documents, thorough=thorough)
    assert {finding.check: finding.status for finding in findings} == dict.fromkeys(CAUSAL, "passed")
    assert not any(finding.effect for finding in findings)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_adapter_is_caught_by_its_own_sentence_and_by_no_other(
    name: str, gpt2: Any, tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    check, sentence, effect = WRONG[name]
    (finding,) = failed(audited(name, gpt2, tokenizer, documents))
    assert finding.check == check
    assert re.search(sentence, finding.sentence), finding.sentence
    assert effect in finding.effect


def test_every_check_that_a_fault_spoils_names_the_check_that_it_failed(
    gpt2: Any, tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    found = by_check(audited("DropoutOn", gpt2, tokenizer, documents))
    spoiled = {check for check in CAUSAL if found[check].status == "not checked"}
    assert spoiled == set(CAUSAL) - {"scores", "two calls", "windows"}
    for check in spoiled:
        assert found[check].sentence == "it would mean nothing, since the check 'two calls' failed"


def test_the_effect_of_base_two_is_that_perplexity_is_raised_to_the_power_of_one_over_ln_2(
    gpt2: Any, tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    probe = Probe(gpt2_adapters.Right(gpt2, tokenizer), documents, thorough=False)
    right = mean_nats([scores for scores, _ in probe.explained])
    found = by_check(audited("BaseTwo", gpt2, tokenizer, documents))
    assert found["sum to one"].effect == perplexity_effect(right / np.log(2.0), right)


def test_the_effect_of_a_missing_shift_is_what_the_neighbours_logits_say(
    gpt2: Any, tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    probe = Probe(gpt2_adapters.Right(gpt2, tokenizer), documents, thorough=False)
    own, after = [], []
    for scores, explanation in probe.explained:
        for j in range(1, scores.n_tokens - 1):
            own.append(-explanation.logprob[j, scores.token_id[j]])
            after.append(-explanation.logprob[j + 1, scores.token_id[j]])
    found = by_check(audited("Unshifted", gpt2, tokenizer, documents))
    assert found["shift"].effect == perplexity_effect(float(np.mean(after)), float(np.mean(own)))
    assert np.mean(after) - np.mean(own) > 2.0


def test_an_untrained_model_with_tied_embeddings_looks_shifted_and_is_not_called_so(
    tokenizer: AbstractTokenizer, documents: Documents
) -> None:
    """Its state is near the embedding of the token just read, so it predicts that token again."""
    torch = pytest.importorskip("torch", reason=gpt2_adapters.NEEDS_TRANSFORMERS)
    with torch.random.fork_rng():
        torch.manual_seed(3)
        network = gpt2_adapters.untrained_gpt2(tokenizer.vocab_size).eval()
    with torch.no_grad():
        network.transformer.wte.weight *= 20.0
    findings = audit(gpt2_adapters.Right(network, tokenizer), documents, thorough=False)
    assert not failed(findings)
    shift = by_check(findings)["shift"]
    assert shift.status == "not checked"
    assert "the model repeats the token that it has just read" in shift.sentence

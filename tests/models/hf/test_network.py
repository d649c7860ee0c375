"""Rows of a batch, some at a time: the same whatever the parts, and ties as they are defined."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="SKIPPED: torch is not installed (pip install 'rig[hf]')")
transformers = pytest.importorskip("transformers", reason="SKIPPED: transformers is not installed")

from rig.models.hf import network  # noqa: E402  it imports torch
from rig.models.hf.batches import Batch  # noqa: E402


def held(directory: Path) -> network.Network:
    return network.Network(transformers.AutoModelForCausalLM.from_pretrained(directory).eval())


def batch() -> Batch:
    """Rows of 17, 11 and 1 inputs."""
    ids = np.zeros((3, 17), np.int64)
    ids[0], ids[1, :11], ids[2, 0] = np.arange(3, 20), np.arange(30, 41), 7
    return Batch(index=(0, 1, 2), ids=ids, length=np.array([17, 11, 1]))


ROWS = np.array([0, 1, 5, 16, 17, 20, 27, 34])
TARGETS = np.array([5, 6, 7, 8, 9, 10, 11, 12])


@pytest.mark.parametrize("n_rows", [1, 3, 8, 100])
@pytest.mark.parametrize("alone", [True, False])
def test_parts_of_any_size_give_the_same(
    gpt2_directory: Path, monkeypatch: pytest.MonkeyPatch, n_rows: int, alone: bool
) -> None:
    whole = held(gpt2_directory)
    if not alone:
        monkeypatch.setattr(network, "find_head", lambda *given: None)
    monkeypatch.setattr(network, "_CHUNK_LOGITS", n_rows * 400)
    parts = held(gpt2_directory)
    assert (whole.reads_rows, parts.reads_rows) == (True, alone)
    expected = whole.logprobs(batch(), ROWS)
    np.testing.assert_allclose(parts.logprobs(batch(), ROWS), expected, rtol=0, atol=1e-5)
    guess = parts.guesses(batch(), ROWS, TARGETS)
    assert guess.predicted.tolist() == expected.argmax(axis=1).tolist()
    chosen = expected[np.arange(len(ROWS)), TARGETS]
    np.testing.assert_allclose(guess.logprob, chosen, rtol=0, atol=1e-5)
    np.testing.assert_allclose(parts.target_logprobs(batch(), ROWS, TARGETS), chosen, rtol=0, atol=1e-5)


def test_only_the_rows_that_are_asked_get_logits(
    gpt2_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "_CHUNK_LOGITS", 3 * 400)
    model = held(gpt2_directory)
    made: list[int] = []
    head: Any = model._head
    model._head = lambda states: made.append(len(states)) or head(states)
    model.target_logprobs(batch(), ROWS, TARGETS)
    assert made == [3, 3, 2]


def test_of_equal_logits_the_lowest_index_is_the_guess(gpt2_directory: Path) -> None:
    module = transformers.AutoModelForCausalLM.from_pretrained(gpt2_directory).eval()
    with torch.no_grad():
        module.transformer.wte.weight[:] = 0.0
    guess = network.Network(module).guesses(batch(), ROWS, TARGETS)
    assert guess.predicted.tolist() == [0] * len(ROWS)
    np.testing.assert_allclose(guess.logprob, -np.log(400), rtol=0, atol=1e-6)


def test_it_knows_its_sizes(gpt2_directory: Path) -> None:
    model = held(gpt2_directory)
    sizes = (model.vocab_size, model.n_embeddings, model.d_model, model.n_states, model.sees_later)
    assert sizes == (400, 400, 32, 3, False)

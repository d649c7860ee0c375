"""A tiny GPT-2, briefly trained on the embedded language so that it knows the text, and that text."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpt2_adapters import CONTEXT, NEEDS_TRANSFORMERS, untrained_gpt2

from rig.core.documents import Document
from rig.core.seeding import stream
from rig.data.annotations import Annotations
from rig.data.nano_pt import corpus
from rig.models.kneser_ney import KneserNey
from rig.models.ngram import NgramModel
from rig.models.tokenizer import AbstractTokenizer, train_tokenizer

_STEPS, _ROWS = 240, 8


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory) -> tuple[Document, ...]:
    folder = corpus.ensure(
        tmp_path_factory.mktemp("nano_pt"), {"n_train": 200, "n_validation": 1, "n_test": 1}
    )
    return tuple(Annotations.open(Path(folder)).documents("train"))


@pytest.fixture(scope="session")
def tokenizer(documents: tuple[Document, ...]) -> AbstractTokenizer:
    return train_tokenizer({"type": "bpe", "vocab_size": 400}, [document.text for document in documents])


@pytest.fixture(scope="session")
def ngram(documents: tuple[Document, ...], tokenizer: AbstractTokenizer) -> NgramModel:
    """A right model that knows the text, without torch."""
    counts = KneserNey.count(
        [tokenizer.encode(document.text).token_id for document in documents],
        order=3,
        vocab_size=tokenizer.vocab_size,
        bos_id=tokenizer.bos_id,
    )
    return NgramModel(tokenizer, counts)


@pytest.fixture(scope="session")
def gpt2(documents: tuple[Document, ...], tokenizer: AbstractTokenizer) -> Any:
    """A `GPT2LMHeadModel` of some 80 thousand parameters that knows the text well."""
    torch = pytest.importorskip("torch", reason=NEEDS_TRANSFORMERS)
    tokens = np.concatenate(
        [[tokenizer.bos_id, *tokenizer.encode(document.text).token_id] for document in documents]
    )
    rng = stream(1, "tests", "audit", "gpt2")
    with torch.random.fork_rng():
        torch.manual_seed(1)
        model = untrained_gpt2(tokenizer.vocab_size)
        optimiser = torch.optim.AdamW(model.parameters(), lr=5e-3)
        model.train()
        for _ in range(_STEPS):
            starts = rng.integers(0, len(tokens) - CONTEXT, size=_ROWS)
            ids = torch.tensor(np.stack([tokens[start : start + CONTEXT] for start in starts]))
            logits = model(input_ids=ids).logits[:, :-1]
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model.eval()

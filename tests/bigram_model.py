"""A language model whose probabilities a test writes down.

The built-in transformer without blocks: its logits are (embedding + position) @ head. With one-hot embeddings
and no positions, row `a` of the head holds ln p(next | a). So its scores can be worked out by hand, and they
come by the path of every trained model: tokenizer, windows, batches, log-softmax.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from rig.models.network import Architecture, Network
from rig.models.tokenizer import AbstractTokenizer, train_tokenizer
from rig.models.transformer_lm import TransformerLanguageModel

BOS = ""
"""Stands for the beginning of a text in a table of probabilities."""


def word_tokenizer(texts: Sequence[str], vocab_size: int = 1000) -> AbstractTokenizer:
    """Words with the space before them, all of the texts' unless `vocab_size` cuts them."""
    return train_tokenizer({"type": "word", "vocab_size": vocab_size}, texts)


def bigram_model(
    tokenizer: AbstractTokenizer,
    probability: Mapping[tuple[str, str], float],
    *,
    context: int = 8,
    stride: int = 4,
    batch_size: int = 4,
) -> TransformerLanguageModel:
    """A causal model over a tokenizer's vocabulary.

    Args:
        tokenizer: Of whole words.
        probability: (token, next token) to the next one's probability; what a row leaves is shared equally by
            the ids that it does not name. A token is written with its space: ` casa`; the beginning is `BOS`.
        context: Inputs that it sees at once. It needs one.
        stride: Of its windows.
        batch_size: Windows at once.
    """
    n = tokenizer.vocab_size
    index = {token: i for i, token in enumerate(tokenizer.tokens) if token is not None}
    index[BOS] = tokenizer.bos_id
    table = np.full((n, n), np.nan)
    for (before, after), p in probability.items():
        table[index[before], index[after]] = p
    for row in table:
        unnamed = np.isnan(row)
        if unnamed.any():
            row[unnamed] = (1.0 - np.nansum(row)) / unnamed.sum()
    np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-12)
    network = Network(Architecture(vocab_size=n, d_model=n, n_layers=0, n_heads=1, context=context))
    network.parameters["emb"][...] = np.eye(n)
    network.parameters["head"][...] = np.log(table)
    return TransformerLanguageModel(network, tokenizer, stride=stride, batch_size=batch_size)

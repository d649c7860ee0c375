"""Faults of sentence states and their correlation that were reported in public, each tried on rig."""

import json
from pathlib import Path

import numpy as np
import pytest
from bigram_model import word_tokenizer
from scipy import stats

from rig.metrics.correlation import pearson, spearman
from rig.models.network import Architecture, Network
from rig.models.transformer_lm import TransformerLanguageModel
from rig.tasks.base import TaskData
from rig.tasks.similarity import SimilarityTask, cosine

SHORT, LONG = "o gato", "a menina viu o gato na casa do menino e o menino viu a menina na casa do gato"
PAIRS = [("o gato", "a casa", 1.5), ("a menina viu o gato", "o menino viu o gato", 4.0), (SHORT, LONG, 2.5)]


def model(batch_size: int) -> TransformerLanguageModel:
    """An untrained transformer: two blocks that mix positions."""
    tokenizer = word_tokenizer([LONG, "a casa"])
    network = Network(
        Architecture(vocab_size=tokenizer.vocab_size, d_model=16, n_layers=2, n_heads=2, context=12)
    )
    for name, tensor in network.parameters.tensors.items():
        tensor[...] = np.random.default_rng(len(name)).normal(0.0, 0.4, tensor.shape)
    return TransformerLanguageModel(network, tokenizer, stride=6, batch_size=batch_size)


def test_peers_35_mteb_1206_a_correlation_is_one_float(tmp_path: Path) -> None:
    """embeddings-benchmark/mteb #1206: the pair (r, p) was stored where r was meant."""
    x, y = [0.1, 0.4, 0.3, 0.9], [1.0, 2.0, 3.0, 4.5]
    for ours, theirs in ((pearson(x, y), stats.pearsonr(x, y)), (spearman(x, y), stats.spearmanr(x, y))):
        assert type(ours) is float
        assert ours == pytest.approx(theirs.statistic, rel=1e-12)
    path = tmp_path / "stsb.csv"
    path.write_text("".join(f"{a},{b},{score}\n" for a, b, score in PAIRS), encoding="utf-8")
    task = SimilarityTask({}, TaskData(annotations=tmp_path, files={"similarity.made": path}))
    result = task.run(model(4), seed=0)
    column = next(column for column in task.columns() if column.name == "sim_made")
    value = column.statistic(result.items)
    assert type(value) is float
    assert json.loads(json.dumps(value)) == value


@pytest.mark.parametrize("batch_size", [1, 2, 32])
def test_peers_36_sentence_transformers_2569_padding_is_in_no_mean(batch_size: int) -> None:
    """huggingface/sentence-transformers #2569, microsoft/SDR #10: the mean of the states took padding in."""
    texts = [SHORT, LONG, "a casa"]
    alone = np.concatenate([model(1).embed([text], layers=[-1]) for text in texts])
    together = model(batch_size).embed(texts, layers=[-1])
    np.testing.assert_allclose(cosine(alone, together), 1.0, atol=1e-12)
    np.testing.assert_allclose(cosine(together[:1], together[1:2]), cosine(alone[:1], alone[1:2]), atol=1e-6)

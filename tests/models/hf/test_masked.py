"""Gaps filled from both sides: against a float64 loop, alone and in a batch, blind to what is hidden."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hf_tokenizers import texts

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError, ModelError
from rig.models.base import Embeds, FillsMasks, Gaps, Generates
from rig.models.hf.load import load_model
from rig.models.hf.options import HfOptions

torch = pytest.importorskip("torch", reason="SKIPPED: torch is not installed (pip install 'rig[hf]')")
transformers = pytest.importorskip("transformers", reason="SKIPPED: transformers is not installed")
hf_checkpoints = pytest.importorskip("hf_checkpoints", reason="SKIPPED: torch is not installed")

TEXTS = ["O gato viu a ação.", "o", texts("test")[0], "As casas não têm 😀 gatos."]


def loaded(directory: Path, **options: Any) -> Any:
    return load_model(directory, objective="masked", options=HfOptions(**options))


def gaps(token_id: list[int], hidden: list[int], asked: list[int] | None = None) -> Gaps:
    return Gaps(
        token_id=np.array(token_id, np.int64),
        hidden=np.array(hidden, np.int64),
        asked=np.array(hidden if asked is None else asked, np.int64),
    )


def slow_fill(directory: Path, gap: Gaps) -> list[tuple[float, int]]:
    """One call a text, in float64: log-probability of each asked token and the best guess there."""
    network = transformers.AutoModelForMaskedLM.from_pretrained(directory).double().eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    ids = [
        tokenizer.mask_token_id if index in gap.hidden else int(token)
        for index, token in enumerate(gap.token_id)
    ]
    fed = torch.tensor([[tokenizer.cls_token_id, *ids, tokenizer.sep_token_id]])
    with torch.no_grad():
        logits = network(fed).logits[0]
    result = []
    for position in gap.asked.tolist():
        row = logits[position + 1].tolist()
        peak = max(row)
        total = math.fsum(math.exp(value - peak) for value in row)
        result.append((row[gap.token_id[position]] - peak - math.log(total), row.index(peak)))
    return result


def test_it_fills_masks_and_says_what_it_is(bert_directory: Path) -> None:
    model = loaded(bert_directory)
    assert isinstance(model, FillsMasks)
    assert isinstance(model, Embeds)
    assert not isinstance(model, Generates)
    assert (model.objective, model.is_code_length, model.unk_id) == ("masked", False, 3)
    assert model.max_tokens == hf_checkpoints.CONTEXT - 2
    assert model.facts["bos"] == "[CLS] before the text, [SEP] after it"


def test_gaps_are_filled_as_a_float64_loop_fills_them(bert_directory: Path) -> None:
    model = loaded(bert_directory)
    given = [
        gaps([10, 11, 12, 13, 14], [1, 3]),
        gaps([20], [0]),
        gaps([9, 8, 7, 6, 5, 10, 11], [2, 3, 4], asked=[3]),
        gaps([9, 8, 7], [0], asked=[]),
    ]
    for gap, filled in zip(given, model.fill(given), strict=True):
        expected = slow_fill(bert_directory, gap)
        np.testing.assert_allclose(filled.logprob, [value for value, _ in expected], rtol=0, atol=1e-5)
        assert filled.predicted.tolist() == [index for _, index in expected]
        assert filled.logprob.dtype == np.float64


def test_what_is_hidden_does_not_reach_the_model(bert_directory: Path) -> None:
    """Only the asked token's own log-probability may differ."""
    model = loaded(bert_directory)
    one, other = model.fill(
        [gaps([10, 11, 12, 13], [1, 2], asked=[1]), gaps([10, 11, 99, 13], [1, 2], asked=[1])]
    )
    assert one.logprob.tolist() == other.logprob.tolist()
    one, other = model.fill([gaps([10, 11, 12], [1]), gaps([10, 50, 12], [1])])
    assert one.predicted.tolist() == other.predicted.tolist()
    assert one.logprob.tolist() != other.logprob.tolist()


@pytest.mark.parametrize("batch_size", [1, 3, 64])
def test_gaps_are_filled_the_same_alone_and_in_a_batch(bert_directory: Path, batch_size: int) -> None:
    encodings = loaded(bert_directory).encode(TEXTS)
    given = [gaps(encoding.token_id.tolist()[:40], [0]) for encoding in encodings]
    alone = [loaded(bert_directory).fill([gap])[0].logprob[0] for gap in given]
    together = [filled.logprob[0] for filled in loaded(bert_directory, batch_size=batch_size).fill(given)]
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-5)


def test_a_score_is_the_plain_pseudo_likelihood(bert_directory: Path) -> None:
    """Salazar et al. 2020: each token hidden alone; CLS and SEP are not scored."""
    model = loaded(bert_directory)
    (scores,) = model.score([Document(doc_id="d", text=TEXTS[0])])
    ids = scores.token_id.tolist()
    expected = [slow_fill(bert_directory, gaps(ids, [position]))[0][0] for position in range(len(ids))]
    np.testing.assert_allclose(scores.logprob, expected, rtol=0, atol=1e-5)
    assert "".join(TEXTS[0][a:b] for a, b in zip(scores.char_start, scores.char_end, strict=True)) == TEXTS[0]


def test_a_text_that_is_too_long_is_refused(bert_directory: Path) -> None:
    with pytest.raises(ModelError, match="a text of 47 tokens was given to a model that sees 46; cut it"):
        loaded(bert_directory).fill([gaps([9] * 47, [0])])
    assert len(loaded(bert_directory).fill([gaps([9] * 46, [0])])) == 1


def test_an_embedding_is_the_mean_of_the_texts_own_states(bert_directory: Path) -> None:
    model = loaded(bert_directory)
    network = transformers.AutoModelForMaskedLM.from_pretrained(bert_directory).eval()
    for text, found in zip(TEXTS[:2], model.embed(TEXTS[:2], layers=[1, -1]), strict=True):
        ids = [0, *model.encode([text])[0].token_id.tolist(), 1]
        with torch.no_grad():
            states = network(torch.tensor([ids]), output_hidden_states=True).hidden_states
        expected = ((states[1] + states[2]) / 2)[0, 1:-1].double().mean(dim=0).numpy()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    with pytest.raises(DataError, match="text 0 is empty"):
        model.embed([""], layers=[0])


def test_a_long_texts_embedding_is_of_windows_that_do_not_overlap(bert_directory: Path) -> None:
    model = loaded(bert_directory, context=12)
    (encoding,) = model.encode([TEXTS[2]])
    network = transformers.AutoModelForMaskedLM.from_pretrained(bert_directory).eval()
    states = []
    for start in range(0, len(encoding), 10):
        ids = [0, *encoding.token_id[start : start + 10].tolist(), 1]
        with torch.no_grad():
            states.append(network(torch.tensor([ids]), output_hidden_states=True).hidden_states[-1][0, 1:-1])
    expected = torch.cat(states).double().mean(dim=0).numpy()
    np.testing.assert_allclose(model.embed([TEXTS[2]], layers=[-1])[0], expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("make", "reads_rows"),
    [("RobertaForMaskedLM", True), ("DistilBertForMaskedLM", False), ("AlbertForMaskedLM", True),
     ("ElectraForMaskedLM", True), ("ModernBertForMaskedLM", True)],
)  # fmt: skip
def test_other_networks_fill_as_the_loop_does(tmp_path: Path, make: str, reads_rows: bool) -> None:
    directory = hf_checkpoints.masked(tmp_path, make)
    model = loaded(directory)
    given = [gaps([10, 11, 12, 13, 14], [1, 3]), gaps([20, 21], [0])]
    for gap, filled in zip(given, model.fill(given), strict=True):
        expected = slow_fill(directory, gap)
        np.testing.assert_allclose(filled.logprob, [value for value, _ in expected], rtol=0, atol=1e-5)
    assert model._network.reads_rows == reads_rows


def test_a_roberta_sees_fewer_tokens_than_it_has_positions(tmp_path: Path) -> None:
    """Its positions begin after the padding index; its full context is usable, and no more."""
    directory = hf_checkpoints.masked(
        tmp_path, "RobertaForMaskedLM", max_position_embeddings=20, pad_token_id=4
    )
    model = loaded(directory)
    assert model.max_tokens == 20 - 4 - 1 - 2
    gap = gaps([9] * model.max_tokens, [5])
    np.testing.assert_allclose(
        model.fill([gap])[0].logprob, [slow_fill(directory, gap)[0][0]], rtol=0, atol=1e-5
    )


def test_a_tokenizer_without_mask_is_refused(bert_directory: Path, tmp_path: Path) -> None:
    special = {role: token for role, token in hf_checkpoints.BERT_SPECIAL.items() if role != "mask_token"}
    hf_checkpoints.save_tokenizer(hf_checkpoints.wordpiece(), tmp_path, special)
    with pytest.raises(ModelError, match="a masked model's tokenizer needs a MASK token"):
        loaded(bert_directory, tokenizer=str(tmp_path))
    with pytest.raises(ConfigError, match="option `bos` of a masked model must be `auto` or `none`"):
        loaded(bert_directory, bos="[CLS]")

"""Public reports of wrong scores in other tools, each tried on ours; named after the report."""

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hf_tokenizers import byte_level, sentencepiece, texts
from tokenizers import Tokenizer, models, pre_tokenizers

from rig.core.documents import AnnotatedDocument, Document, Units
from rig.core.errors import ModelError
from rig.metrics.alignment import align
from rig.models.base import Explanation
from rig.models.hf.load import load_model
from rig.models.hf.options import HfOptions
from rig.models.hf.spans import spans_by_offsets

torch = pytest.importorskip("torch", reason="SKIPPED: torch is not installed (pip install 'rig[hf]')")
transformers = pytest.importorskip("transformers", reason="SKIPPED: transformers is not installed")
checkpoints = pytest.importorskip("hf_checkpoints", reason="SKIPPED: torch is not installed")

LONG, SHORT = texts("test")[0], "O gato."


def loaded(directory: Path, objective: str = "causal", **options: Any) -> Any:
    return load_model(directory, objective=objective, options=HfOptions(**options))


def document(text: str, doc_id: str = "d") -> Document:
    return Document(doc_id=doc_id, text=text)


def logprob(model: Any, text: str) -> list[float]:
    return model.score([document(text)])[0].logprob.tolist()


def test_peers_03_lm_evaluation_harness_3333_bos_added_twice(llama_directory: Path) -> None:
    """A tokenizer whose post-processor adds BOS: exactly one is fed, and none is scored."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(llama_directory)
    assert tokenizer(SHORT)["input_ids"][0] == tokenizer.bos_token_id
    explanation: Explanation = loaded(llama_directory).explain(document(SHORT))
    assert (explanation.input_id == tokenizer.bos_token_id).sum() == 1
    assert explanation.input_id[0] == tokenizer.bos_token_id
    scored = loaded(llama_directory).score([document(SHORT)])[0].token_id
    assert tokenizer.bos_token_id not in scored
    assert tokenizer.eos_token_id not in {*scored.tolist(), *explanation.input_id.tolist()}


def test_peers_04_lm_evaluation_harness_1586_eos_where_bos_belongs(gpt2_directory: Path) -> None:
    """BOS is used where there is one, the rule is stated, and it matters."""
    model, wrong = loaded(gpt2_directory), loaded(gpt2_directory, bos="</s>")
    assert model.facts["bos"] == "<s> (the tokenizer's bos)"
    assert wrong.facts["bos"] == "</s> (option `bos`)"
    assert model.explain(document(SHORT)).input_id[0] == 0
    assert sum(logprob(model, SHORT)) != pytest.approx(sum(logprob(wrong, SHORT)), rel=1e-3)


@pytest.mark.parametrize(("context", "stride"), [(48, 48), (48, 24), (16, 16), (16, 3)])
def test_peers_05_lm_evaluation_harness_2467_each_token_once_whatever_the_window(
    gpt2_directory: Path, context: int, stride: int
) -> None:
    model = loaded(gpt2_directory, context=context, stride=stride)
    (scores,) = model.score([document(LONG)])
    assert scores.n_tokens == len(byte_level().encode(LONG, add_special_tokens=False).ids)
    assert (model.facts["context"], model.facts["stride"]) == (context, stride)
    # The tokens of the first window see the same whatever comes after it.
    np.testing.assert_allclose(
        scores.logprob[:16], logprob(loaded(gpt2_directory), LONG)[:16], rtol=0, atol=1e-5
    )


def test_peers_06_evaluate_332_the_21st_token_is_scored(gpt2_directory: Path) -> None:
    text = next(
        LONG[:n]
        for n in range(len(LONG))
        if len(byte_level().encode(LONG[:n], add_special_tokens=False).ids) == 21
    )
    (scores,) = loaded(gpt2_directory, context=20, stride=20).score([document(text)])
    assert scores.n_tokens == 21
    assert scores.char_end[-1] == len(text)
    assert (scores.logprob < 0).all()


def test_peers_07_evaluate_636_left_and_right_padding(gpt2_directory: Path, tmp_path: Path) -> None:
    """Lengths 3 and 30 together, with a tokenizer that pads on either side: as alone."""
    alone = [logprob(loaded(gpt2_directory, batch_size=1), text) for text in (SHORT, LONG)]
    for side in ("left", "right"):
        directory = Path(shutil.copytree(gpt2_directory, tmp_path / side))
        config = json.loads((directory / "tokenizer_config.json").read_text())
        (directory / "tokenizer_config.json").write_text(json.dumps({**config, "padding_side": side}))
        scores = loaded(directory).score([document(SHORT, "a"), document(LONG, "b")])
        for one, other in zip(scores, alone, strict=True):
            np.testing.assert_allclose(one.logprob, other, rtol=0, atol=1e-5)


@pytest.mark.parametrize("batch_size", [1, 8, 16])
def test_peers_08_mlx_lm_1855_padding_is_not_scored(causal_directory: Path, batch_size: int) -> None:
    given = [document(text, str(index)) for index, text in enumerate([*texts("test"), SHORT, "o", ""])]
    model = loaded(causal_directory, batch_size=batch_size)
    expected = {held.doc_id: logprob(loaded(causal_directory, batch_size=1), held.text) for held in given}
    for scores in model.score(given):
        assert scores.n_tokens == len(expected[scores.doc_id])
        np.testing.assert_allclose(scores.logprob, expected[scores.doc_id], rtol=0, atol=1e-5)


def test_peers_09_lm_evaluation_harness_3055_batches_in_bfloat16(gpt2_directory: Path) -> None:
    """Weights of 8 bits' precision: log-softmax in float32, and batches agree to 0.02 nats a token."""
    given = [document(text, str(index)) for index, text in enumerate([*texts("test"), SHORT])]
    models_by_size = {size: loaded(gpt2_directory, dtype="bfloat16", batch_size=size) for size in (1, 16, 32)}
    found = {size: [s.logprob for s in model.score(given)] for size, model in models_by_size.items()}
    for size in (16, 32):
        for one, other in zip(found[1], found[size], strict=True):
            assert abs(one.mean() - other.mean()) < 0.02

    network = transformers.AutoModelForCausalLM.from_pretrained(gpt2_directory, dtype=torch.bfloat16).eval()
    ids = [0, *models_by_size[1].encode([SHORT])[0].token_id.tolist()]
    with torch.no_grad():
        logits = network(torch.tensor([ids[:-1]])).logits[0]
    assert logits.dtype == torch.bfloat16
    exact = torch.log_softmax(logits.double(), -1).numpy()[np.arange(len(ids) - 1), ids[1:]]
    rounded = torch.log_softmax(logits, -1).float().numpy()[np.arange(len(ids) - 1), ids[1:]]
    np.testing.assert_allclose(found[1][-1], exact, rtol=0, atol=1e-5)
    assert np.abs(rounded - exact).max() > 1e-3  # what a log-softmax in bfloat16 would have cost


def test_peers_15_autoresearch_385_half_a_character_is_not_three_bytes(gpt2_directory: Path) -> None:
    """Bytes are those of the text, whatever its tokens decode to one by one."""
    text = "ü"
    (scores,) = loaded(gpt2_directory).score([document(text)])
    assert scores.n_tokens == 2
    assert document(text).n_bytes == 2
    assert scores.total_nats / (math.log(2) * 2) == pytest.approx(
        -sum(logprob(loaded(gpt2_directory), text)) / math.log(4)
    )
    assert list(zip(scores.char_start, scores.char_end, strict=True)) == [(0, 1), (1, 1)]


def test_peers_17_tokenizers_156_pieces_of_one_character_go_to_one_word(gpt2_directory: Path) -> None:
    """The library gives both pieces of `ü` its whole span; their sum is the word's, once."""
    text = "o mü é"
    assert byte_level().encode(text, add_special_tokens=False).offsets.count((3, 4)) == 2
    (scores,) = loaded(gpt2_directory).score([document(text)])
    edges = [0, *scores.char_end.tolist()]
    assert scores.char_start.tolist() == edges[:-1]
    units = Units(char_start=np.array([0, 2, 5]), char_end=np.array([1, 4, 6]), upos=("DET", "NOUN", "VERB"))
    alignment = align(scores, AnnotatedDocument(document=document(text), units=units))
    sums = [scores.logprob[alignment.token_unit == unit].sum() for unit in range(3)]
    assert sum(sums) == pytest.approx(-scores.total_nats)
    pieces = [text[a:b] for a, b in zip(scores.char_start, scores.char_end, strict=True)]
    word = [index for index, unit in enumerate(alignment.token_unit) if unit == 1]
    assert "".join(pieces[index] for index in word).strip() == "mü"


def llama_3(directory: Path) -> Path:
    """A tokenizer that cuts as Llama 3's does: split by a pattern, then bytes without one."""
    tokenizer = byte_level()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(pattern=r"\s?\S+|\s+", behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=False),
        ]
    )
    checkpoints.save_tokenizer(tokenizer, directory)
    return directory


def test_peers_18_tokenizers_1553_zero_width_offsets(gpt2_directory: Path, tmp_path: Path) -> None:
    """Llama 3's tokens are spelled out, so its offsets are not asked; asked, they are refused."""
    text = "Olá mundo"
    model = loaded(gpt2_directory, tokenizer=str(llama_3(tmp_path)))
    (encoding,) = model.encode([text])
    assert (encoding.char_end - encoding.char_start).sum() == len(text)
    assert encoding.char_end[0] > 0
    with pytest.raises(
        ModelError, match="document 'd': the tokenizer says that token 0 spans the characters 0 to 0"
    ):
        spans_by_offsets(text, np.array([1, 2]), [(0, 0), (6, 6)], where="document 'd'")


def test_peers_19_transformers_31437_words_without_a_pre_tokenizer(
    llama_directory: Path, tmp_path: Path
) -> None:
    """Gemma's `word_ids` are all 0: words come from spans of the text instead."""
    tokenizer = sentencepiece()
    description = json.loads(tokenizer.to_str())
    description["pre_tokenizer"] = None
    description["normalizer"] = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    gemma = Tokenizer.from_str(json.dumps(description))
    assert set(gemma.encode("o gato viu", add_special_tokens=False).word_ids) == {0}
    checkpoints.save_tokenizer(gemma, tmp_path)
    text = "o gato viu"
    (scores,) = loaded(llama_directory, tokenizer=str(tmp_path)).score([document(text)])
    units = Units(char_start=np.array([0, 2, 7]), char_end=np.array([1, 6, 10]), upos=("DET", "NOUN", "VERB"))
    alignment = align(scores, AnnotatedDocument(document=document(text), units=units))
    assert set(alignment.token_unit.tolist()) == {0, 1, 2}


def test_peers_22_minicons_51_the_first_token_is_scored(causal_directory: Path, bert_directory: Path) -> None:
    """A one-word sentence: as many scores as tokens, in a causal model and in a masked one."""
    for model in (
        loaded(causal_directory),
        loaded(causal_directory, bos="none"),
        loaded(bert_directory, "masked"),
    ):
        (scores,) = model.score([document("gato")])
        (encoding,) = model.encode(["gato"])
        assert scores.n_tokens == len(encoding) > 0
        assert (scores.logprob < 0).all()


def test_peers_23_minicons_20_word_sums_of_a_masked_model(bert_directory: Path) -> None:
    """WordPiece: every piece belongs to one word of the text, `[UNK]` too, and the kind of score is named."""
    text = "O gato 😀 viu-a."
    model = loaded(bert_directory, "masked")
    assert model.objective == "masked"
    (scores,) = model.score([document(text)])
    edges = np.array([[0, 1], [2, 6], [7, 8], [9, 14], [14, 15]]).T
    units = Units(char_start=edges[0], char_end=edges[1], upos=("DET", "NOUN", "SYM", "VERB", "PUNCT"))
    alignment = align(scores, AnnotatedDocument(document=document(text), units=units))
    assert sorted(set(alignment.token_unit.tolist())) == [0, 1, 2, 3, 4]
    sums = [scores.logprob[alignment.token_unit == unit].sum() for unit in range(5)]
    assert sum(sums) == pytest.approx(-scores.total_nats)
    assert scores.token_id[alignment.token_unit == 2].tolist() == [model.unk_id]


@pytest.mark.parametrize("batch_size", [1, 32])
def test_peers_36_sentence_transformers_2569_padding_in_a_mean(
    causal_directory: Path, bert_directory: Path, batch_size: int
) -> None:
    given = [*texts("test"), SHORT, "o"]
    for directory, objective in ((causal_directory, "causal"), (bert_directory, "masked")):
        together = loaded(directory, objective, batch_size=batch_size).embed(given, layers=[-1])
        alone = np.concatenate([loaded(directory, objective).embed([text], layers=[-1]) for text in given])
        cosine = (
            (together * alone).sum(axis=1) / np.linalg.norm(together, axis=1) / np.linalg.norm(alone, axis=1)
        )
        np.testing.assert_allclose(cosine, 1.0, rtol=0, atol=1e-6)
        np.testing.assert_allclose(together, alone, rtol=0, atol=1e-5)


def test_a_word_level_vocabulary_is_no_code_length(gpt2_directory: Path, tmp_path: Path) -> None:
    """Unknown words would be cheap: bits per character are then left empty (kenlm #67)."""
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "<s>": 1, "o": 2, "gato": 3}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    checkpoints.save_tokenizer(tokenizer, tmp_path, {"unk_token": "<unk>", "bos_token": "<s>"})
    model = loaded(gpt2_directory, tokenizer=str(tmp_path))
    assert not model.is_code_length
    assert model.score([document("o gato viu")])[0].token_id.tolist() == [2, 3, model.unk_id]

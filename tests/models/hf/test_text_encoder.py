"""Text to tokens and back, for each sort of tokenizer, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hf_tokenizers import BERT_SPECIAL, SPECIAL, byte_level, sentencepiece, texts, wordpiece
from tokenizers import Tokenizer, models, pre_tokenizers

pytest.importorskip("torch", reason="SKIPPED: torch is not installed (pip install 'rig[hf]')")
pytest.importorskip("transformers", reason="SKIPPED: transformers is not installed")

import hf_checkpoints

from rig.core.errors import ModelError
from rig.models.hf.text_encoder import TextEncoder

MADE = {"byte level": (byte_level, SPECIAL), "sentencepiece": (sentencepiece, SPECIAL),
        "wordpiece": (wordpiece, BERT_SPECIAL)}  # fmt: skip
TEXT = "O gato viu </s> a ação."


def encoder(directory: Path, name: str = "byte level") -> TextEncoder:
    make, special = MADE[name]
    return saved(directory, make(), special)


def saved(directory: Path, tokenizer: Tokenizer, special: dict[str, str] | None = None) -> TextEncoder:
    hf_checkpoints.save_tokenizer(tokenizer, directory, special)
    return TextEncoder(directory)


def spans(held: TextEncoder, text: str) -> list[str]:
    (encoding,) = held.encode([text], names=["text 0"])
    return [text[a:b] for a, b in zip(encoding.char_start, encoding.char_end, strict=True)]


@pytest.mark.parametrize("name", MADE)
def test_spans_join_to_the_text(tmp_path: Path, name: str) -> None:
    held = encoder(tmp_path, name)
    for text in [*texts("test"), TEXT, " dois  espaços\n"]:
        assert "".join(spans(held, text)) == text


@pytest.mark.parametrize("name", ["byte level", "sentencepiece"])
def test_decoding_gives_the_text_again(tmp_path: Path, name: str) -> None:
    held = encoder(tmp_path, name)
    for text in [TEXT, "😀 ▁ x", "a\n\n b "]:
        (encoding,) = held.encode([text], names=["text 0"])
        expected = f" {text}" if name == "sentencepiece" else text  # its space before the text, too
        assert held.decode(encoding.token_id) == expected.replace(
            "▁", " " if name == "sentencepiece" else "▁"
        )


def test_half_a_character_is_written_as_what_it_is(tmp_path: Path) -> None:
    held = encoder(tmp_path)
    (encoding,) = held.encode(["ü"], names=["text 0"])
    assert len(encoding) == 2
    assert held.decode(encoding.token_id[:1]) == "\ufffd"
    with pytest.raises(ModelError, match=r"token ids must lie in \[0, 400\), got 400"):
        held.decode([400])


def test_words_are_joined_as_the_tokenizers_own_decoder_does(tmp_path: Path) -> None:
    held = encoder(tmp_path, "wordpiece")
    (encoding,) = held.encode(["o gato viu"], names=["text 0"])
    assert held.decode(encoding.token_id) == "o gato viu"


def test_code_lengths_and_unknown_tokens(tmp_path: Path) -> None:
    held = {name: encoder(tmp_path / name, name) for name in MADE}
    assert {name: one.is_code_length for name, one in held.items()} == {
        "byte level": True, "sentencepiece": True, "wordpiece": False,
    }  # fmt: skip
    assert held["byte level"].unk_id is None
    assert held["wordpiece"].unk_id == held["wordpiece"].vocabulary["[UNK]"]


@pytest.mark.parametrize("name", MADE)
def test_no_special_token_is_added(tmp_path: Path, name: str) -> None:
    held = encoder(tmp_path, name)
    (encoding,) = held.encode([TEXT], names=["text 0"])
    assert not set(encoding.token_id.tolist()) & (set(held.special.id_of.values()) - {held.unk_id})


def test_truncation_padding_and_dropout_are_off(tmp_path: Path) -> None:
    expected = encoder(tmp_path / "plain").encode(texts("test"), names=["t"] * len(texts("test")))
    tokenizer = byte_level()
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=64)
    held = saved(tmp_path / "short", tokenizer)
    for one, other in zip(held.encode(texts("test"), names=["t"] * len(expected)), expected, strict=True):
        assert one.token_id.tolist() == other.token_id.tolist()

    path = tmp_path / "plain" / "tokenizer.json"
    description = json.loads(path.read_text())
    description["model"]["dropout"] = 1e-12  # seen by the loader, and harmless to the comparison with theirs
    path.write_text(json.dumps(description))
    again = TextEncoder(tmp_path / "plain")
    assert again.sha256 == encoder(tmp_path / "other").sha256


def test_the_hash_is_of_what_decides_the_tokens(tmp_path: Path) -> None:
    held = {name: encoder(tmp_path / name, name).sha256 for name in MADE}
    assert len(set(held.values())) == 3
    tokenizer = sentencepiece()
    tokenizer.post_processor = None
    assert saved(tmp_path / "without BOS", tokenizer).sha256 == held["sentencepiece"]


def test_a_text_that_becomes_a_special_token_is_refused(tmp_path: Path) -> None:
    """A word-level vocabulary holds "</s>" as a word."""
    tokenizer = Tokenizer(models.WordLevel({"<unk>": 0, "</s>": 1, "o": 2}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    held = saved(tmp_path, tokenizer, {"unk_token": "<unk>", "eos_token": "</s>"})
    assert spans(held, "o gato o") == ["o", " gato", " o"]
    with pytest.raises(ModelError) as caught:
        held.encode(["o", "o </s> o"], names=["document 'a'", "document 'b'"])
    assert str(caught.value).startswith(
        "document 'b': the tokenizer turns characters 2 to 6, '</s>', into its special token '</s>'"
    )


def test_a_vocabulary_that_drops_characters_is_refused(tmp_path: Path) -> None:
    """A byte-level BPE without every byte leaves out what it lacks, silently."""
    tokenizer = Tokenizer(models.BPE({"a": 0, "b": 1, "Ġ": 2}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    hf_checkpoints.save_tokenizer(tokenizer, tmp_path, {})
    held = TextEncoder(tmp_path)
    assert spans(held, "a b") == ["a", " ", "b"]
    with pytest.raises(ModelError, match=r"document 'x': the tokenizer drops character 2, 'z' \(U\+007A\)"):
        held.encode(["a z b"], names=["document 'x'"])


def test_a_class_that_reads_otherwise_than_the_file_is_refused(tmp_path: Path) -> None:
    """Without a tokenizer_config.json, the model type GPT-2 makes transformers put its own pipeline there."""
    sentencepiece().save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(ModelError) as caught:
        TextEncoder(tmp_path)
    assert "transformers' GPT2Tokenizer reads text otherwise than" in str(caught.value)
    assert "save the tokenizer again as it was in training" in str(caught.value)


@pytest.mark.parametrize("content", [{}, {"version": "1.0", "model": {"type": "Nothing"}}])
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path, content: dict[str, Any]) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(ModelError, match=r"tokenizer\.json' can't be read as a tokenizer"):
        TextEncoder(tmp_path)


def test_what_can_be_written_is_what_is_no_special_token(tmp_path: Path) -> None:
    held = encoder(tmp_path)
    mask = held.speakable(410)
    assert mask.sum() == 400 - len(SPECIAL)
    assert not mask[400:].any()

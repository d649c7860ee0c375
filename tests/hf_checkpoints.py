"""Tiny checkpoints with random weights, and tokenizers of each sort trained here, for tests of what loads them.

Import it after `pytest.importorskip("torch", ...)` and the same for transformers.
"""

import logging
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from rig.data.nano_pt import corpus

logging.getLogger("transformers").setLevel(logging.ERROR)

CONTEXT = 48
SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
BERT_SPECIAL = {
    "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]", "unk_token": "[UNK]",
    "pad_token": "[PAD]",
}  # fmt: skip
OPTIONS = {"n_train": 120, "n_validation": 10, "n_test": 40}


def texts(split: str) -> list[str]:
    """Texts of the embedded language."""
    return [
        " ".join(sentence.text for sentence in record.sentences)
        for record in corpus.documents(OPTIONS)
        if record.split == split
    ]


def byte_level() -> Tokenizer:
    """As GPT-2's: every byte has an entry."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=list(SPECIAL.values()),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts("train"), trainer)
    return tokenizer


def sentencepiece() -> Tokenizer:
    """As Llama 2's: a space before the text, `▁` for spaces, bytes for what the vocabulary lacks, BOS added."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=560,
        special_tokens=[*SPECIAL.values(), *(f"<0x{byte:02X}>" for byte in range(256))],
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts("train"), trainer)
    bos = tokenizer.token_to_id("<s>")
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", bos)])
    return tokenizer


def wordpiece() -> Tokenizer:
    """As BERT's, lower-casing and stripping accents."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=300, special_tokens=list(BERT_SPECIAL.values()), show_progress=False
    )
    tokenizer.train_from_iterator(texts("train"), trainer)
    return tokenizer


def save_tokenizer(tokenizer: Tokenizer, directory: Path, special: dict[str, str] | None = None) -> None:
    """Write a tokenizer as transformers does."""
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, **(SPECIAL if special is None else special)
    )
    fast.save_pretrained(directory)


def save_network(network: Any, directory: Path) -> None:
    """Write random weights, large enough that distributions are far from uniform."""
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0.0, 0.3, generator=generator)
    network.save_pretrained(directory)


def gpt2(directory: Path, **changes: Any) -> Path:
    """A GPT-2 of 2 layers with byte-level BPE."""
    tokenizer = byte_level()
    settings: dict[str, Any] = {
        "vocab_size": tokenizer.get_vocab_size(), "n_embd": 32, "n_layer": 2, "n_head": 2,
        "n_positions": CONTEXT, "bos_token_id": 0, "eos_token_id": 1,
    }  # fmt: skip
    save_network(transformers.GPT2LMHeadModel(transformers.GPT2Config(**{**settings, **changes})), directory)
    save_tokenizer(tokenizer, directory)
    return directory


def llama(directory: Path, **changes: Any) -> Path:
    """A Llama of 2 layers (rotary positions, untied head) with a SentencePiece-like tokenizer."""
    tokenizer = sentencepiece()
    settings: dict[str, Any] = {
        "vocab_size": tokenizer.get_vocab_size(), "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": CONTEXT,
        "bos_token_id": 0, "eos_token_id": 1,
    }  # fmt: skip
    network = transformers.LlamaForCausalLM(transformers.LlamaConfig(**{**settings, **changes}))
    save_network(network, directory)
    save_tokenizer(tokenizer, directory)
    return directory


def bert(directory: Path, **changes: Any) -> Path:
    """A BERT of 2 layers with a lower-casing WordPiece."""
    tokenizer = wordpiece()
    settings: dict[str, Any] = {
        "vocab_size": tokenizer.get_vocab_size(), "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": CONTEXT,
        "pad_token_id": 4,
    }  # fmt: skip
    save_network(transformers.BertForMaskedLM(transformers.BertConfig(**{**settings, **changes})), directory)
    save_tokenizer(tokenizer, directory, BERT_SPECIAL)
    return directory

"""Tiny checkpoints with random weights, for tests of what loads them.

Import it after `pytest.importorskip` of torch and of transformers.
"""

from pathlib import Path
from typing import Any

import torch
import transformers
from hf_tokenizers import BERT_SPECIAL, SPECIAL, byte_level, sentencepiece, wordpiece
from tokenizers import Tokenizer

transformers.logging.set_verbosity_error()

CONTEXT = 48


def save_tokenizer(tokenizer: Tokenizer, directory: Path, special: dict[str, str] | None = None) -> None:
    """Write a tokenizer as transformers does."""
    wrap: Any = transformers.PreTrainedTokenizerFast
    wrap(tokenizer_object=tokenizer, **(SPECIAL if special is None else special)).save_pretrained(directory)


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


def gemma2(directory: Path) -> Path:
    """A Gemma 2 of 2 layers, whose logits are capped after the head."""
    tokenizer = sentencepiece()
    config = transformers.Gemma2Config(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, head_dim=16, intermediate_size=64, max_position_embeddings=CONTEXT,
        bos_token_id=0, eos_token_id=1, final_logit_softcapping=3.0,
    )  # fmt: skip
    save_network(transformers.Gemma2ForCausalLM(config), directory)
    save_tokenizer(tokenizer, directory)
    return directory


def masked(directory: Path, make: str, **changes: Any) -> Path:
    """A masked model of some other class, with the tokenizer of `bert`."""
    tokenizer = wordpiece()
    settings: dict[str, Any] = {
        "vocab_size": tokenizer.get_vocab_size(), "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": CONTEXT,
        "pad_token_id": 4, "bos_token_id": 0, "eos_token_id": 1, "cls_token_id": 0, "sep_token_id": 1,
        "embedding_size": 32,
    }  # fmt: skip
    network: Any = getattr(transformers, make)
    save_network(network(network.config_class(**{**settings, **changes})), directory)
    save_tokenizer(tokenizer, directory, BERT_SPECIAL)
    return directory

"""Tokenizers of each sort that checkpoints come with, trained here on the embedded language."""

from collections.abc import Callable
from functools import cache, wraps

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from rig.data.nano_pt import corpus

SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
BERT_SPECIAL = {
    "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]", "unk_token": "[UNK]",
    "pad_token": "[PAD]",
}  # fmt: skip
OPTIONS = {"n_train": 120, "n_validation": 10, "n_test": 40}


def _trained_once(make: Callable[[], Tokenizer]) -> Callable[[], Tokenizer]:
    """Train at the first call; every call gives a copy of its own."""
    trained = cache(lambda: make().to_str())
    return wraps(make)(lambda: Tokenizer.from_str(trained()))


@cache
def texts(split: str) -> tuple[str, ...]:
    """Texts of the embedded language."""
    return tuple(
        " ".join(sentence.text for sentence in record.sentences)
        for record in corpus.documents(OPTIONS)
        if record.split == split
    )


@_trained_once
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


@_trained_once
def sentencepiece() -> Tokenizer:
    """As Llama 2's: a space before the text, `▁` for spaces, bytes for what is left, and it adds BOS."""
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


@_trained_once
def wordpiece() -> Tokenizer:
    """As BERT's: lower-casing, stripping accents, adding CLS and SEP."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=300, special_tokens=list(BERT_SPECIAL.values()), show_progress=False
    )
    tokenizer.train_from_iterator(texts("train"), trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    return tokenizer

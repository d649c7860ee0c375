"""Byte-level byte-pair encoding, trained in memory by the `tokenizers` library.

The library cuts text into words with GPT-2's pattern, writes each byte as one printable character, and
learns merges; ties go to the lower pair of ids, so training is deterministic. We take its ids, and derive
spans from bytes ourselves: its own offsets give each piece of a split character the whole character.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import Self, final

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

from rig.core.errors import ConfigError
from rig.core.fingerprint import fingerprint
from rig.models.tokenizer import AbstractTokenizer, Encoding, check_ids, utf8

_N_BYTES = 256
_FIRST_PIECE_ID = 1  # after BOS
_PARALLELISM = "TOKENIZERS_PARALLELISM"


@final
class BpeTokenizer(AbstractTokenizer):
    """Byte-level BPE: every text has an encoding, and its bytes come back exactly.

    `vocab_size` is what was learned; on a small text it can be less than what was asked for.
    """

    def __init__(self, model: Tokenizer) -> None:
        self._model = model
        vocabulary = model.get_vocab()
        pieces = sorted(vocabulary, key=lambda piece: vocabulary[piece])
        byte_of = _byte_of_character()
        spoken = [bytes(byte_of[character] for character in piece) for piece in pieces]
        self._bytes: tuple[bytes, ...] = (b"", *spoken)
        self._n_bytes = np.array([len(piece) for piece in self._bytes], dtype=np.int64)
        self.vocab_size = len(self._bytes)
        self.tokens = (None, *(_whole_text(piece) for piece in spoken))
        merges = json.loads(model.to_str())["model"]["merges"]
        self.sha256 = fingerprint({"type": "bpe", "pieces": pieces, "merges": merges})

    @classmethod
    def train(cls, texts: Sequence[str], *, vocab_size: int) -> Self:  # noqa: D102
        smallest = _N_BYTES + _FIRST_PIECE_ID
        if vocab_size < smallest:
            raise ConfigError(
                f"`tokenizer.vocab_size` must be at least {smallest} for type 'bpe' (256 bytes and BOS), "
                f"got {vocab_size}"
            )
        for text in texts:
            utf8(text)
        model = Tokenizer(BPE())
        model.pre_tokenizer = ByteLevel(add_prefix_space=False, use_regex=True)
        trainer = BpeTrainer(
            vocab_size=vocab_size - _FIRST_PIECE_ID,
            initial_alphabet=sorted(_byte_of_character()),
            special_tokens=[],
            show_progress=False,
        )
        with _single_threaded():
            model.train_from_iterator(texts, trainer=trainer)
        return cls(model)

    def encode(self, text: str) -> Encoding:  # noqa: D102
        data = utf8(text)
        pieces = self._model.encode(text, add_special_tokens=False).ids
        token_id = np.array(pieces, dtype=np.int64) + _FIRST_PIECE_ID
        return Encoding.from_byte_pieces(data, token_id, self._n_bytes[token_id])

    def decode(self, ids: Sequence[int] | npt.NDArray[np.int64]) -> str:  # noqa: D102
        array = check_ids(ids, self.vocab_size)
        return b"".join(self._bytes[index] for index in array.tolist()).decode(errors="replace")

    def extra_nats(self, text: str, encoding: Encoding) -> npt.NDArray[np.float64]:  # noqa: D102
        return np.zeros(len(encoding))


def _byte_of_character() -> dict[str, int]:
    """The byte that each of the library's 256 printable characters stands for (GPT-2's table).

    Printable Latin-1 characters stand for themselves; the other bytes, in order, for U+0100 onwards.
    """
    themselves = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), 256)]
    others = [byte for byte in range(_N_BYTES) if byte not in themselves]
    table = {chr(byte): byte for byte in themselves}
    return table | {chr(_N_BYTES + index): byte for index, byte in enumerate(others)}


def _whole_text(piece: bytes) -> str | None:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None


@contextlib.contextmanager
def _single_threaded() -> Iterator[None]:
    """One thread for the library: cells already fill the cores, and a later fork stays safe."""
    before = os.environ.get(_PARALLELISM)
    os.environ[_PARALLELISM] = "false"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_PARALLELISM]
        else:
            os.environ[_PARALLELISM] = before

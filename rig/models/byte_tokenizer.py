"""Bytes as tokens: 256 of them and BOS. Nothing is learned and nothing is unknown."""

from collections.abc import Sequence
from typing import Self, final

import numpy as np
import numpy.typing as npt

from rig.core.errors import ConfigError
from rig.core.fingerprint import fingerprint
from rig.models.tokenizer import AbstractTokenizer, Encoding, check_ids, utf8

_FIRST_BYTE_ID = 1
_VOCAB_SIZE = 256 + _FIRST_BYTE_ID


@final
class ByteTokenizer(AbstractTokenizer):
    """One token a UTF-8 byte; byte b has the id b + 1."""

    def __init__(self) -> None:
        self.vocab_size = _VOCAB_SIZE
        ascii_tokens = tuple(chr(byte) for byte in range(128))
        self.tokens = (None, *ascii_tokens, *(None for _ in range(128)))
        self.sha256 = fingerprint({"type": "byte"})

    @classmethod
    def train(cls, texts: Sequence[str], *, vocab_size: int) -> Self:  # noqa: D102
        if vocab_size != _VOCAB_SIZE:
            raise ConfigError(
                f"`tokenizer.vocab_size` must be {_VOCAB_SIZE} for type 'byte' (256 bytes and BOS), "
                f"got {vocab_size}"
            )
        for text in texts:
            utf8(text)
        return cls()

    def encode(self, text: str) -> Encoding:  # noqa: D102
        data = utf8(text)
        token_id = np.frombuffer(data, dtype=np.uint8).astype(np.int64) + _FIRST_BYTE_ID
        return Encoding.from_byte_pieces(data, token_id, np.ones(len(data), dtype=np.int64))

    def decode(self, ids: Sequence[int] | npt.NDArray[np.int64]) -> str:  # noqa: D102
        array = check_ids(ids, self.vocab_size)
        data = bytes((array[array != self.bos_id] - _FIRST_BYTE_ID).tolist())
        return data.decode(errors="replace")

    def extra_nats(self, text: str, encoding: Encoding) -> npt.NDArray[np.float64]:  # noqa: D102
        return np.zeros(len(encoding))

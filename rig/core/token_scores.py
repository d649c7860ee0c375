"""What a model says of one text: a log-probability for each of its tokens, with the characters it spans.

This is all that a likelihood metric may look at.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TokenScores:
    """Token scores of one document, in text order.

    The spans tile the document: the first begins at 0, each begins where the one before it ended, the last
    ends at `n_chars`. Of the pieces of one character the first spans it; the later ones are empty, at its
    end. BOS is given and never scored, EOS is not scored.
    """

    doc_id: str
    token_id: npt.NDArray[np.int64]
    """(n_tokens,) vocabulary index."""
    char_start: npt.NDArray[np.int64]
    """(n_tokens,) first code point."""
    char_end: npt.NDArray[np.int64]
    """(n_tokens,) one past the last code point."""
    logprob: npt.NDArray[np.float64]
    """(n_tokens,) natural logarithm of the probability given all before it; finite, <= 0."""
    n_chars: int
    """Code points of the document's text."""

    def __post_init__(self) -> None:
        n_tokens = len(self.logprob)
        if not len(self.token_id) == len(self.char_start) == len(self.char_end) == n_tokens:
            raise ModelError(f"{self._where}: token ids, spans and log-probabilities must have equal lengths")
        if self.logprob.dtype != np.float64:
            raise ModelError(f"{self._where}: log-probabilities must be float64, got {self.logprob.dtype}")
        self._check_tiling()
        bad = np.flatnonzero(~np.isfinite(self.logprob) | (self.logprob > 0))
        if bad.size:
            raise ModelError(
                f"{self._where}: a log-probability must be finite and <= 0, got {self.logprob[bad[0]]} "
                f"at token {bad[0]} ({bad.size} such tokens); check the model's logits"
            )

    def _check_tiling(self) -> None:
        edges = np.concatenate([[0], self.char_end])
        gaps = np.flatnonzero(self.char_start != edges[:-1])
        if gaps.size:
            raise ModelError(
                f"{self._where}: spans must tile the text, but token {gaps[0]} begins at "
                f"{self.char_start[gaps[0]]} where {edges[gaps[0]]} was due"
            )
        if (np.diff(edges) < 0).any() or edges[-1] != self.n_chars:
            raise ModelError(
                f"{self._where}: spans must cover all {self.n_chars} characters once, "
                f"but they end at {edges[-1]}"
            )

    @property
    def _where(self) -> str:
        return f"document '{self.doc_id}'"

    @property
    def n_tokens(self) -> int:
        """Scored tokens."""
        return len(self.logprob)

    @property
    def total_nats(self) -> float:
        """Negative log-probability of the whole text, nats, >= 0."""
        return float(-self.logprob.sum(dtype=np.float64))

"""What a masked model makes of the hidden tokens of one text: all that masked accuracy may look at."""

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MaskedTokens:
    """The selected tokens of one document, in text order; each was hidden when it was predicted."""

    doc_id: str
    position: npt.NDArray[np.int64]
    """(n_selected,) place among the document's tokens, strictly ascending."""
    token_id: npt.NDArray[np.int64]
    """(n_selected,) the original."""
    predicted: npt.NDArray[np.int64]
    """(n_selected,) the vocabulary index with the highest logit, of equals the lowest."""
    logprob: npt.NDArray[np.float64]
    """(n_selected,) natural logarithm of the original's probability; finite, <= 0."""

    def __post_init__(self) -> None:
        lengths = {len(self.position), len(self.token_id), len(self.predicted), len(self.logprob)}
        if len(lengths) > 1:
            raise ModelError(f"{self._where}: positions, originals and predictions must have equal lengths")
        if (np.diff(self.position) <= 0).any() or (self.position < 0).any():
            raise ModelError(f"{self._where}: the positions of hidden tokens must be ascending")
        bad = np.flatnonzero(~np.isfinite(self.logprob) | (self.logprob > 0))
        if bad.size:
            raise ModelError(
                f"{self._where}: a log-probability must be finite and <= 0, got {self.logprob[bad[0]]} "
                f"at hidden token {self.position[bad[0]]} ({bad.size} such tokens); check the model's logits"
            )

    @property
    def _where(self) -> str:
        return f"document '{self.doc_id}'"


def no_masked_tokens(doc_id: str) -> MaskedTokens:
    """Of a document that had no token selected."""
    none = np.zeros(0, np.int64)
    return MaskedTokens(doc_id=doc_id, position=none, token_id=none, predicted=none, logprob=np.zeros(0))

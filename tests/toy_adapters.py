"""A right adapter without torch, over any model that explains itself, whose parts a test makes wrong."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rig.core.documents import Document
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel, Explains, Explanation

Rows = npt.NDArray[np.floating[Any]]
Ids = npt.NDArray[np.int64]


def _same(value: Any) -> Any:
    return value


class Toy(AbstractLanguageModel):
    """Scores read from the distributions of `inner`.

    Args:
        inner: A right model.
        rows: What is done to the distributions of a text, before scores are read from them.
        scores: What is done to the scores of a text, after.
        inputs: What is done to the input of a text.
        eos_id: Declared.
    """

    def __init__(
        self,
        inner: AbstractLanguageModel,
        *,
        rows: Callable[[Rows], Rows] = _same,
        scores: Callable[[Rows], Rows] = _same,
        inputs: Callable[[Ids], Ids] = _same,
        eos_id: int | None = None,
    ) -> None:
        assert isinstance(inner, Explains)
        self._inner, self._explain = inner, inner.explain
        self._rows, self._scores, self._inputs, self._eos_id = rows, scores, inputs, eos_id

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        found = []
        for document, right in zip(documents, self._inner.score(documents), strict=True):
            rows = self._read(document)
            logprob = self._scores(rows[np.arange(right.n_tokens), right.token_id].astype(np.float64))
            found.append(dataclasses.replace(right, logprob=logprob))
        return found

    def explain(self, document: Document) -> Explanation:
        right = self._explain(document)
        return Explanation(
            input_id=self._inputs(right.input_id),
            bos_id=right.bos_id,
            eos_id=self._eos_id,
            logprob=self._rows(right.logprob),
        )

    def _read(self, document: Document) -> Rows:
        """The distributions that scores are read from."""
        return self.explain(document).logprob

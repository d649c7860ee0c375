"""The texts that a model is asked, and its answers, each asked for once.

Texts are cut from documents that the model should know: short ones of mixed lengths, pairs that begin alike
and go on differently, and one long text. They are cut by characters at spaces, so the same documents give
the same texts to every model.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from rig.core.documents import Document
from rig.core.errors import ModelError
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel, Explains, Explanation

_LENGTHS = (96, 24, 72, 48, 12, 84)
"""Characters of the short texts: unequal, so that a batch has padding, and short enough for one window."""
_N_TEXTS = {False: 6, True: 24}
_N_PAIRS = {False: 3, True: 12}
_PREFIX, _TAIL = 40, 40
_LONG = {("causal", False): 1_200, ("causal", True): 12_000, ("masked", False): 400, ("masked", True): 3_000}
"""Characters of the long text; a masked model reads it once a token."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two texts that begin alike and go on differently."""

    one: Document
    other: Document
    n_common: int
    """Characters that both begin with."""


@final
class Probe:
    """A model under audit and what it says of the texts. Nothing is computed before a check asks for it.

    Args:
        model: To be checked.
        documents: Texts that it should know; where it has no scores for other texts, those that it has.
        thorough: More and longer texts.
    """

    def __init__(
        self, model: AbstractLanguageModel, documents: Sequence[Document], *, thorough: bool
    ) -> None:
        self.model = model
        self._thorough = thorough
        self._given = [document for document in documents if document.text.strip()][: _N_TEXTS[thorough]]
        self.documents = self._short() if model.scores_any_text else self._given

    @cached_property
    def scores(self) -> list[TokenScores]:
        """Of each text, scored alone."""
        return [self.score_alone(document) for document in self.documents]

    @cached_property
    def together(self) -> list[TokenScores]:
        """Of each text, scored in one batch."""
        return self.score_together(self.documents)

    @cached_property
    def explanations(self) -> list[Explanation]:
        """Of each text, in the same order."""
        return [self.explain(document) for document in self.documents]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Texts with a common beginning."""
        found = []
        for index, document in enumerate(self._given[: _N_PAIRS[self._thorough]]):
            text, following = document.text.strip(), self._given[(index + 1) % len(self._given)].text.split()
            prefix = _cut(text, min(_PREFIX, 2 * len(text) // 3))
            own = text[len(prefix) :]
            other = f" {' '.join(reversed(following))}"[:_TAIL].rstrip()
            one = _text(f"pair {index}, one", prefix + own[:_TAIL])
            two = _text(f"pair {index}, other", prefix + other)
            if prefix and one.text != two.text:
                found.append(Pair(one=one, other=two, n_common=_n_common(one.text, two.text)))
        return found

    @cached_property
    def long_document(self) -> Document:
        """The documents joined, longer than the usual windows."""
        if not self.model.scores_any_text:
            return max(self._given, key=lambda document: document.n_chars)
        least = _LONG[self.model.objective, self._thorough]
        pieces: list[str] = []
        n_chars = 0
        for document in itertools.cycle(self._given):
            pieces.append(document.text.strip())
            n_chars += len(pieces[-1]) + 1
            if n_chars >= least:
                break
        return _text("long", _cut(" ".join(pieces), least))

    def score_alone(self, document: Document) -> TokenScores:
        """The scores of one text in a batch of its own.

        Raises:
            ModelError: They are another text's, or not of one text.
        """
        return self.score_together([document])[0]

    def score_together(self, documents: Sequence[Document]) -> list[TokenScores]:
        """The scores of some texts in one call.

        Raises:
            ModelError: They are not these texts' in order.
        """
        scores = self.model.score(documents)
        asked = [(document.doc_id, document.n_chars) for document in documents]
        got = [(of_one.doc_id, of_one.n_chars) for of_one in scores]
        if got != asked:
            raise ModelError(
                f"`score` must give one TokenScores for each document, in order: asked for {asked[:3]}, got "
                f"{got[:3]} (doc_id, n_chars)"
            )
        return scores

    def explain(self, document: Document) -> Explanation:
        """How the model comes to its scores of a text.

        Raises:
            ModelError: The model can't say.
        """
        if not isinstance(self.model, Explains):
            raise ModelError("the model has no `explain`")
        return self.model.explain(document)

    def _short(self) -> list[Document]:
        return [
            _text(f"text {index}", _cut(document.text.strip(), _LENGTHS[index % len(_LENGTHS)]))
            for index, document in enumerate(self._given)
        ]


def mean_nats(scores: Sequence[TokenScores]) -> float:
    """Cross-entropy of some texts, nats per token; they hold at least one token."""
    return sum(of_one.total_nats for of_one in scores) / sum(of_one.n_tokens for of_one in scores)


def shared_tokens(one: TokenScores, other: TokenScores, *, n_chars: int) -> int:
    """How many first tokens two texts have in common that lie wholly in their first `n_chars` characters."""
    n_tokens = min(one.n_tokens, other.n_tokens)
    is_equal = (
        (one.token_id[:n_tokens] == other.token_id[:n_tokens])
        & (one.char_end[:n_tokens] == other.char_end[:n_tokens])
        & (one.char_end[:n_tokens] <= n_chars)
    )
    differing = np.flatnonzero(~is_equal)
    return int(differing[0]) if differing.size else n_tokens


def _cut(text: str, n_chars: int) -> str:
    """The first `n_chars` characters, without the word that the cut would split, unless there is no other."""
    if len(text) <= n_chars:
        return text
    head = text[: n_chars + 1]
    space = head.rfind(" ")
    return text[:n_chars] if space <= 0 else head[:space].rstrip()


def _n_common(one: str, other: str) -> int:
    return next(
        (index for index, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def _text(name: str, text: str) -> Document:
    return Document(doc_id=f"audit: {name}", text=text)

"""The texts that a model is asked, and its answers, each asked for once.

Texts are cut from documents that the model should know: short ones of mixed lengths, pairs that begin alike
and go on differently, and long ones. They are cut by characters at spaces, so the same documents give the
same texts to every model.
"""

import itertools
import unicodedata
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
_COMMON_SHARE = 0.8
"""Of the long text, what other long texts begin with, too."""
_LATE_PREFIX = 360
"""Characters before two texts part late. With the tail about 400, of which `explain` shows all."""
_PASSAGE = 200
"""Characters of the passage that is scored early and late."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two texts that begin alike and go on differently."""

    one: Document
    other: Document
    n_common: int
    """Characters that both begin with."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LateTexts:
    """A passage, and two texts that end with it."""

    passage: Document
    after_like: Document
    """After other documents, without a sentence of its own."""
    after_noise: Document
    """After the same documents, read backwards."""
    n_chars_before: int
    """Characters before the passage in either."""


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
        self._all = [document for document in documents if document.text.strip()]
        self._given = self._all[: _N_TEXTS[thorough]]
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
    def explained(self) -> list[tuple[TokenScores, Explanation]]:
        """Of each text, and of a longer one if the model explains such, its scores and their explanation."""
        short = [
            (of_one, self.explain(text)) for of_one, text in zip(self.scores, self.documents, strict=True)
        ]
        if self._late_explanation is None or self.late_pair is None:
            return short
        return [*short, (self.score_alone(self.late_pair.one), self._late_explanation)]

    @cached_property
    def parting_pairs(self) -> list[Pair]:
        """The pairs whose distributions are compared: also the one that parts late, if it is explained."""
        late = [] if self.late_pair is None or self._late_explanation is None else [self.late_pair]
        return self.pairs + late

    @cached_property
    def pairs(self) -> list[Pair]:
        """Texts with a common beginning."""
        pairs = (
            _pair(
                f"pair {index}",
                document.text.strip(),
                self._given[(index + 1) % len(self._given)].text,
                n_prefix=min(_PREFIX, 2 * len(document.text.strip()) // 3),
            )
            for index, document in enumerate(self._given[: _N_PAIRS[self._thorough]])
        )
        return [pair for pair in pairs if pair is not None]

    @cached_property
    def late_pair(self) -> Pair | None:
        """Two texts that part late; None where that can't be."""
        if not self._given or not self.model.scores_any_text:
            return None
        text = _joined(self._given, _LATE_PREFIX + _TAIL)
        return _pair("late pair", text, self._given[-1].text, n_prefix=_LATE_PREFIX)

    @cached_property
    def long_document(self) -> Document:
        """The documents joined, longer than the usual windows."""
        return _text("long", _joined(self._given, _LONG[self.model.objective, self._thorough]))

    @cached_property
    def long_scores(self) -> TokenScores:
        """Of the long text, alone."""
        return self.score_alone(self.long_document)

    @cached_property
    def same_beginnings(self) -> list[tuple[Document, int, str]]:
        """Texts that begin as the long one does, for how many characters, and what is done to it."""
        whole = self.long_document.text
        beginning = _cut(whole, int(_COMMON_SHARE * len(whole)))
        tail = " ".join(reversed(whole[len(beginning) :].split()))
        changed = _text("long, other end", f"{beginning} {tail}")
        return [
            (changed, _n_common(whole, changed.text), "only later text changes"),
            (_text("long, beginning", beginning), len(beginning), "the rest is cut off"),
        ]

    @cached_property
    def late_texts(self) -> LateTexts | None:
        """A passage alone and late; None where there is no second document to stand before it."""
        if len(self._all) < 2:
            return None
        n_passage = 1
        while n_passage < len(self._all) - 1 and sum(d.n_chars for d in self._all[:n_passage]) < _PASSAGE:
            n_passage += 1
        passage = _cut(" ".join(document.text.strip() for document in self._all[:n_passage]), _PASSAGE)
        before = _joined(self._all[n_passage:], _LONG[self.model.objective, self._thorough])
        noise = unicodedata.normalize("NFC", before[::-1])
        return LateTexts(
            passage=_text("passage", passage),
            after_like=_text("passage after text like it", f"{before} {passage}"),
            after_noise=_text("passage after noise", f"{noise} {passage}"),
            n_chars_before=len(before),
        )

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

    @cached_property
    def _late_explanation(self) -> Explanation | None:
        """None if the model explains no text of this length: it need not, beyond one window."""
        if self.late_pair is None:
            return None
        try:
            return self.explain(self.late_pair.one)
        except Exception:  # noqa: BLE001  (an adapter can raise anything)
            return None

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


def _joined(documents: Sequence[Document], n_chars: int) -> str:
    """The documents one after the other, over and over, cut to `n_chars` characters."""
    pieces: list[str] = []
    n_joined = 0
    for document in itertools.cycle(documents):
        pieces.append(document.text.strip())
        n_joined += len(pieces[-1]) + 1
        if n_joined > n_chars:
            break
    return _cut(" ".join(pieces), n_chars)


def _pair(name: str, text: str, following: str, *, n_prefix: int) -> Pair | None:
    """A text's beginning with its own tail and with another text's, word by word backwards; None if equal."""
    prefix = _cut(text, n_prefix)
    own = text[len(prefix) :]
    other = f" {' '.join(reversed(following.split()))}"[:_TAIL].rstrip()
    one, two = _text(f"{name}, one", prefix + own[:_TAIL]), _text(f"{name}, other", prefix + other)
    if not prefix or one.text == two.text:
        return None
    return Pair(one=one, other=two, n_common=_n_common(one.text, two.text))


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

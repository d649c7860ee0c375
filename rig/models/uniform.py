"""The family `uniform`: every token is equally likely, so perplexity is the vocabulary size, exactly.

The floor of every table, and a check of the rig itself: any other perplexity here is a fault of the rig.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, final

import numpy as np

from rig.core.documents import Document
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractKind, AbstractLanguageModel, Explanation, Fit, Progress, TrainingText
from rig.models.sampling import Probabilities, continue_texts
from rig.models.tokenizer import AbstractTokenizer, train_tokenizer
from rig.models.unseeded import unseeded_options


@final
class UniformModel(AbstractLanguageModel):
    """Each of the vocabulary's V ids, BOS included, has probability 1 / V: ln V nats a token.

    A tokenizer with unknown words adds their spelling, and its perplexity is then above V.
    """

    def __init__(self, tokenizer: AbstractTokenizer) -> None:
        self.unk_id = tokenizer.unk_id
        self._tokenizer = tokenizer

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:  # noqa: D102
        return [self._score(document) for document in documents]

    def explain(self, document: Document) -> Explanation:
        """How `score` comes to a document's scores, as `rig.models.base.Explains` defines it."""
        token_id, bos_id = self._tokenizer.encode(document.text).token_id, self._tokenizer.bos_id
        shape = len(token_id), self._tokenizer.vocab_size
        return Explanation(
            input_id=np.concatenate([np.array([bos_id]), token_id])[: len(token_id)],
            bos_id=bos_id,
            eos_id=None,
            logprob=np.full(shape, -math.log(self._tokenizer.vocab_size)),
        )

    def generate(
        self,
        prompts: Sequence[str],
        *,
        n_tokens: int,
        temperature: float,
        top_p: float,
        rngs: Sequence[np.random.Generator],
    ) -> list[str]:
        """Continuations as `rig.models.base.Generates` defines them; the prompts don't matter."""
        return continue_texts(
            self._next_probabilities,
            self._tokenizer,
            prompts,
            n_tokens=n_tokens,
            temperature=temperature,
            top_p=top_p,
            rngs=rngs,
        )

    def _next_probabilities(self, ids: Sequence[int]) -> Probabilities:
        return np.full(self._tokenizer.vocab_size, 1 / self._tokenizer.vocab_size)

    def _score(self, document: Document) -> TokenScores:
        encoding = self._tokenizer.encode(document.text)
        nats = math.log(self._tokenizer.vocab_size) + self._tokenizer.extra_nats(document.text, encoding)
        return encoding.scored(document, -nats)


@final
class UniformKind(AbstractKind):
    """No options. Only its tokenizer looks at the training text."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        unseeded_options(config, known=())
        self._tokenizer_config = config["tokenizer"]

    def fit(self, text: TrainingText, *, seed: int, out: Path, progress: Progress) -> Fit:  # noqa: D102
        tokenizer = train_tokenizer(self._tokenizer_config, [document.text for document in text.train])
        facts = {"vocab_size": tokenizer.vocab_size, "tokenizer_sha256": tokenizer.sha256}
        return Fit(model=UniformModel(tokenizer), train_tokens=0, facts=facts)

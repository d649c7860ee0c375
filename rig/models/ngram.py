"""The family `ngram`: an interpolated Kneser-Ney model, the classical yardstick beside trained ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, final

import numpy as np

from rig.core.documents import Document
from rig.core.errors import ConfigError
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractKind, AbstractLanguageModel, Explanation, Fit, Progress, TrainingText
from rig.models.kneser_ney import KneserNey
from rig.models.sampling import continue_texts
from rig.models.tokenizer import AbstractTokenizer, train_tokenizer
from rig.models.unseeded import unseeded_options

_DEFAULT_ORDER = 3
_MAX_ORDER = 10


@final
class NgramModel(AbstractLanguageModel):
    """Scores every document from its BOS; only the last `order` - 1 tokens matter, so none needs windows."""

    def __init__(self, tokenizer: AbstractTokenizer, counts: KneserNey) -> None:
        self.unk_id = tokenizer.unk_id
        self.n_params = sum(counts.n_grams)
        self._tokenizer = tokenizer
        self._counts = counts

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:  # noqa: D102
        return [self._score(document) for document in documents]

    def explain(self, document: Document) -> Explanation:
        """How `score` comes to a document's scores, as `rig.models.base.Explains` defines it."""
        encoding = self._tokenizer.encode(document.text)
        inputs = [self._tokenizer.bos_id, *encoding.token_id.tolist()][: len(encoding)]
        probability = np.zeros((len(encoding), self._tokenizer.vocab_size))
        for index in range(len(encoding)):
            probability[index] = self._counts.next_probabilities(inputs[: index + 1])
        with np.errstate(divide="ignore"):  # BOS has probability 0
            logprob = np.log(probability)
        return Explanation(
            input_id=np.array(inputs, np.int64), bos_id=self._tokenizer.bos_id, eos_id=None, logprob=logprob
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
        """Continuations as `rig.models.base.Generates` defines them."""
        return continue_texts(
            self._counts.next_probabilities,
            self._tokenizer,
            prompts,
            n_tokens=n_tokens,
            temperature=temperature,
            top_p=top_p,
            rngs=rngs,
        )

    def _score(self, document: Document) -> TokenScores:
        encoding = self._tokenizer.encode(document.text)
        spelling = self._tokenizer.extra_nats(document.text, encoding)
        return encoding.scored(document, self._counts.logprob(encoding.token_id) - spelling)


@final
class NgramKind(AbstractKind):
    """Counts once, whatever the seed.

    Options: `order`, the longest n-gram (default 3); `discounts`, one in (0, 1) for each order from 1 up
    (default: estimated from the counts).
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        options = unseeded_options(config, known=("order", "discounts"))
        name = config["kind"]["name"]
        self._order = _checked_order(options.get("order", _DEFAULT_ORDER), name)
        self._discounts = _checked_discounts(options.get("discounts"), self._order, name)
        self._tokenizer_config = config["tokenizer"]

    def fit(self, text: TrainingText, *, seed: int, out: Path, progress: Progress) -> Fit:  # noqa: D102
        texts = [document.text for document in text.train]
        tokenizer = train_tokenizer(self._tokenizer_config, texts)
        documents = [tokenizer.encode(text).token_id for text in texts]
        counts = KneserNey.count(
            documents,
            order=self._order,
            vocab_size=tokenizer.vocab_size,
            bos_id=tokenizer.bos_id,
            discounts=self._discounts,
        )
        facts = {
            "vocab_size": tokenizer.vocab_size,
            "tokenizer_sha256": tokenizer.sha256,
            "order": self._order,
            "discounts": list(counts.discounts),
            "n_grams": list(counts.n_grams),
        }
        train_tokens = sum(len(ids) for ids in documents)
        return Fit(model=NgramModel(tokenizer, counts), train_tokens=train_tokens, facts=facts)


def _checked_order(order: object, name: str) -> int:
    if not isinstance(order, int) or isinstance(order, bool) or not 1 <= order <= _MAX_ORDER:
        raise ConfigError(f"`order` of kind '{name}' must be an integer in [1, {_MAX_ORDER}], got {order!r}")
    return order


def _checked_discounts(discounts: object, order: int, name: str) -> list[float] | None:
    if discounts is None:
        return None
    numbers = list(discounts) if isinstance(discounts, Sequence) and not isinstance(discounts, str) else []
    in_range = all(isinstance(value, float) and 0 < value < 1 for value in numbers)
    if len(numbers) != order or not in_range:
        raise ConfigError(
            f"`discounts` of kind '{name}' must be {order} numbers in (0, 1), one for each order from 1 up, "
            f"got {discounts!r}"
        )
    return numbers

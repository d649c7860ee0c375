"""The interface of a model and of a kind: what a user writes to put their own model in.

A kind, given training text and a seed, yields a model. A model scores texts; generation and embeddings are
optional, and a task that needs one says so by name when it is missing.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, final, runtime_checkable

import numpy as np
import numpy.typing as npt

from rig.core.documents import Document
from rig.core.errors import ModelError
from rig.core.token_scores import TokenScores

Objective = Literal["causal", "masked"]


class AbstractLanguageModel(ABC):
    """A model that gives each token of a text a probability."""

    objective: Objective = "causal"
    """Whether a token is predicted from what precedes it, or from both sides."""
    unk_id: int | None = None
    """The vocabulary index of the unknown token, if there is one."""
    is_code_length: bool = True
    """False if an unknown token is not charged its spelling: bits per character are then undefined."""
    n_params: int = 0
    """Trained parameters."""

    @abstractmethod
    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        """Token scores of each document, in order, independent of how documents are batched.

        BOS is given and not scored, EOS is not scored, each character is scored exactly once.
        """


@runtime_checkable
class Generates(Protocol):
    """A model that continues a text."""

    def generate(
        self,
        prompts: Sequence[str],
        *,
        n_tokens: int,
        temperature: float,
        top_p: float,
        rngs: Sequence[np.random.Generator],
    ) -> list[str]:
        """The continuation of each prompt (without the prompt), `n_tokens` tokens long.

        Each prompt draws from its own generator, so the batch size changes nothing. Past the model's context
        the last tokens slide after BOS.
        """


@runtime_checkable
class Embeds(Protocol):
    """A model whose states can be read."""

    def embed(self, texts: Sequence[str], *, layers: Sequence[int]) -> npt.NDArray[np.float64]:
        """Mean over a text's tokens (no BOS, no padding) of the states after each of `layers`, averaged.

        Layer 0 is the input embedding, -1 the last. Returns (n_texts, d_model); a text's row is the same
        alone and in a batch.
        """


class Progress(Protocol):
    """Called by `fit` now and then."""

    def __call__(self, *, step: int, n_steps: int, loss: float) -> None:
        """`loss` is the training loss of this step, nats per token; finite."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingText:
    """What a kind may learn from. Test documents are not in here, by construction."""

    train: tuple[Document, ...]
    validation: tuple[Document, ...]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A trained or loaded model, with what a fair comparison needs to know of its making."""

    model: AbstractLanguageModel
    train_tokens: int
    """Tokens trained on, repeats counted; 0 for a model without training."""
    facts: Mapping[str, Any]
    """Stated in the report: vocabulary size, tokenizer hash, final losses. Hashable by `fingerprint`."""


class DivergedError(ModelError):
    """Training left the finite numbers. A finished outcome for a sweep, a failed seed for a comparison."""


class AbstractKind(ABC):
    """A recipe: given training text and a seed, a model.

    Built from the cell's resolved config, it checks its own options there and then.
    """

    @abstractmethod
    def __init__(self, config: Mapping[str, Any]) -> None:
        """Read `config["kind"]["options"]` and the groups it needs (`model`, `tokenizer`, `train`, `score`).

        Raises:
            ConfigError: An option is unknown or out of range.
        """

    @abstractmethod
    def fit(self, text: TrainingText, *, seed: int, out: Path, progress: Progress) -> Fit:
        """Train or load. May write files (weights, curves) under `out`, an existing empty folder.

        Raises:
            DivergedError: The loss became infinite or NaN.
        """

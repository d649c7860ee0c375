"""The interface of a model and of a kind: what a user writes to put their own model in.

A kind, given training text and a seed, yields a model. A model scores texts (a causal one), or fills masks
(a masked one). Generation, embeddings and an explanation of its scores are optional: a task or a check that
needs one says so by name when it is missing. docs/adapters.md shows a whole adapter in thirty lines.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Protocol, final, runtime_checkable

import numpy as np
import numpy.typing as npt

from rig.core.documents import Document
from rig.core.errors import ModelError
from rig.core.token_scores import TokenScores
from rig.models.tokenizer import Encoding

Objective = Literal["causal", "masked"]


class AbstractLanguageModel(ABC):
    """A model that gives each token of a text a probability."""

    objective: Objective = "causal"
    """Whether a token is predicted from what precedes it, or from both sides; a masked one `FillsMasks`."""
    scores_any_text: bool = True
    """False for scores that were computed elsewhere: only the held-out documents have some."""
    unk_id: int | None = None
    """The vocabulary index of the unknown token, if there is one."""
    is_code_length: bool = True
    """False if an unknown token is not charged its spelling: bits per character are then undefined."""
    n_params: int = 0
    """Trained parameters."""
    facts: Mapping[str, Any] = MappingProxyType({})
    """What a loaded model says of itself, for whoever makes its `Fit`."""

    @abstractmethod
    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        """Token scores of each document, in order, independent of how documents are batched.

        BOS is given and not scored, EOS is not scored, each character is scored exactly once. Natural
        logarithms. A masked model gives pseudo-log-probabilities: `rig.models.pseudo_likelihood`.
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


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gaps:
    """A text with some tokens hidden, and those of them whose originals are asked for."""

    token_id: npt.NDArray[np.int64]
    """(n_tokens,) the whole text, without special tokens; at most `max_tokens` of the model."""
    hidden: npt.NDArray[np.int64]
    """(n_hidden,) ascending positions that the model sees as MASK."""
    asked: npt.NDArray[np.int64]
    """(n_asked,) ascending positions to predict; each is hidden too."""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Filled:
    """What a model makes of some gaps."""

    logprob: npt.NDArray[np.float64]
    """(n_asked,) of the original token, nats, finite, <= 0."""
    predicted: npt.NDArray[np.int64]
    """(n_asked,) the vocabulary index with the highest logit; of equals the lowest."""


@runtime_checkable
class FillsMasks(Protocol):
    """A masked model: it predicts hidden tokens from both sides.

    Pseudo-likelihood, masked accuracy and the masked reading of agreement are all made of these two calls.
    """

    max_tokens: int
    """Tokens of a text that it sees at once, special ones not counted."""

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Each text's tokens, without special ones; spans tile the text."""

    def fill(self, gaps: Sequence[Gaps]) -> list[Filled]:
        """Predict the asked tokens of each text, in order, independent of how texts are batched.

        Whatever stands at a hidden position must not reach the model but as MASK.
        """


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Explanation:
    """How a causal model came to one document's scores: what it was fed, and the distributions it read."""

    input_id: npt.NDArray[np.int64]
    """(n_inputs,) everything that the model was fed for it, special tokens included, padding not."""
    bos_id: int | None
    """The id that begins a text; None for a model that begins without one."""
    eos_id: int | None
    """The id that ends a text; None if there is none. It is neither fed nor scored."""
    logprob: npt.NDArray[np.floating[Any]]
    """(n_tokens, V) of each token, the distribution that its score was read from, natural logarithms."""


@runtime_checkable
class Explains(Protocol):
    """A causal model that shows its distributions, so that `rig audit` can check shift, base and BOS."""

    def explain(self, document: Document) -> Explanation:
        """Of a document that fits in one window."""


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
    held_out: tuple[Document, ...] = ()
    """The documents to be scored: only for a kind that `reads_held_out`."""


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

    reads_held_out: ClassVar[bool] = False
    """True for a kind whose scores are computed by another program, which must be given the texts."""

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

    def inputs(self, seed: int) -> Mapping[str, Path]:
        """Files beside the data that the result depends on, by a name of their own: checkpoints, scripts.

        They are hashed into the cell's key and checked before and after it runs.

        Raises:
            ConfigError, DataError: One is missing or of a kind that is refused.
        """
        return {}

"""A masked checkpoint as a language model: gaps filled from both sides, pseudo-likelihood, embeddings."""

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from rig.core.documents import Document
from rig.core.errors import ModelError
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel, Filled, Gaps, Objective
from rig.models.hf.batches import Ids, bucketed
from rig.models.hf.embedding import Stretch, mean_states
from rig.models.hf.network import Network
from rig.models.hf.special_tokens import Frame
from rig.models.hf.text_encoder import TextEncoder
from rig.models.pseudo_likelihood import pseudo_scores
from rig.models.tokenizer import Encoding
from rig.models.windows import windows


@final
class HfMaskedModel(AbstractLanguageModel):
    """Reads CLS, a text with MASK at its hidden tokens, and SEP; `rig.models.base.FillsMasks`.

    Args:
        network: With its weights.
        encoder: Its tokenizer, which has a MASK.
        frame: What stands around a text.
        context: Inputs at once, special ones included.
        batch_size: Texts computed at once.
        facts: What is stated of it in a report.
    """

    objective: Objective = "masked"
    is_code_length = False

    def __init__(
        self,
        network: Network,
        encoder: TextEncoder,
        *,
        frame: Frame,
        context: int,
        batch_size: int,
        facts: Mapping[str, Any],
    ) -> None:
        mask_id = encoder.special.role_id("mask")
        if mask_id is None:
            raise ModelError(
                "a masked model's tokenizer needs a MASK token; name it in tokenizer_config.json"
            )
        self.unk_id = encoder.unk_id
        self.n_params = network.n_params
        self.facts = facts
        self.max_tokens = context - frame.n_inputs
        self._mask_id = mask_id
        self._network = network
        self._encoder = encoder
        self._begin = np.array([] if frame.begin is None else [frame.begin], np.int64)
        self._end = np.array([] if frame.end is None else [frame.end], np.int64)
        self._batch_size = batch_size

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        """Plain pseudo-log-probabilities (`rig.models.pseudo_likelihood`)."""
        return pseudo_scores(self, documents)

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Each text's tokens, without special ones.

        Raises:
            ModelError: A token's characters can't be made sure of.
        """
        return self._encoder.encode(texts, names=[f"text {index}" for index in range(len(texts))])

    def fill(self, gaps: Sequence[Gaps]) -> list[Filled]:
        """Predict the asked tokens of each text, as `rig.models.base.FillsMasks` defines it.

        Raises:
            ModelError: A text is longer than `max_tokens`.
        """
        filled = [_nothing_asked() for _ in gaps]
        for batch in bucketed([self._masked(gap) for gap in gaps], batch_size=self._batch_size):
            width = batch.ids.shape[1]
            rows = np.concatenate(
                [row * width + len(self._begin) + gaps[index].asked for row, index in enumerate(batch.index)]
            )
            targets = np.concatenate([gaps[index].token_id[gaps[index].asked] for index in batch.index])
            guess = self._network.guesses(batch, rows, targets)
            edges = np.cumsum([0, *(len(gaps[index].asked) for index in batch.index)])
            for row, index in enumerate(batch.index):
                part = slice(edges[row], edges[row + 1])
                filled[index] = Filled(logprob=guess.logprob[part], predicted=guess.predicted[part])
        return filled

    def embed(self, texts: Sequence[str], *, layers: Sequence[int]) -> npt.NDArray[np.float64]:
        """Mean states as `rig.models.base.Embeds` defines them; long texts in windows that don't overlap.

        Raises:
            ConfigError: A layer does not exist, or none is named.
            DataError: A text has no tokens.
            ModelError: A text can't be encoded, or a state is not finite.
        """
        encodings = self.encode(texts)
        stretches = []
        for index, encoding in enumerate(encodings):
            for window in windows(len(encoding), context=self.max_tokens, stride=self.max_tokens):
                ids = self._framed(encoding.token_id[window.start : window.stop])
                first = len(self._begin)
                stop = first + window.stop - window.start
                stretches.append(Stretch(text=index, ids=ids, first=first, stop=stop))
        return mean_states(
            self._network,
            stretches,
            [len(encoding) for encoding in encodings],
            layers=layers,
            batch_size=self._batch_size,
        )

    def _framed(self, token_id: Ids) -> Ids:
        return np.concatenate([self._begin, token_id, self._end])

    def _masked(self, gap: Gaps) -> Ids:
        if len(gap.token_id) > self.max_tokens:
            raise ModelError(
                f"a text of {len(gap.token_id)} tokens was given to a model that sees {self.max_tokens}; "
                "cut it into windows"
            )
        token_id = gap.token_id.copy()
        token_id[gap.hidden] = self._mask_id
        return self._framed(token_id)


def _nothing_asked() -> Filled:
    return Filled(logprob=np.zeros(0), predicted=np.zeros(0, np.int64))

"""A trained bidirectional transformer as a masked language model: gaps filled, embeddings, pseudo-likelihood.

The network's vocabulary is the tokenizer's and one id more, the last, which is MASK. A text is read after
BOS, as in training. Attention sees every position, so no padding may ever reach it: sequences are computed
together only where they have the same length.
"""

from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.documents import Document
from rig.core.errors import DataError, ModelError
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel, Filled, Gaps, Objective
from rig.models.cross_entropy import chosen_logprobs
from rig.models.layer_choice import checked_layers
from rig.models.network import Network
from rig.models.pseudo_likelihood import pseudo_scores
from rig.models.tokenizer import AbstractTokenizer, Encoding
from rig.models.windows import equal_length_batches, windows

Ids = npt.NDArray[np.int64]


def _checked_afterwards() -> np.errstate:
    """No warnings: a result that is not finite ends as an error that says whose it is."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")


@final
class TransformerMaskedLanguageModel(AbstractLanguageModel):
    """Fills masks (`rig.models.base.FillsMasks`) and embeds. A text's numbers are the same bits in any batch.

    Args:
        network: Without causal mask, with its weights; they must not change any more.
        tokenizer: What the network was trained on.
        batch_size: Sequences computed at once; memory, not meaning.
    """

    objective: Objective = "masked"
    is_code_length = False  # a pseudo-likelihood is no probability of the text

    def __init__(self, network: Network, tokenizer: AbstractTokenizer, *, batch_size: int) -> None:
        self.unk_id = tokenizer.unk_id
        self.n_params = network.parameters.n_params
        self.max_tokens = network.architecture.context - 1  # BOS takes one place
        self._network = network
        self._tensors = network.tensors()
        self._tokenizer = tokenizer
        self._mask_id = network.architecture.vocab_size - 1
        self._batch_size = batch_size

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        """Plain pseudo-log-probabilities: each token hidden alone (`rig.models.pseudo_likelihood`)."""
        return pseudo_scores(self, documents)

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Each text's tokens, without BOS; spans tile the text."""
        return [self._tokenizer.encode(text) for text in texts]

    @_checked_afterwards()
    def fill(self, gaps: Sequence[Gaps]) -> list[Filled]:
        """Predict the asked tokens of each text, as `rig.models.base.FillsMasks` defines it.

        Raises:
            ModelError: A text is longer than `max_tokens`, or an asked position is not hidden.
        """
        filled: list[Filled | None] = [None] * len(gaps)
        inputs = [self._inputs(one) for one in gaps]
        for index, ids in equal_length_batches(inputs, batch_size=self._batch_size):
            states = self._network.last_states(ids, self._tensors)
            for row, which in zip(states, index, strict=True):
                one = gaps[which]
                logits = row[one.asked + 1] @ self._tensors.head  # a product of its own, so its own bits
                predicted = logits.argmax(axis=1)
                logprob = chosen_logprobs(logits, one.token_id[one.asked])
                filled[which] = Filled(logprob=logprob, predicted=predicted)
        return [one for one in filled if one is not None]

    @_checked_afterwards()
    def embed(self, texts: Sequence[str], *, layers: Sequence[int]) -> npt.NDArray[np.float64]:
        """Mean states as `rig.models.base.Embeds` defines them.

        Nothing is hidden. A long text is read in consecutive pieces of `max_tokens` tokens, each after BOS.

        Raises:
            ConfigError: A layer does not exist, or none is named.
            DataError: A text has no tokens.
            ModelError: A state is not finite.
        """
        chosen = checked_layers(layers, self._network.architecture.n_layers + 1)
        pieces: list[Ids] = []
        whose: list[int] = []
        n_tokens = np.zeros(len(texts))
        for index, encoding in enumerate(self.encode(texts)):
            if not len(encoding):
                raise DataError(f"text {index} is empty, so it has no embedding; remove it from the data")
            n_tokens[index] = len(encoding)
            for window in windows(len(encoding), context=self.max_tokens, stride=self.max_tokens):
                pieces.append(self._after_bos(encoding.token_id[window.start : window.stop]))
                whose.append(index)
        totals = np.zeros((len(pieces), self._network.architecture.d_model))
        for members, ids in equal_length_batches(pieces, batch_size=self._batch_size):
            states = self._network.all_states(ids, self._tensors)
            for layer in chosen:
                totals[members] += states[layer][:, 1:].sum(axis=1, dtype=np.float64)  # BOS is no token
        sums = np.zeros((len(texts), totals.shape[1]))
        for index, total in zip(whose, totals, strict=True):
            sums[index] += total
        means: npt.NDArray[np.float64] = sums / (n_tokens * len(chosen))[:, None]
        bad = np.flatnonzero(~np.isfinite(means).all(axis=1))
        if bad.size:
            raise ModelError(f"the embedding of text {bad[0]} is not finite; check the model's weights")
        return means

    def _inputs(self, gaps: Gaps) -> Ids:
        """BOS and the text, with MASK at every hidden position."""
        n_tokens = len(gaps.token_id)
        if n_tokens > self.max_tokens:
            raise ModelError(f"the model sees {self.max_tokens} tokens at once, got a text of {n_tokens}")
        ids = self._after_bos(gaps.token_id)
        ids[gaps.hidden + 1] = self._mask_id
        if (ids[gaps.asked + 1] != self._mask_id).any():
            raise ModelError("a position that is asked for must be hidden, or the model would see its answer")
        return ids

    def _after_bos(self, token_id: Ids) -> Ids:
        return np.concatenate([np.array([self._tokenizer.bos_id], np.int64), token_id])

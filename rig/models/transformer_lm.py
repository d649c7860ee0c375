"""A trained transformer as a language model: scores of texts, continuations, embeddings."""

from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError, ModelError
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel, Explanation
from rig.models.cross_entropy import target_logprobs
from rig.models.layer_choice import checked_layers
from rig.models.network import Network
from rig.models.parameters import Array
from rig.models.sampling import check_sampling, sample
from rig.models.tokenizer import AbstractTokenizer
from rig.models.windows import Window, padded_batches, windows

Ids = npt.NDArray[np.int64]


def _checked_afterwards() -> np.errstate:
    """No warnings: a result that is not finite ends as an error that says whose it is."""
    return np.errstate(over="ignore", invalid="ignore", divide="ignore")


@final
class TransformerLanguageModel(AbstractLanguageModel):
    """Reads a document in windows (`rig.models.windows`). A text's numbers are the same bits in any batch.

    Args:
        network: With its weights; they must not change any more.
        tokenizer: What the network was trained on.
        stride: Tokens from one scoring window to the next.
        batch_size: Windows computed at once; memory, not meaning.
    """

    def __init__(
        self, network: Network, tokenizer: AbstractTokenizer, *, stride: int, batch_size: int
    ) -> None:
        self.unk_id = tokenizer.unk_id
        self.n_params = network.parameters.n_params
        self._network = network
        self._tensors = network.tensors()
        self._tokenizer = tokenizer
        self._context = network.architecture.context
        self._stride = stride
        self._batch_size = batch_size

    @_checked_afterwards()
    def score(self, documents: Sequence[Document]) -> list[TokenScores]:  # noqa: D102
        encodings = [self._tokenizer.encode(document.text) for document in documents]
        tokens = [self._after_bos(encoding.token_id) for encoding in encodings]
        logprobs = [np.zeros(len(encoding)) for encoding in encodings]
        pieces = self._windows([len(encoding) for encoding in encodings])
        sequences = [tokens[document][window.start : window.stop] for document, window in pieces]
        for batch in padded_batches(sequences, context=self._context, batch_size=self._batch_size):
            states = self._network.last_states(batch.ids, self._tensors)
            for row, index in enumerate(batch.index):
                document, window = pieces[index]
                logprobs[document][window.first_new : window.stop] = target_logprobs(
                    states[row],
                    self._tensors.head,
                    tokens[document][window.first_new + 1 : window.stop + 1],
                    rows=slice(window.first_new - window.start, window.stop - window.start),
                )
        return [
            TokenScores(
                doc_id=document.doc_id,
                token_id=encoding.token_id,
                char_start=encoding.char_start,
                char_end=encoding.char_end,
                logprob=logprob - self._tokenizer.extra_nats(document.text, encoding),
                n_chars=document.n_chars,
            )
            for document, encoding, logprob in zip(documents, encodings, logprobs, strict=True)
        ]

    @_checked_afterwards()
    def explain(self, document: Document) -> Explanation:
        """How `score` comes to a document's scores, as `rig.models.base.Explains` defines it.

        A document longer than the context is read in the scoring windows too.
        """
        encoding = self._tokenizer.encode(document.text)
        inputs = self._after_bos(encoding.token_id)[: len(encoding)]
        logprob = np.zeros((len(encoding), self._network.architecture.vocab_size))
        pieces = self._windows([len(encoding)])
        sequences = [inputs[window.start : window.stop] for _, window in pieces]
        for batch in padded_batches(sequences, context=self._context, batch_size=self._batch_size):
            states = self._network.last_states(batch.ids, self._tensors)
            for row, index in enumerate(batch.index):
                window = pieces[index][1]
                logits = states[row] @ self._tensors.head
                new = slice(window.first_new - window.start, window.stop - window.start)
                logprob[window.first_new : window.stop] = _log_softmax(logits[new])
        return Explanation(input_id=inputs, bos_id=self._tokenizer.bos_id, eos_id=None, logprob=logprob)

    def generate(
        self,
        prompts: Sequence[str],
        *,
        n_tokens: int,
        temperature: float,
        top_p: float,
        rngs: Sequence[np.random.Generator],
    ) -> list[str]:
        """Continuations as `rig.models.base.Generates` defines them; BOS and UNK are never drawn.

        Raises:
            ConfigError: A setting is out of range, or there isn't one generator for each prompt.
            ModelError: A logit is not finite.
        """
        check_sampling(temperature=temperature, top_p=top_p)
        if n_tokens < 0 or len(prompts) != len(rngs):
            raise ConfigError(
                "generation needs `n_tokens` >= 0 and one generator for each prompt, "
                f"got {n_tokens} tokens, {len(prompts)} prompts and {len(rngs)} generators"
            )
        tokens = [self._after_bos(self._tokenizer.encode(prompt).token_id).tolist() for prompt in prompts]
        n_given = [len(ids) for ids in tokens]
        for _ in range(n_tokens):
            for ids, probabilities, rng in zip(tokens, self._next_probabilities(tokens), rngs, strict=True):
                ids.append(sample(probabilities, temperature=temperature, top_p=top_p, rng=rng))
        return [self._tokenizer.decode(ids[n:]) for ids, n in zip(tokens, n_given, strict=True)]

    @_checked_afterwards()
    def embed(self, texts: Sequence[str], *, layers: Sequence[int]) -> npt.NDArray[np.float64]:
        """Mean states as `rig.models.base.Embeds` defines them; long texts are read in the scoring windows.

        Raises:
            ConfigError: A layer does not exist, or none is named.
            DataError: A text has no tokens.
            ModelError: A state is not finite.
        """
        chosen = checked_layers(layers, self._network.architecture.n_layers + 1)
        encodings = [self._tokenizer.encode(text) for text in texts]
        for index, encoding in enumerate(encodings):
            if not len(encoding):
                raise DataError(f"text {index} is empty, so it has no embedding; remove it from the data")
        tokens = [self._after_bos(encoding.token_id) for encoding in encodings]
        pieces = self._windows([len(ids) for ids in tokens])
        totals = np.zeros((len(pieces), self._network.architecture.d_model))
        sequences = [tokens[text][window.start : window.stop] for text, window in pieces]
        for batch in padded_batches(sequences, context=self._context, batch_size=self._batch_size):
            states = self._network.all_states(batch.ids, self._tensors)
            for row, index in enumerate(batch.index):
                window = pieces[index][1]
                first = max(window.first_new, 1) - window.start  # BOS is no token
                for layer in chosen:
                    new_states = states[layer][row, first : window.stop - window.start]
                    totals[index] += new_states.sum(axis=0, dtype=np.float64)
        sums = np.zeros((len(texts), totals.shape[1]))
        for (text, _), total in zip(pieces, totals, strict=True):
            sums[text] += total
        n_tokens = np.array([len(encoding) for encoding in encodings], np.float64)
        means: npt.NDArray[np.float64] = sums / (n_tokens * len(chosen))[:, None]
        bad = np.flatnonzero(~np.isfinite(means).all(axis=1))
        if bad.size:
            raise ModelError(f"the embedding of text {bad[0]} is not finite; check the model's weights")
        return means

    def _after_bos(self, token_id: Ids) -> Ids:
        return np.concatenate([np.array([self._tokenizer.bos_id], np.int64), token_id])

    def _windows(self, n_inputs: Sequence[int]) -> list[tuple[int, Window]]:
        """The windows of every document, each with its document's index."""
        return [
            (index, window)
            for index, n in enumerate(n_inputs)
            for window in windows(n, context=self._context, stride=self._stride)
        ]

    @_checked_afterwards()
    def _next_probabilities(self, tokens: Sequence[list[int]]) -> list[npt.NDArray[np.float64]]:
        """Of each sequence, the weights of its next token, (V,); those of BOS and UNK are 0."""
        recent = [np.array(self._recent(ids), np.int64) for ids in tokens]
        result = [np.zeros(0)] * len(tokens)
        unspeakable = [
            index for index in (self._tokenizer.bos_id, self._tokenizer.unk_id) if index is not None
        ]
        for batch in padded_batches(recent, context=self._context, batch_size=self._batch_size):
            states = self._network.last_states(batch.ids, self._tensors)
            for row, index in enumerate(batch.index):
                result[index] = _softmax(states[row, len(recent[index]) - 1] @ self._tensors.head)
                result[index][unspeakable] = 0.0
        return result

    def _recent(self, ids: list[int]) -> list[int]:
        """What the model can see: everything, or BOS and the last `context - 1` tokens."""
        if len(ids) <= self._context:
            return ids
        return [self._tokenizer.bos_id, *ids[len(ids) - self._context + 1 :]]


def _log_softmax(logits: Array) -> npt.NDArray[np.float64]:
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    logprobs: npt.NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return logprobs


def _softmax(logits: Array) -> npt.NDArray[np.float64]:
    if not np.isfinite(logits).all():
        raise ModelError(
            "a logit of the next token is not finite, so no text can be drawn; check the weights"
        )
    weights: npt.NDArray[np.float64] = np.exp(logits.astype(np.float64) - logits.max())
    weights /= weights.sum()
    return weights

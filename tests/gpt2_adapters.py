"""A right adapter of a transformers GPT-2, and wrong ones: each is the right one with one usual mistake."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from rig.core.documents import Document
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel, Explanation
from rig.models.tokenizer import AbstractTokenizer, Encoding
from rig.models.windows import windows

Floats = npt.NDArray[np.floating[Any]]

CONTEXT = 64
NEEDS_TRANSFORMERS = "SKIPPED: the wrong adapters are made of a real GPT-2; pip install 'rig[hf]'"


def untrained_gpt2(vocab_size: int) -> Any:
    """A tiny `GPT2LMHeadModel` from torch's current random state."""
    transformers = pytest.importorskip("transformers", reason=NEEDS_TRANSFORMERS)
    settings = transformers.GPT2Config(
        vocab_size=vocab_size, n_positions=CONTEXT, n_embd=48, n_layer=2, n_head=2, bos_token_id=0,
        eos_token_id=None, initializer_range=0.1,
    )  # fmt: skip
    return transformers.GPT2LMHeadModel(settings)


class Right(AbstractLanguageModel):
    """One BOS, right padding under a mask, log-softmax in float64, logits at t scored against token t + 1."""

    n_bos = 1

    def __init__(self, network: Any, tokenizer: AbstractTokenizer) -> None:
        self._network, self._tokenizer = network, tokenizer
        self._context = network.config.n_positions

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        encodings = [self._tokenizer.encode(document.text) for document in documents]
        return [
            self._scores(document, encoding, rows[np.arange(len(encoding)), encoding.token_id])
            for document, encoding, rows in zip(documents, encodings, self._rows(encodings), strict=True)
        ]

    def explain(self, document: Document) -> Explanation:
        encoding = self._tokenizer.encode(document.text)
        return Explanation(
            input_id=self._inputs(encoding),
            bos_id=self._tokenizer.bos_id,
            eos_id=None,
            logprob=self._rows([encoding])[0],
        )

    def _scores(self, document: Document, encoding: Encoding, logprob: Floats) -> TokenScores:
        return TokenScores(
            doc_id=document.doc_id,
            token_id=encoding.token_id,
            char_start=encoding.char_start,
            char_end=encoding.char_end,
            logprob=np.minimum(logprob.astype(np.float64), 0.0),
            n_chars=document.n_chars,
        )

    def _inputs(self, encoding: Encoding) -> npt.NDArray[np.int64]:
        return np.concatenate([np.full(self.n_bos, self._tokenizer.bos_id), encoding.token_id])

    def _rows(self, encodings: Sequence[Encoding]) -> list[Floats]:
        """The distribution of each token of each text, (n_tokens, V)."""
        inputs = [self._inputs(encoding) for encoding in encodings]
        pieces = [
            (text, window)
            for text, ids in enumerate(inputs)
            for window in windows(len(ids), context=self._context, stride=self._context // 2)
        ]
        logits = [np.zeros((len(ids), self._network.config.vocab_size)) for ids in inputs]
        batch = self._logits([inputs[text][window.start : window.stop] for text, window in pieces])
        for (text, window), of_window in zip(pieces, batch, strict=True):
            logits[text][window.first_new : window.stop] = of_window[window.first_new - window.start :]
        return [
            self._logarithms(self._shifted(of_text, len(encoding)))
            for of_text, encoding in zip(logits, encodings, strict=True)
        ]

    def _logits(self, sequences: Sequence[npt.NDArray[np.int64]]) -> list[Floats]:
        """The logits of each sequence, in one padded batch."""
        torch = _torch()
        n = max(map(len, sequences), default=0)
        ids = torch.tensor(np.stack([np.pad(sequence, (0, n - len(sequence))) for sequence in sequences]))
        mask = torch.tensor([[int(i < len(sequence)) for i in range(n)] for sequence in sequences])
        with torch.no_grad():
            logits = self._network(input_ids=ids, attention_mask=mask).logits
        return [row[: len(sequence)].numpy() for row, sequence in zip(logits, sequences, strict=True)]

    def _shifted(self, logits: Floats, n_tokens: int) -> Floats:
        return logits[self.n_bos - 1 : self.n_bos - 1 + n_tokens]

    def _logarithms(self, logits: Floats) -> Floats:
        return _log_softmax(logits)


class Unshifted(Right):
    """Scores token t by the logits at t."""

    def _shifted(self, logits: Floats, n_tokens: int) -> Floats:
        return logits[self.n_bos : self.n_bos + n_tokens]


class ShiftedTwice(Right):
    """Shifts labels that the model shifts too: token t by the logits at t - 2."""

    def _shifted(self, logits: Floats, n_tokens: int) -> Floats:
        return logits[np.maximum(np.arange(n_tokens) + self.n_bos - 2, 0)]


class ProbabilitiesForLogits(Right):
    """Takes the softmax of what is one already."""

    def _logarithms(self, logits: Floats) -> Floats:
        return _log_softmax(np.exp(_log_softmax(logits)))


class BaseTwo(Right):
    """Calls bits nats."""

    def _logarithms(self, logits: Floats) -> Floats:
        return _log_softmax(logits) / math.log(2.0)


class PaddingScored(Right):
    """Leaves the padding of a batch in its scores."""

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        scores = super().score(documents)
        longest = max(of_one.n_tokens for of_one in scores)
        return [_padded(of_one, longest - of_one.n_tokens) for of_one in scores]


class PaddingAttended(Right):
    """Pads on the left and forgets the mask."""

    def _logits(self, sequences: Sequence[npt.NDArray[np.int64]]) -> list[Floats]:
        torch = _torch()
        n = max(map(len, sequences))
        ids = torch.tensor(np.stack([np.pad(sequence, (n - len(sequence), 0)) for sequence in sequences]))
        with torch.no_grad():
            logits = self._network(input_ids=ids).logits
        return [row[n - len(sequence) :].numpy() for row, sequence in zip(logits, sequences, strict=True)]


class DoubleBos(Right):
    """The tokenizer adds BOS, and so does the adapter."""

    n_bos = 2


class FutureLeak(Right):
    """Lets each position see the mean of what follows, as attention without a causal mask does."""

    def _logits(self, sequences: Sequence[npt.NDArray[np.int64]]) -> list[Floats]:
        torch = _torch()
        found = []
        with torch.no_grad():
            for sequence in sequences:
                embedded = self._network.transformer.wte(torch.tensor(sequence))
                following = torch.stack(
                    [
                        embedded[i + 1 :].sum(dim=0) / max(len(sequence) - i - 1, 1)
                        for i in range(len(sequence))
                    ]
                )
                found.append(
                    self._network(inputs_embeds=(embedded + 0.3 * following)[None]).logits[0].numpy()
                )
        return found


class ItselfLeaks(Right):
    """Lets each position see a little of the token that it is to predict."""

    def _logits(self, sequences: Sequence[npt.NDArray[np.int64]]) -> list[Floats]:
        torch = _torch()
        found = []
        with torch.no_grad():
            for sequence in sequences:
                embedded = self._network.transformer.wte(torch.tensor(sequence))
                embedded[:-1] += 0.3 * embedded[1:].clone()
                found.append(self._network(inputs_embeds=embedded[None]).logits[0].numpy())
        return found


class PerBatchMean(Right):
    """Gives every token the loss that the library returns: the mean over the batch."""

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        scores = super().score(documents)
        mean = np.concatenate([of_one.logprob for of_one in scores]).mean()
        return [dataclasses.replace(of_one, logprob=np.full(of_one.n_tokens, mean)) for of_one in scores]


class PerTextMean(Right):
    """Gives every token the mean loss of its text."""

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        return [
            dataclasses.replace(of_one, logprob=np.full(of_one.n_tokens, of_one.logprob.mean()))
            for of_one in super().score(documents)
        ]


class NotANumber(Right):
    """A half-precision overflow: one logit is NaN."""

    def _logits(self, sequences: Sequence[npt.NDArray[np.int64]]) -> list[Floats]:
        found = [logits.copy() for logits in super()._logits(sequences)]
        found[0][-1, 3] = np.nan
        return found


class DropoutOn(Right):
    """Forgets `eval()`."""

    def _logits(self, sequences: Sequence[npt.NDArray[np.int64]]) -> list[Floats]:
        self._network.train()
        try:
            return super()._logits(sequences)
        finally:
            self._network.eval()


class Raises(Right):
    """Fails on the first text."""

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        raise IndexError("index out of range in self")


def _torch() -> Any:
    return pytest.importorskip("torch", reason=NEEDS_TRANSFORMERS)


def _log_softmax(logits: Floats) -> Floats:
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _padded(scores: TokenScores, n_padding: int) -> TokenScores:
    end = np.full(n_padding, scores.n_chars)
    return TokenScores(
        doc_id=scores.doc_id,
        token_id=np.concatenate([scores.token_id, np.zeros(n_padding, np.int64)]),
        char_start=np.concatenate([scores.char_start, end]),
        char_end=np.concatenate([scores.char_end, end]),
        logprob=np.concatenate([scores.logprob, np.full(n_padding, -0.01)]),
        n_chars=scores.n_chars,
    )

"""A causal checkpoint as a language model: scores of texts, distributions, continuations, embeddings."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from rig.core.documents import Document
from rig.core.errors import ConfigError
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel, Explanation, Objective
from rig.models.hf.batches import Batch, Ids, bucketed
from rig.models.hf.embedding import Stretch, mean_states
from rig.models.hf.network import Network
from rig.models.hf.special_tokens import Frame
from rig.models.hf.text_encoder import TextEncoder
from rig.models.sampling import check_sampling, sample
from rig.models.tokenizer import Encoding
from rig.models.windows import Window, windows

Nats = npt.NDArray[np.float64]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How texts are cut for a network."""

    context: int
    """Inputs at once, special ones included."""
    stride: int
    """Tokens from one window to the next."""
    batch_size: int
    """Windows computed at once."""


@final
class HfCausalModel(AbstractLanguageModel):
    """Reads BOS and a text in windows (`rig.models.windows`); later windows begin with earlier tokens.

    A text's scores are the same alone and in a batch to 1e-5 nats a token in float32. Without a BOS nothing
    precedes the first token, which then costs ln V: all tokens are scored, whatever the rule.

    Args:
        network: With its weights.
        encoder: Its tokenizer.
        frame: What begins a text.
        reading: Windows and batches.
        facts: What is stated of it in a report.
    """

    objective: Objective = "causal"

    def __init__(
        self,
        network: Network,
        encoder: TextEncoder,
        *,
        frame: Frame,
        reading: Reading,
        facts: Mapping[str, Any],
    ) -> None:
        self.unk_id = encoder.unk_id
        self.is_code_length = encoder.is_code_length
        self.n_params = network.n_params
        self.facts = facts
        self._network = network
        self._encoder = encoder
        self._begin = np.array([] if frame.begin is None else [frame.begin], np.int64)
        self._speakable = encoder.speakable(network.vocab_size)
        self._reading = reading

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:  # noqa: D102
        encodings = self._encoder.encode(
            [document.text for document in documents],
            names=[f"document '{document.doc_id}'" for document in documents],
        )
        sequences = [self._framed(encoding.token_id) for encoding in encodings]
        logprobs = [np.full(len(encoding), -math.log(self._network.vocab_size)) for encoding in encodings]
        for asked in self._asked(sequences):
            values = self._network.target_logprobs(asked.batch, asked.rows, asked.targets)
            for (document, new), part in asked.parts:
                logprobs[document][new] = values[part]
        return [
            encoding.scored(document, logprob)
            for document, encoding, logprob in zip(documents, encodings, logprobs, strict=True)
        ]

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Each text's tokens, without special ones.

        Raises:
            ModelError: A token's characters can't be made sure of.
        """
        return self._encoder.encode(texts, names=[f"text {index}" for index in range(len(texts))])

    def explain(self, document: Document) -> Explanation:
        """How `score` comes to a document's scores, as `rig.models.base.Explains` defines it."""
        (encoding,) = self._encoder.encode([document.text], names=[f"document '{document.doc_id}'"])
        sequence = self._framed(encoding.token_id)
        n_vocabulary = self._network.vocab_size
        logprob = np.full((len(encoding), n_vocabulary), -math.log(n_vocabulary))
        for asked in self._asked([sequence]):
            values = self._network.logprobs(asked.batch, asked.rows)
            for (_, new), part in asked.parts:
                logprob[new] = values[part]
        return Explanation(
            input_id=sequence[:-1],
            bos_id=int(self._begin[0]) if len(self._begin) else None,
            eos_id=self._encoder.special.role_id("eos"),
            logprob=logprob,
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
        """Continuations as `rig.models.base.Generates` defines them; special tokens are never drawn.

        Raises:
            ConfigError: A setting is out of range, or there isn't one generator for each prompt.
            ModelError: A prompt can't be encoded.
        """
        check_sampling(temperature=temperature, top_p=top_p)
        if n_tokens < 0 or len(prompts) != len(rngs):
            raise ConfigError(
                "generation needs `n_tokens` >= 0 and one generator for each prompt, "
                f"got {n_tokens} tokens, {len(prompts)} prompts and {len(rngs)} generators"
            )
        names = [f"prompt {index}" for index in range(len(prompts))]
        given = [encoding.token_id for encoding in self._encoder.encode(prompts, names=names)]
        tokens = [ids.tolist() for ids in given]
        for _ in range(n_tokens):
            for ids, probabilities, rng in zip(tokens, self._next_probabilities(tokens), rngs, strict=True):
                ids.append(sample(probabilities, temperature=temperature, top_p=top_p, rng=rng))
        return [self._encoder.decode(ids[len(start) :]) for ids, start in zip(tokens, given, strict=True)]

    def embed(self, texts: Sequence[str], *, layers: Sequence[int]) -> Nats:
        """Mean states as `rig.models.base.Embeds` defines them; long texts are read in the scoring windows.

        Raises:
            ConfigError: A layer does not exist, or none is named.
            DataError: A text has no tokens.
            ModelError: A text can't be encoded, or a state is not finite.
        """
        encodings = self.encode(texts)
        stretches = []
        for index, encoding in enumerate(encodings):
            ids = self._framed(encoding.token_id)
            for window in self._windows(len(ids)):
                stretches.append(
                    Stretch(
                        text=index,
                        ids=ids[window.start : window.stop],
                        first=max(window.first_new, len(self._begin)) - window.start,
                        stop=window.stop - window.start,
                    )
                )
        return mean_states(
            self._network,
            stretches,
            [len(encoding) for encoding in encodings],
            layers=layers,
            batch_size=self._reading.batch_size,
        )

    def _framed(self, token_id: Ids) -> Ids:
        return np.concatenate([self._begin, token_id])

    def _windows(self, n_inputs: int) -> list[Window]:
        return windows(n_inputs, context=self._reading.context, stride=self._reading.stride)

    def _asked(self, sequences: Sequence[Ids]) -> "Iterator[_Asked]":
        """Every input but a sequence's last once, with what follows it."""
        pieces = [
            (index, window)
            for index, sequence in enumerate(sequences)
            for window in self._windows(len(sequence) - 1)
        ]
        inputs = [sequences[index][window.start : window.stop] for index, window in pieces]
        shift = 1 - len(self._begin)  # without BOS, what follows the first input is the second token
        for batch in bucketed(inputs, batch_size=self._reading.batch_size):
            rows, targets, parts, n_before = [], [], [], 0
            for row, piece in enumerate(batch.index):
                index, window = pieces[piece]
                new = np.arange(window.first_new, window.stop)
                rows.append(row * batch.ids.shape[1] + new - window.start)
                targets.append(sequences[index][new + 1])
                place = (index, slice(window.first_new + shift, window.stop + shift))
                parts.append((place, slice(n_before, n_before + len(new))))
                n_before += len(new)
            yield _Asked(
                batch=batch, rows=np.concatenate(rows), targets=np.concatenate(targets), parts=tuple(parts)
            )

    def _next_probabilities(self, tokens: Sequence[list[int]]) -> list[Nats]:
        """Of each sequence, the weights of its next token, (V,); those of special tokens are 0."""
        n_kept = self._reading.context - len(self._begin)
        recent = [self._framed(np.array(ids[-n_kept:], np.int64)) for ids in tokens]
        n_vocabulary = self._network.vocab_size
        result = [np.full(n_vocabulary, 1 / n_vocabulary) for _ in tokens]
        for batch in bucketed(recent, batch_size=self._reading.batch_size):
            rows = np.arange(len(batch.index)) * batch.ids.shape[1] + batch.length - 1
            for index, logprob in zip(batch.index, self._network.logprobs(batch, rows), strict=True):
                result[index] = np.exp(logprob)
        for weights in result:
            weights[~self._speakable] = 0.0
        return result


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Asked:
    """A batch, the rows of it whose next token is asked for, and where the answers belong."""

    batch: Batch
    rows: Ids
    """(n_rows,) positions in the flattened batch."""
    targets: Ids
    """(n_rows,)"""
    parts: tuple[tuple[tuple[int, slice], slice], ...]
    """Of each window: its sequence and the tokens there, and its slice of the rows."""

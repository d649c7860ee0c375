"""Pseudo-likelihood of texts under any model that fills masks: one token asked at a time.

- Plain (Salazar et al. 2020): a token is hidden alone, so the other pieces of its word can give it away.
- Word left to right (Kauf and Ivanova 2023): the later pieces of its word are hidden with it.

Both are sums of conditional log-probabilities that belong to no one distribution over texts: no code length,
and not to be compared with a causal model's. A text longer than the model sees is read, for each token,
through the window of `max_tokens` tokens that is centred on it, moved inwards at the text's ends.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

from rig.core.documents import Document
from rig.core.errors import ModelError
from rig.core.token_scores import TokenScores
from rig.models.base import FillsMasks, Gaps
from rig.models.tokenizer import Encoding

Ids = npt.NDArray[np.int64]
Nats = npt.NDArray[np.float64]

_QUERIES = 4096
"""Gaps given to a model at once; memory, not meaning."""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpanScores:
    """What a masked model says of one span in each of some texts."""

    logprob: Nats
    """(n_texts,) summed over the span's pieces, each with those after it hidden; nats, finite, <= 0."""
    n_pieces: Ids
    """(n_texts,) tokens that hold a character of the span, at least 1."""


def pseudo_scores(model: FillsMasks, documents: Sequence[Document]) -> list[TokenScores]:
    """Plain pseudo-log-probabilities of each document's tokens, in order (Salazar et al. 2020).

    Raises:
        ModelError: The model gave something that is no log-probability.
    """
    encodings = model.encode([document.text for document in documents])
    logprobs = _logprobs(
        model,
        [
            [_Query(encoding.token_id, position, position + 1) for position in range(len(encoding))]
            for encoding in encodings
        ],
    )
    return [
        TokenScores(
            doc_id=document.doc_id,
            token_id=encoding.token_id,
            char_start=encoding.char_start,
            char_end=encoding.char_end,
            logprob=logprob,
            n_chars=document.n_chars,
        )
        for document, encoding, logprob in zip(documents, encodings, logprobs, strict=True)
    ]


def word_l2r_scores(
    model: FillsMasks, plain: Sequence[TokenScores], token_units: Sequence[Ids]
) -> list[TokenScores]:
    """Word-left-to-right pseudo-log-probabilities (Kauf and Ivanova 2023) of documents scored plainly before.

    A token is predicted with itself and the later pieces of its unit hidden. Where no piece follows that is
    the plain score, which is taken as it is.

    Args:
        model: As for the plain scores.
        plain: What `pseudo_scores` gave.
        token_units: Of each document, (n_tokens,) the unit that each token belongs to, non-decreasing (see
            `rig.metrics.alignment`).

    Raises:
        ModelError: The model gave something that is no log-probability.
    """
    stops = [np.searchsorted(units, units, side="right") for units in token_units]
    asked = [np.flatnonzero(stop > np.arange(len(stop)) + 1) for stop in stops]
    answers = _logprobs(
        model,
        [
            [_Query(scores.token_id, int(position), int(stop[position])) for position in positions]
            for scores, stop, positions in zip(plain, stops, asked, strict=True)
        ],
    )
    result = []
    for scores, positions, answer in zip(plain, asked, answers, strict=True):
        logprob = scores.logprob.copy()
        logprob[positions] = answer
        result.append(
            TokenScores(
                doc_id=scores.doc_id,
                token_id=scores.token_id,
                char_start=scores.char_start,
                char_end=scores.char_end,
                logprob=logprob,
                n_chars=scores.n_chars,
            )
        )
    return result


def span_scores(
    model: FillsMasks, documents: Sequence[Document], spans: Sequence[tuple[int, int]]
) -> SpanScores:
    """Of each text, the pseudo-log-probability of one span, a verb for example, given all the rest.

    The pieces that hold a character of the span are hidden together and predicted left to right, each with
    those after it hidden still; so a form is charged each of its pieces once, and shows as many masks as it
    has pieces.

    Args:
        model: Fills masks.
        documents: (n_texts,)
        spans: (n_texts,) half-open code points [start, end) of each text, not empty.

    Raises:
        ModelError: The model gave something that is no log-probability, or a span no token.
    """
    encodings = model.encode([document.text for document in documents])
    queries = []
    for document, encoding, (start, end) in zip(documents, encodings, spans, strict=True):
        pieces = _pieces_of(encoding, start, end)
        if not len(pieces):
            raise ModelError(f"document '{document.doc_id}': no token lies in characters {start} to {end}")
        stop = int(pieces[-1]) + 1
        queries.append([_Query(encoding.token_id, int(position), stop) for position in pieces])
    totals = np.array([logprob.sum() for logprob in _logprobs(model, queries)], np.float64)
    bad = np.flatnonzero(~np.isfinite(totals) | (totals > 0))
    if bad.size:
        raise ModelError(
            f"document '{documents[bad[0]].doc_id}': a span's log-probability must be finite and <= 0, "
            f"got {totals[bad[0]]}; check the model's logits"
        )
    return SpanScores(logprob=totals, n_pieces=np.array([len(own) for own in queries], np.int64))


def _pieces_of(encoding: Encoding, start: int, end: int) -> Ids:
    """The tokens that hold a character of [start, end)."""
    # An empty token is a later piece of the character before it.
    first = np.where(encoding.char_start == encoding.char_end, encoding.char_start - 1, encoding.char_start)
    last = np.maximum(encoding.char_end - 1, first)
    return np.flatnonzero((first < end) & (last >= start))


class _Query(NamedTuple):
    """Ask for the token at `position` with the tokens from there up to `stop` hidden."""

    token_id: Ids
    position: int
    stop: int


def _logprobs(model: FillsMasks, queries: Sequence[Sequence[_Query]]) -> list[Nats]:
    """The answers to each text's queries, in order."""
    answers = _answers(model, itertools.chain.from_iterable(queries))
    return [np.fromiter(itertools.islice(answers, len(own)), np.float64, count=len(own)) for own in queries]


def _answers(model: FillsMasks, queries: Iterable[_Query]) -> Iterator[float]:
    gaps = (_gaps(query, model.max_tokens) for query in queries)
    while batch := list(itertools.islice(gaps, _QUERIES)):
        filled = model.fill(batch)
        if len(filled) != len(batch):
            raise ModelError(f"the model was given {len(batch)} texts with gaps and filled {len(filled)}")
        for answer in filled:
            yield float(answer.logprob[0])


def _gaps(query: _Query, max_tokens: int) -> Gaps:
    """The query in the window centred on its token, moved inwards at the text's ends."""
    start = max(0, min(query.position - max_tokens // 2, len(query.token_id) - max_tokens))
    window = query.token_id[start : start + max_tokens]
    first = query.position - start
    return Gaps(
        token_id=window,
        hidden=np.arange(first, min(query.stop - start, len(window))),
        asked=np.array([first]),
    )

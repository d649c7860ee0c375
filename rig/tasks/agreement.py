"""Subject-verb agreement: does the model prefer the verb that agrees with its subject?

Each item is a sentence and the same sentence with its verb's other number. A causal model prefers the one
whose whole string has the higher summed log-probability (BOS given, EOS not scored, no division by length;
MultiBLiMP's and BLiMP's choice). The headline is the mean of the four cells of number x attractor: on text
as it comes 77 % of verbs are singular, and a model of frequencies alone gets .77; on balanced cells .49.

A masked model answers another question: the verb is hidden, and it prefers the form whose pieces have the
higher summed log-probability, left to right, each with the pieces after it hidden (as many masks as the form
has pieces). The facts name the reading, and the two are never compared.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from rig.core.documents import Document
from rig.core.errors import ConfigError, ModelError
from rig.core.items import Item
from rig.data.agreement_items import CELLS, AgreementPair, read_agreement_pairs
from rig.metrics.pairs import accuracy, mean_of_cells, pair_accuracy, preference
from rig.models.base import AbstractLanguageModel, FillsMasks
from rig.models.pseudo_likelihood import span_scores
from rig.tasks.base import AbstractTask, TaskColumn, TaskData, TaskResult

_COLUMN = "sv_agreement"


def sv_agreement(items: Sequence[Item]) -> float | None:
    """Mean over the four cells of the share of pairs whose agreeing verb is preferred, ties at half."""
    return mean_of_cells(items, CELLS)


@final
class AgreementTask(AbstractTask):
    """The task `agreement`, without options. Without its file, `data.agreement`, its column is empty."""

    name: ClassVar[str] = "agreement"

    def __init__(self, options: Mapping[str, Any], data: TaskData) -> None:
        if options:
            raise ConfigError(f"`task.agreement` has no options, got {', '.join(map(repr, sorted(options)))}")
        path = data.files.get("agreement")
        self._pairs = () if path is None else read_agreement_pairs(path)

    def columns(self) -> tuple[TaskColumn, ...]:
        """The one column `sv_agreement`."""
        return (
            TaskColumn(
                name=_COLUMN,
                statistic=sv_agreement,
                unit="share",
                direction="higher",
                definition=(
                    "Share of sentences that the model gives a higher log-probability than the same sentence "
                    "with its verb's other number (a masked model: of the verb alone), ties at half; mean of "
                    "the four cells number x attractor."
                ),
            ),
        )

    def run(self, model: AbstractLanguageModel, *, seed: int) -> TaskResult:
        """Score both forms of all pairs in one call. Nothing here is random.

        Raises:
            ModelError: The model gave a pair something that is no score; the pair is named.
        """
        if not self._pairs:
            return TaskResult(items=(), reasons={_COLUMN: "data.agreement is not set"})
        if not model.scores_any_text:
            return TaskResult(items=(), reasons={_COLUMN: "the kind has scores of the held-out texts only"})
        if model.objective == "causal":
            answers = _ask_sentences(model, self._pairs)
        elif isinstance(model, FillsMasks):
            answers = _ask_verbs(model, self._pairs)
        else:
            return TaskResult(items=(), reasons={_COLUMN: "a masked model must fill masks to be asked"})
        items = tuple(
            Item(
                item_id=pair.item_id,
                cluster_id=pair.lemma,
                cell=pair.cell,
                predicted=float(preferred),
                gold=1.0,
            )
            for pair, preferred in zip(self._pairs, answers.preference, strict=True)
        )
        empty = [cell for cell in CELLS if not any(item.cell == cell for item in items)]
        reason = f"no pairs in {', '.join(empty)}: the mean of four cells is undefined"
        return TaskResult(
            items=items,
            facts=_facts(self._pairs, items, answers),
            reasons={_COLUMN: reason} if empty else {},
        )


def distance_bin(distance: int) -> str:
    """The bin of a subject-verb distance in words: 1, 2, 3-4 or 5+."""
    return str(distance) if distance <= 2 else "3-4" if distance <= 4 else "5+"


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Answers:
    """How a model was asked, and what it prefers."""

    scoring: str
    preference: npt.NDArray[np.float64]
    """(n_pairs,) 1, 0.5 or 0."""
    n_unequal: int
    """Pairs whose two forms were scored as different numbers of tokens."""


def _ask_sentences(model: AbstractLanguageModel, pairs: Sequence[AgreementPair]) -> _Answers:
    documents = _both_forms(pairs)
    scores = model.score(documents)
    if len(scores) != len(documents):
        raise ModelError(f"the model was given {len(documents)} sentences and scored {len(scores)}")
    for document, score in zip(documents, scores, strict=True):
        if score.doc_id != document.doc_id or score.n_chars != document.n_chars:
            raise ModelError(
                f"agreement pair '{document.doc_id}' got the scores of '{score.doc_id}'; "
                "`score` must answer in the order of the documents"
            )
        if not np.isfinite(score.total_nats):
            raise ModelError(
                f"agreement pair '{document.doc_id}': the sentence's log-probability must be finite, "
                f"got {-score.total_nats}; check the model's logits"
            )
    return _answers(
        "summed log-probability of the whole sentence, BOS given, EOS not scored; ties count half",
        np.array([-score.total_nats for score in scores], np.float64),
        np.array([score.n_tokens for score in scores]),
    )


def _ask_verbs(model: FillsMasks, pairs: Sequence[AgreementPair]) -> _Answers:
    spans = [(pair.char_start, pair.char_end) for pair in pairs]
    spans += [(pair.char_start, pair.char_start + len(pair.verb_bad)) for pair in pairs]
    scores = span_scores(model, _both_forms(pairs), spans)
    return _answers(
        "summed pseudo-log-probability of the verb's pieces left to right, its later pieces hidden; "
        "ties count half",
        scores.logprob,
        scores.n_pieces,
    )


def _both_forms(pairs: Sequence[AgreementPair]) -> list[Document]:
    """The agreeing sentences, then the others."""
    good = [Document(doc_id=f"{pair.item_id} ({pair.verb_good})", text=pair.text) for pair in pairs]
    bad = [Document(doc_id=f"{pair.item_id} ({pair.verb_bad})", text=pair.text_bad) for pair in pairs]
    return good + bad


def _answers(scoring: str, logprob: npt.NDArray[np.float64], n_tokens: npt.NDArray[np.int64]) -> _Answers:
    """Of all agreeing forms, then of all others, in the same order."""
    n_pairs = len(logprob) // 2
    return _Answers(
        scoring=scoring,
        preference=preference(logprob[:n_pairs], logprob[n_pairs:]),
        n_unequal=int(np.count_nonzero(n_tokens[:n_pairs] != n_tokens[n_pairs:])),
    )


def _facts(pairs: Sequence[AgreementPair], items: Sequence[Item], answers: _Answers) -> dict[str, Any]:
    everything = pair_accuracy(items)
    distance_of = {pair.item_id: distance_bin(pair.distance) for pair in pairs}
    return {
        "scoring": answers.scoring,
        "interval": "Wilson 95 %, ties counted as lost below and as won above",
        "n_items": everything.n,
        "n_ties": everything.n_ties,
        "accuracy_all": accuracy(items),
        "cells": _grouped(items, lambda item: item.cell, CELLS),
        "distances": _grouped(items, lambda item: distance_of[item.item_id], ("1", "2", "3-4", "5+")),
        "n_pairs_of_unequal_tokens": answers.n_unequal,
        "share_of_unequal_tokens": answers.n_unequal / len(pairs),
    }


def _grouped(
    items: Sequence[Item], group_of: Callable[[Item], str], groups: Iterable[str]
) -> dict[str, dict[str, Any]]:
    return {
        group: asdict(pair_accuracy([item for item in items if group_of(item) == group])) for group in groups
    }

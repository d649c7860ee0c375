"""Subject-verb agreement: does the model prefer the verb that agrees with its subject?

Each item is a sentence and the same sentence with its verb's other number. A causal model prefers the one
whose whole string has the higher summed log-probability (BOS given, EOS not scored, no division by length;
MultiBLiMP's and BLiMP's choice). The headline is the mean of the four cells of number x attractor: on text
as it comes 77 % of verbs are singular, and a model of frequencies alone gets .77; on balanced cells .49.

A masked model's column is empty, with that reason. Its question is another one (the verb's pieces masked, as
many masks as each form has pieces), and a model that can answer it will say so with one method more:

    class ScoresSpans(Protocol):
        def score_span(self, texts: Sequence[str], spans: Sequence[tuple[int, int]]) -> NDArray[float64]:
            '''Of each text, the summed log-probability (nats) of the code points of its span [start, end),
            whose tokens are masked, given all the others; (n_texts,), finite, <= 0.'''
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, final

import numpy as np

from rig.core.documents import Document
from rig.core.errors import ConfigError, ModelError
from rig.core.items import Item
from rig.core.token_scores import TokenScores
from rig.data.agreement_items import CELLS, AgreementPair, read_agreement_pairs
from rig.metrics.pairs import accuracy, mean_of_cells, pair_accuracy, preference
from rig.models.base import AbstractLanguageModel
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
                    "with its verb's other number, ties at half; mean of the four cells number x attractor."
                ),
            ),
        )

    def run(self, model: AbstractLanguageModel, *, seed: int) -> TaskResult:
        """Score both strings of all pairs in one call. Nothing here is random.

        Raises:
            ModelError: The model gave a pair something that is no score; the pair is named.
        """
        if not self._pairs:
            return TaskResult(items=(), reasons={_COLUMN: "data.agreement is not set"})
        if not model.scores_any_text:
            return TaskResult(items=(), reasons={_COLUMN: "the kind has scores of the held-out texts only"})
        if model.objective != "causal":
            reason = (
                f"the objective '{model.objective}' is unsupported: sentences are compared by their "
                "left-to-right log-probability"
            )
            return TaskResult(items=(), reasons={_COLUMN: reason})
        good, bad = _score_both(model, self._pairs)
        answers = preference(_totals(good), _totals(bad))
        items = tuple(
            Item(
                item_id=pair.item_id,
                cluster_id=pair.lemma,
                cell=pair.cell,
                predicted=float(answer),
                gold=1.0,
            )
            for pair, answer in zip(self._pairs, answers, strict=True)
        )
        empty = [cell for cell in CELLS if not any(item.cell == cell for item in items)]
        reason = f"no pairs in {', '.join(empty)}: the mean of four cells is undefined"
        return TaskResult(
            items=items,
            facts=_facts(self._pairs, items, good, bad),
            reasons={_COLUMN: reason} if empty else {},
        )


def distance_bin(distance: int) -> str:
    """The bin of a subject-verb distance in words: 1, 2, 3-4 or 5+."""
    return str(distance) if distance <= 2 else "3-4" if distance <= 4 else "5+"


def _score_both(
    model: AbstractLanguageModel, pairs: Sequence[AgreementPair]
) -> tuple[list[TokenScores], list[TokenScores]]:
    documents = [Document(doc_id=f"{pair.item_id} ({pair.verb_good})", text=pair.text) for pair in pairs]
    documents += [Document(doc_id=f"{pair.item_id} ({pair.verb_bad})", text=pair.text_bad) for pair in pairs]
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
    return scores[: len(pairs)], scores[len(pairs) :]


def _totals(scores: Sequence[TokenScores]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([-score.total_nats for score in scores], dtype=np.float64)


def _facts(
    pairs: Sequence[AgreementPair],
    items: Sequence[Item],
    good: Sequence[TokenScores],
    bad: Sequence[TokenScores],
) -> dict[str, Any]:
    n_unequal = sum(a.n_tokens != b.n_tokens for a, b in zip(good, bad, strict=True))
    everything = pair_accuracy(items)
    distance_of = {pair.item_id: distance_bin(pair.distance) for pair in pairs}
    return {
        "scoring": "summed log-probability of the whole sentence, BOS given, EOS not scored; ties count half",
        "interval": "Wilson 95 %, ties counted as lost below and as won above",
        "n_items": everything.n,
        "n_ties": everything.n_ties,
        "accuracy_all": accuracy(items),
        "cells": _grouped(items, lambda item: item.cell, CELLS),
        "distances": _grouped(items, lambda item: distance_of[item.item_id], ("1", "2", "3-4", "5+")),
        "n_pairs_of_unequal_tokens": n_unequal,
        "share_of_unequal_tokens": n_unequal / len(pairs),
    }


def _grouped(
    items: Sequence[Item], group_of: Callable[[Item], str], groups: Iterable[str]
) -> dict[str, dict[str, Any]]:
    return {
        group: asdict(pair_accuracy([item for item in items if group_of(item) == group])) for group in groups
    }

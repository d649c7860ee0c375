"""Semantic textual similarity: do the model's sentence states lie as near as people find the sentences alike?

The answer to a pair is the cosine of the two sentences' mean-pooled states; a data set's column is Pearson's
correlation of the cosines with the human scores, the official measure of ASSIN-2 (Real et al. 2020). The
cosines are not calibrated to the scale of the scores, so no squared error is given. Without a model,
characters in common give .655 on ASSIN-2 dev: the surface baselines stand beside every result.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import numpy.typing as npt

from rig.core.errors import ConfigError, ModelError, did_you_mean
from rig.core.items import Item
from rig.data.similarity_pairs import SentencePair, read_similarity_pairs
from rig.metrics.correlation import pearson, spearman, undefined_because
from rig.metrics.surface_similarity import negative_length_difference, trigram_cosine, word_overlap
from rig.models.base import AbstractLanguageModel, Embeds
from rig.tasks.base import AbstractTask, TaskColumn, TaskData, TaskResult

ALWAYS_THERE = "assin2"
"""The data set whose column exists, empty, also where its file is not configured."""

_PREFIX = "similarity."
_NAME = re.compile(r"[a-z0-9_]+")
_BASELINES: Mapping[str, Callable[[str, str], float]] = {
    "word_overlap": word_overlap,
    "trigram_cosine": trigram_cosine,
    "negative_length_difference": negative_length_difference,
}


@final
@dataclass(frozen=True, slots=True)
class _PearsonOf:
    """Pearson's correlation over the items of one data set: those whose id begins with its name."""

    dataset: str

    def __call__(self, items: Sequence[Item]) -> float | None:
        own = _items_of(items, self.dataset)
        return pearson([item.predicted for item in own], [item.gold for item in own])


@final
class SimilarityTask(AbstractTask):
    """The task `similarity`. Files are `data.similarity.NAME`; each fills a column `sim_NAME`.

    Options:
        layers: Whose states are averaged before the cosine; 0 is the input embedding, -1 the last (default).
    """

    name: ClassVar[str] = "similarity"

    def __init__(self, options: Mapping[str, Any], data: TaskData) -> None:
        self._layers = _layers(options)
        names = sorted(key.removeprefix(_PREFIX) for key in data.files if key.startswith(_PREFIX))
        for name in names:
            if not _NAME.fullmatch(name):
                raise ConfigError(
                    f"`data.similarity.{name}`: a data set's name becomes a column, so it must be lower-case "
                    "letters, digits and underscores"
                )
        self._datasets = {name: read_similarity_pairs(data.files[_PREFIX + name]) for name in names}

    def columns(self) -> tuple[TaskColumn, ...]:
        """`sim_assin2` first, whether or not it is configured, then the others by name."""
        others = [name for name in self._datasets if name != ALWAYS_THERE]
        return tuple(
            TaskColumn(
                name=f"sim_{name}",
                statistic=_PearsonOf(name),
                unit="Pearson r",
                direction="higher",
                definition=(
                    f"Pearson correlation, over the pairs of {name}, of human similarity with the cosine of "
                    f"mean-pooled states after layers {', '.join(map(str, self._layers))}."
                ),
            )
            for name in (ALWAYS_THERE, *others)
        )

    def run(self, model: AbstractLanguageModel, *, seed: int) -> TaskResult:
        """Embed all sentences in one call. Nothing here is random. Without `embed` the columns stay empty.

        Raises:
            ModelError: The model gave a sentence a state without a direction; the pair is named.
        """
        reasons = {}
        if ALWAYS_THERE not in self._datasets:
            reasons[f"sim_{ALWAYS_THERE}"] = f"data.similarity.{ALWAYS_THERE} is not set"
        if not isinstance(model, Embeds):
            no_states = "this kind's model has no sentence states (no `embed`)"
            return TaskResult(
                items=(), reasons={f"sim_{name}": no_states for name in self._datasets} | reasons
            )
        items: list[Item] = []
        facts: dict[str, Any] = {}
        cosines = _cosines(model, self._datasets, self._layers)
        for name, pairs in self._datasets.items():
            gold = [pair.score for pair in pairs]
            items.extend(
                Item(
                    item_id=f"{name}/{pair.pair_id}",
                    cluster_id=f"{name}/{pair.pair_id}",
                    cell="",
                    predicted=cosine,
                    gold=pair.score,
                )
                for pair, cosine in zip(pairs, cosines[name], strict=True)
            )
            facts[name] = _facts(pairs, cosines[name])
            if reason := undefined_because(cosines[name], gold):
                reasons[f"sim_{name}"] = reason
        return TaskResult(
            items=tuple(items),
            facts={
                "layers": list(self._layers),
                "pooling": "mean over tokens, then over layers",
                "datasets": facts,
            },
            reasons=reasons,
        )


def cosine(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Cosine of the angle between the rows of two arrays.

    Args:
        a: (n, d) finite, no row of zeros.
        b: (n, d) likewise.

    Returns:
        (n,) in [-1, 1]; scale of a row does not matter.
    """
    unit_a, unit_b = (
        scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
        for scaled in (x / np.abs(x).max(axis=1, keepdims=True) for x in (a, b))  # no overflow in the squares
    )
    cosines: npt.NDArray[np.float64] = np.clip((unit_a * unit_b).sum(axis=1), -1.0, 1.0)
    return cosines


def _cosines(
    model: Embeds, datasets: Mapping[str, Sequence[SentencePair]], layers: Sequence[int]
) -> dict[str, list[float]]:
    pairs = [(f"{name}/{pair.pair_id}", pair) for name, members in datasets.items() for pair in members]
    if not pairs:
        return {}
    texts = [pair.first for _, pair in pairs] + [pair.second for _, pair in pairs]
    states = np.asarray(model.embed(texts, layers=layers), dtype=np.float64)
    if states.ndim != 2 or len(states) != len(texts):
        raise ModelError(f"`embed` must return ({len(texts)}, d_model) states, got shape {states.shape}")
    for row, state in enumerate(states):
        problem = "not finite" if not np.isfinite(state).all() else "zero" if not state.any() else None
        if problem is not None:
            item_id = pairs[row % len(pairs)][0]
            raise ModelError(
                f"similarity pair '{item_id}': the state of {texts[row]!r} is {problem}, so it has no "
                "direction; check the model's `embed`"
            )
    values = iter(cosine(states[: len(pairs)], states[len(pairs) :]).tolist())
    return {name: [next(values) for _ in members] for name, members in datasets.items()}


def _facts(pairs: Sequence[SentencePair], cosines: Sequence[float]) -> dict[str, Any]:
    gold = [pair.score for pair in pairs]
    baselines = {
        name: [similarity(pair.first, pair.second) for pair in pairs]
        for name, similarity in _BASELINES.items()
    }
    return {
        "n_pairs": len(pairs),
        "pearson": pearson(cosines, gold),
        "spearman": spearman(cosines, gold),
        "baseline_pearson": {name: pearson(values, gold) for name, values in baselines.items()},
    }


def _items_of(items: Sequence[Item], dataset: str) -> list[Item]:
    return [item for item in items if item.item_id.startswith(f"{dataset}/")]


def _layers(options: Mapping[str, Any]) -> tuple[int, ...]:
    for name in options:
        if name != "layers":
            raise ConfigError(f"unknown option `task.similarity.{name}`. {did_you_mean(name, ['layers'])}")
    layers = options.get("layers", [-1])
    if (
        not isinstance(layers, Sequence)
        or isinstance(layers, str)
        or not layers
        or not all(isinstance(layer, int) and not isinstance(layer, bool) for layer in layers)
        or len(set(layers)) != len(layers)
    ):
        raise ConfigError(
            f"`task.similarity.layers` must be a list of different whole numbers, got {layers!r}"
        )
    return tuple(layers)

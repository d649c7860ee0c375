"""Condition E: how plausible a tree is under a head automaton, words left out.

Each word emits its dependents to either side, outward, and then STOP; a dependent is the pair
(relation, tag). The probability of the next emission depends on the head's tag, the head's relation, the side
and the relation of the sibling emitted just before (Eisner 1996; Collins 1999, delexicalised). Estimates back
off by the Witten-Bell rule (1991): from the full context to (head's tag, head's relation, side), to (head's
tag, side), to (side), to a uniform distribution over the emissions that were seen and one that was not.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, final

from rig.core.errors import DataError
from rig.core.files import write_text
from rig.core.fingerprint import canonical_json
from rig.core.sentences import Sentence, Word
from rig.parsers.tree_checks import children_of, is_well_formed

Context = tuple[str, ...]
Event = tuple[str, str]

THRESHOLD_QUANTILE = 0.05
"""The threshold lets 95% of automatically parsed held-out human sentences pass."""

_SCHEMA = 1
_STOP: Event = ("STOP", "")
_ROOT: Context = ("ROOT", "ROOT", "right", "START")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HeadAutomaton:
    """Counts of dependents, and the probabilities that follow from them."""

    counts: dict[Context, Counter[Event]]
    """Context, full or shortened, to how often each dependent came next in it."""
    threshold: float
    """A tree passes if its score is at least this: nats per word, < 0."""
    n_sentences: int
    """Sentences that were counted."""
    model_sha256: str
    """Of the parser that the threshold was set with; the table fits no other."""
    _totals: dict[Context, int] = field(init=False, repr=False, compare=False, default_factory=dict)
    _n_events: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        self._totals.update({context: counter.total() for context, counter in self.counts.items()})
        n_events = len(self.counts[()]) + 1 if () in self.counts else 1
        object.__setattr__(self, "_n_events", n_events)

    def score(self, sentence: Sentence) -> float:
        """Mean log-probability per word of a well-formed tree, nats, < 0.

        The sum runs over all emissions, STOPs included, and is divided by the number of words.
        """
        total = sum(math.log(self.probability(context, event)) for context, event in emissions(sentence))
        return total / len(sentence.words)

    def is_plausible(self, sentence: Sentence) -> bool:
        """Condition E of a well-formed tree."""
        return self.score(sentence) >= self.threshold

    def probability(self, context: Context, event: Event) -> float:
        """Witten-Bell estimate in (0, 1]: lambda x relative frequency + (1 - lambda) x back-off.

        lambda = n / (n + types), with n tokens and `types` distinct events seen in the context.
        """
        probability = 1.0 / self._n_events
        for shorter in reversed(_backoff(context)):
            counter = self.counts.get(shorter)
            if counter:
                seen = self._totals[shorter]
                probability = (counter[event] + len(counter) * probability) / (seen + len(counter))
        return probability

    def to_json(self) -> dict[str, Any]:
        """The table as plain values; full contexts only, the rest follows from them."""
        rows = {
            "\t".join(context): {"\t".join(event): n for event, n in sorted(counter.items())}
            for context, counter in sorted(self.counts.items())
            if len(context) == len(_ROOT)
        }
        return {
            "schema": _SCHEMA,
            "threshold": self.threshold,
            "threshold_quantile": THRESHOLD_QUANTILE,
            "n_sentences": self.n_sentences,
            "model_sha256": self.model_sha256,
            "counts": rows,
        }

    @classmethod
    def from_json(cls, table: Mapping[str, Any]) -> "HeadAutomaton":
        """The inverse of `to_json`; ValueError, KeyError, TypeError or AttributeError for anything else."""
        if table["schema"] != _SCHEMA:
            raise ValueError(f"schema {table['schema']}")
        counts = _tally(
            (tuple(context.split("\t")), _event(event), int(n))
            for context, row in table["counts"].items()
            for event, n in row.items()
        )
        threshold = float(table["threshold"])
        if not (math.isfinite(threshold) and threshold <= 0 and counts):
            raise ValueError(f"threshold {threshold} over {len(counts)} contexts")
        return cls(
            counts=counts,
            threshold=threshold,
            n_sentences=int(table["n_sentences"]),
            model_sha256=str(table["model_sha256"]),
        )

    def write(self, path: Path) -> None:
        """Write the table as canonical JSON, atomically."""
        write_text(path, canonical_json(self.to_json()) + "\n")

    @classmethod
    def read(cls, path: Path) -> "HeadAutomaton":
        """Read a table that `write` wrote.

        Raises:
            DataError: The file is missing or is not such a table.
        """
        try:
            return cls.from_json(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"plausibility table '{path.name}' can't be read ({error}); "
                "write it again with `rig parser train`"
            ) from None


def fit_head_automaton(
    train: Iterable[Sentence], held_out: Iterable[Sentence], *, model_sha256: str
) -> HeadAutomaton:
    """Count trees, and set the threshold at the 5th percentile of the held-out scores.

    Trees that aren't well formed are left out.

    Args:
        train: Trees to count: the parser's own training treebank, or parsed text of the same kind.
        held_out: Human sentences that are not in `train`, parsed by the parser that will be used.
        model_sha256: That parser's hash.

    Raises:
        DataError: Either has no well-formed tree.
    """
    n_sentences, counted = 0, Counter[tuple[Context, Event]]()
    for sentence in train:
        if is_well_formed(sentence.words):
            n_sentences += 1
            counted.update(emissions(sentence))
    judged = [sentence for sentence in held_out if is_well_formed(sentence.words)]
    if not n_sentences or not judged:
        raise DataError(
            f"a plausibility table needs train and held-out sentences, got {n_sentences} and {len(judged)}; "
            "give annotations with a train and a validation split"
        )
    counts = _tally((context, event, n) for (context, event), n in counted.items())
    unset = HeadAutomaton(counts=counts, threshold=0.0, n_sentences=n_sentences, model_sha256=model_sha256)
    scores = sorted(unset.score(sentence) for sentence in judged)
    return replace(unset, threshold=scores[math.floor(THRESHOLD_QUANTILE * len(scores))])


def emissions(sentence: Sentence) -> Iterator[tuple[Context, Event]]:
    """Each emission of a tree: context (head's tag, its relation, side, previous sibling) and event."""
    words = sentence.words
    children = children_of(words)
    root = words[children[0][0] - 1]
    yield _ROOT, (root.deprel, root.upos)
    for position, head in enumerate(words, start=1):
        left = [words[child - 1] for child in reversed(children[position]) if child < position]
        right = [words[child - 1] for child in children[position] if child > position]
        yield from _chain(head, "left", left)
        yield from _chain(head, "right", right)


def _chain(head: Word, side: str, dependents: list[Word]) -> Iterator[tuple[Context, Event]]:
    previous = "START"
    for dependent in dependents:
        yield (head.upos, head.deprel, side, previous), (dependent.deprel, dependent.upos)
        previous = dependent.deprel
    yield (head.upos, head.deprel, side, previous), _STOP


def _backoff(context: Context) -> tuple[Context, ...]:
    """A full context and its shorter forms, longest first; each begins with its length's own fields."""
    tag, deprel, side, _ = context
    return context, (tag, deprel, side), (tag, side), (side,), ()


def _tally(counted: Iterable[tuple[Context, Event, int]]) -> dict[Context, Counter[Event]]:
    counts: dict[Context, Counter[Event]] = {}
    for context, event, n in counted:
        for shorter in _backoff(context):
            counts.setdefault(shorter, Counter())[event] += n
    return counts


def _event(text: str) -> Event:
    deprel, upos = text.split("\t")
    return deprel, upos

"""The items of the task `generation`, and its three columns as functions of them.

One item a scored sentence and figure; `cell` says which figure: one of the five conditions, `parsed` for
their conjunction, `depth`, or one of the two controls, `reference` (human text) and `shuffled` (the generated
words in random order). So everything that is reported can be derived from the items again.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from rig.core.items import Item
from rig.parsers.parse_quality import CONDITIONS, SentenceVerdict
from rig.parsers.tree_depth import DepthByLength

PARSED: Final = "parsed"
DEPTH: Final = "depth"
REFERENCE: Final = "reference"
SHUFFLED: Final = "shuffled"

MIN_SEPARATION: Final = 0.3
"""A parser that tells human text from shuffled words by less is unfit for `parse_rate`."""


def parse_rate(items: Sequence[Item]) -> float | None:
    """Share of scored sentences that pass all five conditions.

    None where nothing was scored, or where the controls lie closer than `MIN_SEPARATION`: then the parser
    can't tell text from word salad, and the rate says nothing.
    """
    separation = control_separation(items)
    if separation is None or separation < MIN_SEPARATION:
        return None
    return mean_of(items, PARSED)


def tree_valid_rate(items: Sequence[Item]) -> float | None:
    """Share of scored sentences whose parse is one tree, condition A; None where nothing was scored."""
    return mean_of(items, CONDITIONS[0])


def tree_depth(items: Sequence[Item]) -> float | None:
    """Mean number of nodes on the longest path from the root; None where no sentence was scored."""
    return mean_of(items, DEPTH)


def control_separation(items: Sequence[Item]) -> float | None:
    """The parse rate of human text minus that of shuffled words; None where either has no sentence."""
    reference, shuffled = mean_of(items, REFERENCE), mean_of(items, SHUFFLED)
    return None if reference is None or shuffled is None else reference - shuffled


def mean_of(items: Sequence[Item], cell: str) -> float | None:
    """Mean of `predicted` over the items of a cell; None where there is none."""
    values = [item.predicted for item in items if item.cell == cell]
    return sum(values) / len(values) if values else None


def sentence_items(
    verdict: SentenceVerdict, *, sentence: str, prompt: str, human_depth: DepthByLength
) -> Iterator[Item]:
    """The items of one generated sentence; the gold depth is that of human sentences of its length."""
    for name, passed in zip(CONDITIONS, verdict.conditions, strict=True):
        yield pass_item(passed, sentence=sentence, cluster=prompt, cell=name)
    yield pass_item(verdict.is_parsed, sentence=sentence, cluster=prompt, cell=PARSED)
    human = human_depth.mean(verdict.n_words)
    if human is not None:
        yield Item(
            item_id=f"{sentence}|{DEPTH}",
            cluster_id=prompt,
            cell=DEPTH,
            predicted=float(verdict.depth),
            gold=human,
        )


def failed_items(*, sentence: str, prompt: str) -> Iterator[Item]:
    """The items of an empty output: it fails every condition and has no depth."""
    for name in (*CONDITIONS, PARSED):
        yield pass_item(False, sentence=sentence, cluster=prompt, cell=name)


def pass_item(passed: bool, *, sentence: str, cluster: str, cell: str) -> Item:
    """One yes-or-no answer about a sentence; yes is right."""
    return Item(
        item_id=f"{sentence}|{cell}", cluster_id=cluster, cell=cell, predicted=float(passed), gold=1.0
    )

"""What a data set holds: counts by split, classes, how much of the test text was seen in training."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import pyarrow as pa

from rig.core.documents import WORD_CLASSES, word_class
from rig.data.annotations import Annotations
from rig.data.blocks import Block
from rig.data.schema import SPLITS, Metadata
from rig.data.unit_strata import columns_for, unit_rows


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How much of the test split's text occurs in the train split, sentence by sentence, to the letter."""

    n_test: int
    """Sentences of the test split."""
    n_overlapping: int
    """Those whose text is also the text of a train sentence."""
    share: float | None
    """n_overlapping / n_test; None without test sentences."""
    n_test_chars: int
    """Code points of the test sentences."""
    n_overlapping_chars: int
    """Code points of the overlapping ones."""
    share_of_chars: float | None
    """n_overlapping_chars / n_test_chars: long sentences overlap less often than short ones."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCounts:
    """What one split holds."""

    split: str
    n_documents: int
    n_sentences: int
    n_words: int
    """Syntactic words."""
    n_units: int
    """Surface units: plain words and multiword tokens."""
    n_multiword: int
    """Multiword tokens."""
    n_chars: int
    """Unicode code points of the documents' texts."""
    n_bytes: int
    """UTF-8 bytes of the same."""
    words_by_upos: Mapping[str, int]
    """Words of each universal tag, most frequent first."""
    units_by_class: Mapping[str, int]
    """Units of each reported class; a multiword token has the class of its outermost word."""

    @property
    def multiword_share(self) -> float | None:
        """Multiword tokens among units; None without units."""
        return self.n_multiword / self.n_units if self.n_units else None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A data set in numbers."""

    metadata: Metadata
    splits: tuple[SplitCounts, ...]
    """Train, validation, test."""
    overlap: Overlap
    content_sha256: Mapping[str, str]
    """Of each table's rows."""
    extra_lines: tuple[str, ...] = ()
    """What else is known of this data set, for example the exact entropy of its language."""


def describe(
    annotations: Annotations, extra_lines: Callable[[Annotations], Sequence[str]] | None = None
) -> Description:
    """Count what a data set holds.

    Args:
        annotations: The data set.
        extra_lines: Says what else is known of it.
    """
    counts = {split: _Counts() for split in SPLITS}
    blocks = annotations.blocks(sentence_columns=["sent_id"], word_columns=[*columns_for(()), "in_mwt"])
    for block in blocks:
        _count_block(block, counts)
    return Description(
        metadata=annotations.metadata,
        splits=tuple(counts[split].result(split) for split in SPLITS),
        overlap=sentence_overlap(annotations),
        content_sha256=annotations.content_sha256(),
        extra_lines=tuple(extra_lines(annotations)) if extra_lines else (),
    )


def sentence_overlap(annotations: Annotations) -> Overlap:
    """How much of the test text was in the training text: measured, never removed."""
    train = {_digest(text) for text in _sentence_texts(annotations, "train")}
    n_test = n_overlapping = n_test_chars = n_overlapping_chars = 0
    for text in _sentence_texts(annotations, "test"):
        seen = _digest(text) in train
        n_test += 1
        n_test_chars += len(text)
        n_overlapping += seen
        n_overlapping_chars += len(text) * seen
    return Overlap(
        n_test=n_test,
        n_overlapping=n_overlapping,
        share=n_overlapping / n_test if n_test else None,
        n_test_chars=n_test_chars,
        n_overlapping_chars=n_overlapping_chars,
        share_of_chars=n_overlapping_chars / n_test_chars if n_test_chars else None,
    )


@final
class _Counts:
    """Running counts of one split."""

    def __init__(self) -> None:
        self.numbers = Counter[str]()
        self.upos = Counter[str]()
        self.classes = Counter[str]()

    def result(self, split: str) -> SplitCounts:
        return SplitCounts(
            split=split,
            n_documents=self.numbers["documents"],
            n_sentences=self.numbers["sentences"],
            n_words=self.numbers["words"],
            n_units=self.numbers["units"],
            n_multiword=self.numbers["multiword"],
            n_chars=self.numbers["chars"],
            n_bytes=self.numbers["bytes"],
            words_by_upos=dict(sorted(self.upos.items(), key=lambda item: (-item[1], item[0]))),
            units_by_class={name: self.classes[name] for name in WORD_CLASSES},
        )


def _count_block(block: Block, counts: Mapping[str, _Counts]) -> None:
    """Add a block's documents to the counts of their splits."""
    rows = unit_rows(block.words, block.word_bounds)
    upos = block.words["upos"].to_numpy()
    multiword = block.words["in_mwt"].to_numpy()[rows.start]
    splits = np.array(block.documents["split"].to_pylist(), object)
    word_split = np.repeat(splits, np.diff(block.word_bounds))
    texts = block.documents["text"].to_pylist()
    n_sentences = np.diff(block.sentence_bounds)
    for split, running in counts.items():
        here = splits == split
        units = word_split[rows.start] == split
        running.numbers["documents"] += int(here.sum())
        running.numbers["sentences"] += int(n_sentences[here].sum())
        running.numbers["words"] += int((word_split == split).sum())
        running.numbers["units"] += int(units.sum())
        running.numbers["multiword"] += int(multiword[units].sum())
        for text in (texts[row] for row in np.flatnonzero(here).tolist()):
            running.numbers["chars"] += len(text)
            running.numbers["bytes"] += len(text.encode())
        running.upos.update(upos[word_split == split].tolist())
        for tag, n_units in Counter(upos[rows.outermost[units]].tolist()).items():
            running.classes[word_class(tag)] += n_units


def _sentence_texts(annotations: Annotations, split: str) -> Iterator[str]:
    for block in annotations.blocks(sentence_columns=["text"]):
        its_splits = np.array(block.documents["split"].to_pylist(), object)
        mask = np.repeat(its_splits == split, np.diff(block.sentence_bounds))
        yield from block.sentences["text"].filter(pa.array(mask)).to_pylist()


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()

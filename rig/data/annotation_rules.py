"""The rules that a data set keeps, each as a function from a block to the rows that break it."""

import hashlib
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from rig.core.sentences import UPOS_TAGS
from rig.data.block_view import BlockView, BoolArray, as_mask, changes, group_size, positions_in_group
from rig.data.schema import SCHEMAS, SPLITS
from rig.data.sentence_faults import sorted_features


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule about the rows of one table."""

    name: str
    """What holds, as a sentence."""
    table: str
    broken: Callable[[BlockView], BoolArray]
    """(n_rows of the table,) where it doesn't hold."""


def _missing_values(table: str) -> Callable[[BlockView], BoolArray]:
    def broken(view: BlockView) -> BoolArray:
        rows = view.tables[table]
        missing = np.zeros(rows.num_rows, bool)
        for field in SCHEMAS[table]:
            if not field.nullable and rows[field.name].null_count:
                missing |= rows[field.name].is_null().to_numpy()
        return missing

    return broken


# --- documents


def _text_not_nfc(view: BlockView) -> BoolArray:
    return as_mask([not unicodedata.is_normalized("NFC", text) for text in view.texts("documents", "text")])


def _hash_differs(view: BlockView) -> BoolArray:
    texts, hashes = view.texts("documents", "text"), view.texts("documents", "sha256")
    return as_mask([hashlib.sha256(t.encode()).hexdigest() != h for t, h in zip(texts, hashes, strict=True)])


def _unknown_split(view: BlockView) -> BoolArray:
    return as_mask([split not in SPLITS for split in view.texts("documents", "split")])


def _text_outside_units(view: BlockView) -> BoolArray:
    units = view.unit_begins
    document = view.word_document[units]
    start, end = (view.numbers("words", f"unit_{side}_char")[units] for side in ("start", "end"))
    covered = np.bincount(document, view.n_written(document, start, end), minlength=len(view))
    everything = np.arange(len(view))
    written: BoolArray = covered != view.n_written(everything, np.zeros_like(view.n_chars), view.n_chars)
    return written


# --- sentences


def _sentence_span(view: BlockView) -> BoolArray:
    start, end = (view.numbers("sentences", f"char_{side}") for side in ("start", "end"))
    return as_mask((start < 0) | (start >= end) | (end > view.n_chars[view.sentence_document]))


def _sentence_text(view: BlockView) -> BoolArray:
    start, end = (view.numbers("sentences", f"char_{side}") for side in ("start", "end"))
    slices = view.slices(view.sentence_document, start, end)
    return as_mask([a != b for a, b in zip(slices, view.texts("sentences", "text"), strict=True)])


def _sentence_order(view: BlockView) -> BoolArray:
    begins = changes(view.sentence_document)
    start, end = (view.numbers("sentences", f"char_{side}") for side in ("start", "end"))
    index = view.numbers("sentences", "sent_index")
    overlaps = np.zeros(len(begins), bool)
    overlaps[1:] = ~begins[1:] & (start[1:] < end[:-1])
    return as_mask(overlaps | (index != positions_in_group(begins)))


def _sentence_counts(view: BlockView) -> BoolArray:
    found = view.word_sentence >= 0
    n_sentences = view.n_rows("sentences")
    n_words = np.bincount(view.word_sentence[found], minlength=n_sentences)
    n_units = np.bincount(view.word_sentence[found & view.unit_begins], minlength=n_sentences)
    wrong_words = n_words != view.numbers("sentences", "n_words")
    wrong_units = n_units != view.numbers("sentences", "n_units")
    return as_mask(wrong_words | wrong_units | (n_words == 0))


def _roots(view: BlockView) -> BoolArray:
    rows = view.word_sentence[(view.numbers("words", "head") == 0) & (view.word_sentence >= 0)]
    roots: BoolArray = np.bincount(rows, minlength=view.n_rows("sentences")) != 1
    return roots


# --- words


def _word_order(view: BlockView) -> BoolArray:
    sentence = view.word_sentence
    backward = np.zeros(len(sentence), bool)
    backward[1:] = (np.diff(sentence) < 0) & (np.diff(view.word_document) == 0)
    return backward | (sentence < 0)


def _word_ids(view: BlockView) -> BoolArray:
    return as_mask(view.numbers("words", "word_id") != positions_in_group(view.sentence_begins) + 1)


def _unit_ids(view: BlockView) -> BoolArray:
    nth = np.cumsum(view.unit_begins)
    due = nth - nth[view.sentence_first] if len(nth) else nth
    return as_mask(view.numbers("words", "unit_id") != due)


def _unit_span(view: BlockView) -> BoolArray:
    start, end = (view.numbers("words", f"unit_{side}_char") for side in ("start", "end"))
    sentence = view.word_sentence
    if not view.n_rows("sentences"):
        return np.ones(len(sentence), bool)
    low, high = (view.numbers("sentences", f"char_{side}")[sentence] for side in ("start", "end"))
    return as_mask((start >= end) | (start < low) | (end > high))


def _unit_text(view: BlockView) -> BoolArray:
    start, end = (view.numbers("words", f"unit_{side}_char") for side in ("start", "end"))
    slices = view.slices(view.word_document, start, end)
    return as_mask([not a or a != b for a, b in zip(slices, view.texts("words", "unit_form"), strict=True)])


def _unit_overlap(view: BlockView) -> BoolArray:
    start, end = (view.numbers("words", f"unit_{side}_char") for side in ("start", "end"))
    overlaps = np.zeros(len(start), bool)
    same_document = np.diff(view.word_document) == 0
    overlaps[1:] = view.unit_begins[1:] & same_document & (start[1:] < end[:-1])
    return overlaps


def _space_after(view: BlockView) -> BoolArray:
    # Of a sentence's last unit the flag says how the source went on, which the document need not keep.
    start, end = (view.numbers("words", f"unit_{side}_char") for side in ("start", "end"))
    last = np.zeros(len(start), bool)
    last[:-1] = view.unit_begins[1:] & ~view.sentence_begins[1:]
    rows = np.flatnonzero(last)
    gap_is_written = view.n_written(view.word_document[rows], end[rows], start[rows + 1]) > 0
    broken = np.zeros(len(start), bool)
    broken[rows] = gap_is_written | (
        view.flags("words", "space_after")[rows] != (start[rows + 1] > end[rows])
    )
    return broken


def _multiword(view: BlockView) -> BoolArray:
    begins, size = view.unit_begins, view.numbers("words", "mwt_size")
    position = view.numbers("words", "mwt_pos")
    broken = as_mask((size != group_size(begins)) | (position != positions_in_group(begins)))
    broken |= ~view.flags("words", "in_mwt") & (size != 1)
    start, end = (view.numbers("words", f"unit_{side}_char") for side in ("start", "end"))
    flags = [view.flags("words", name).astype(np.int64) for name in ("in_mwt", "space_after")]
    broken[1:] |= ~begins[1:] & changes(start, end, *flags)[1:]
    return broken


def _plain_form(view: BlockView) -> BoolArray:
    columns = (view.texts("words", name) for name in ("form", "unit_form", "misc"))
    differs = as_mask([f != u and "CorrectForm=" not in m for f, u, m in zip(*columns, strict=True)])
    return as_mask(differs & ~view.flags("words", "in_mwt"))


def _upos(view: BlockView) -> BoolArray:
    return ~view.where_text("words", "upos", frozenset(UPOS_TAGS).__contains__)


def _head(view: BlockView) -> BoolArray:
    head = view.numbers("words", "head")
    own = positions_in_group(view.sentence_begins) + 1
    return as_mask((head < 0) | (head > view.sentence_size) | (head == own))


def _circle(view: BlockView) -> BoolArray:
    """Words from which following heads never ends; heads out of range are another rule's."""
    head, n_words = view.numbers("words", "head"), view.n_rows("words")
    inside = (head >= 1) & (head <= view.sentence_size)
    ancestor = np.append(np.where(inside, view.sentence_first + head - 1, n_words), n_words)
    n_steps = int(view.sentence_size.max(initial=1))
    for _ in range(n_steps.bit_length()):  # each round doubles how far up a word looks
        ancestor = ancestor[ancestor]
    return as_mask(ancestor[:-1] != n_words)


def _root_relation(view: BlockView) -> BoolArray:
    return as_mask((view.numbers("words", "head") == 0) != view.where_text("words", "deprel", "root".__eq__))


def _relation(view: BlockView) -> BoolArray:
    return ~view.where_text("words", "deprel", lambda deprel: deprel not in ("", "_"))


def _features(view: BlockView) -> BoolArray:
    return ~view.where_text("words", "feats", lambda feats: not feats or sorted_features(feats))


RULES: tuple[Rule, ...] = (
    *(Rule(name=f"no required value of {t} is missing", table=t, broken=_missing_values(t)) for t in SCHEMAS),
    Rule(name="a document's text is NFC", table="documents", broken=_text_not_nfc),
    Rule(name="a document's sha256 is that of its text", table="documents", broken=_hash_differs),
    Rule(name="a document's split is train, validation or test", table="documents", broken=_unknown_split),
    Rule(name="a sentence lies inside its document", table="sentences", broken=_sentence_span),
    Rule(name="a sentence's text is its slice of the document", table="sentences", broken=_sentence_text),
    Rule(name="sentences are numbered from 0, in order, apart", table="sentences", broken=_sentence_order),
    Rule(name="n_words and n_units count the sentence's rows", table="sentences", broken=_sentence_counts),
    Rule(name="words follow their sentences' order", table="words", broken=_word_order),
    Rule(name="word_id counts from 1", table="words", broken=_word_ids),
    Rule(name="unit_id counts from 0", table="words", broken=_unit_ids),
    Rule(name="a unit lies inside its sentence", table="words", broken=_unit_span),
    Rule(name="unit_form is the unit's slice of the document", table="words", broken=_unit_text),
    Rule(name="units don't overlap", table="words", broken=_unit_overlap),
    Rule(name="between units lies white space, just where space_after", table="words", broken=_space_after),
    Rule(name="everything but white space lies in units", table="documents", broken=_text_outside_units),
    Rule(name="a multiword token's rows agree, and number mwt_size", table="words", broken=_multiword),
    Rule(name="a plain word's form is its unit's (but CorrectForm)", table="words", broken=_plain_form),
    Rule(name="upos is one of the 17 universal tags", table="words", broken=_upos),
    Rule(name="head is another word of the sentence, or 0", table="words", broken=_head),
    Rule(name="a sentence has one root", table="sentences", broken=_roots),
    Rule(name="heads don't run in a circle", table="words", broken=_circle),
    Rule(name="deprel is given", table="words", broken=_relation),
    Rule(name="deprel is root exactly where head is 0", table="words", broken=_root_relation),
    Rule(name="feats are Name=Value pairs, sorted, each name once", table="words", broken=_features),
)  # fmt: skip
"""In the order in which they are checked; a later one may assume nothing of an earlier one."""

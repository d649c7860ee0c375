"""A user's existing dependency parquet to a data set: one row a word, or one row a sentence with lists.

The second is the shape of Hugging Face's `universal_dependencies` and of ud-hf-parquet-tools: tokens, lemmas,
upos, ... are lists, multiword tokens and empty nodes stand apart. Offsets are always computed from the text;
given ones are compared with them.
"""

import itertools
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

from rig.core.errors import DataError, did_you_mean
from rig.data.annotation_writer import DocumentRecord, refuse_occupied, write_annotations
from rig.data.conllu_import import DocumentPer, SentenceGrouping
from rig.data.conllu_sentence import ConlluSentence, OnTextMismatch, SentenceBuilder
from rig.data.parquet_columns import UserTable
from rig.data.parquet_sentences import RawSentence, raw_sentences
from rig.data.schema import SPLITS, Metadata
from rig.data.sentence_faults import unit_spans

_SPLIT_NAMES = {split: split for split in SPLITS} | {"dev": "validation"}


def import_parquet(
    files: Mapping[str, Path] | Path,
    out: Path,
    metadata: Metadata,
    *,
    columns: Mapping[str, str] | None = None,
    document_per: DocumentPer = "mark",
    on_text_mismatch: OnTextMismatch = "refuse",
    normalise: bool = False,
    overwrite: bool = False,
) -> None:
    """Make a data set from parquet files of words or sentences.

    Args:
        files: One file for each split, or one whose column `split` says train, validation (or dev), test.
        out: The new folder.
        metadata: What the data set says of itself.
        columns: What a column means to its name, where the two differ; see `ROLES`.
        document_per: What a document is: what `doc_id` (or a newdoc comment) says, a sentence, or a file.
        on_text_mismatch: See `read_conllu`.
        normalise: See `read_conllu`.
        overwrite: Replace an existing data set.

    Raises:
        DataError: A file, column or value is missing or malformed; names it and what is accepted.
    """
    refuse_occupied(out, overwrite=overwrite)
    columns = columns or {}
    if isinstance(files, Path):
        tables = {"": UserTable(files, columns)}
        tables[""].require("split")
        if document_per == "file":
            raise DataError(f"{files}: a document per file needs one file for each split")
    else:
        missing = [split for split in SPLITS if split not in files]
        if missing:
            raise DataError(f"the {missing[0]} file is missing; name one for each of {', '.join(SPLITS)}")
        tables = {split: UserTable(files[split], columns) for split in SPLITS}
    grouping = SentenceGrouping(document_per)

    def records() -> Iterator[DocumentRecord]:
        for given_split, table in tables.items():
            sentences = _sentences(table, given_split, on_text_mismatch=on_text_mismatch, normalise=normalise)
            for split, run in itertools.groupby(sentences, lambda pair: pair[0]):
                for doc_id, its_sentences in grouping.group(table.path, (item for _, item in run)):
                    yield DocumentRecord(
                        doc_id=doc_id,
                        split=split,
                        source=metadata.source,
                        licence=metadata.licence,
                        sentences=its_sentences,
                    )

    write_annotations(out, records(), metadata, overwrite=overwrite)


def _sentences(
    table: UserTable, given_split: str, *, on_text_mismatch: OnTextMismatch, normalise: bool
) -> Iterator[tuple[str, ConlluSentence]]:
    """Each sentence with its split."""
    builder = SentenceBuilder(table.path, on_text_mismatch)
    before: tuple[str, str | None] | None = None
    for raw in raw_sentences(table):
        split = given_split or _split_name(raw, table)
        place = (split, raw.doc_id)
        for line in _conllu_lines(raw, begins=raw.doc_id is not None and place != before):
            line = unicodedata.normalize("NFC", line) if normalise else line
            (builder.add_comment if line.startswith("# ") else builder.add_row)(line, raw.row)
        before = place
        finished = builder.finish(raw.row)
        _refuse_other_offsets(raw, finished, table.path)
        yield split, finished
    if not builder.n_sentences:
        raise DataError(f"{table.path} has no sentences; check that it is the right file")


def _conllu_lines(raw: RawSentence, *, begins: bool) -> Iterator[str]:
    comments = list(raw.comments)
    for key, value in (("text", raw.text), ("sent_id", raw.sent_id)):
        if value is not None:
            comments = [comment for comment in comments if comment.partition("=")[0].strip() != key]
            comments.insert(0, f"{key} = {value}")
    if begins:
        comments = [comment for comment in comments if not comment.startswith("newdoc")]
        comments.insert(0, f"newdoc id = {raw.doc_id}")
    yield from (f"# {comment}" for comment in comments)
    yield from ("\t".join(row) for row in raw.rows)


def _split_name(raw: RawSentence, table: UserTable) -> str:
    if raw.split not in _SPLIT_NAMES:
        known = did_you_mean(raw.split or "", _SPLIT_NAMES)
        raise DataError(f"{table.path}: row {raw.row}: unknown split {raw.split!r}. {known}")
    return _SPLIT_NAMES[raw.split]


def _refuse_other_offsets(raw: RawSentence, finished: ConlluSentence, path: Path) -> None:
    """Compare given offsets with computed ones, both from the sentence's first unit on.

    How a file's own document text joins its sentences is not known, so only distances inside one count.
    """
    if not raw.offsets:
        return
    sentence = finished.sentence
    spans = unit_spans(sentence)
    unit_of_word = [
        span
        for unit, span in zip(sentence.units, spans, strict=True)
        for _ in range(unit.first_word, unit.last_word + 1)
    ]
    words = [row for row in raw.rows if row[0].isdigit()]
    if len(raw.offsets) != len(words):
        raise DataError(f"{path}: row {raw.row}: offsets must stand on the rows of words only")
    shift = raw.offsets[0][0] - unit_of_word[0].start
    for word, (start, end), span in zip(words, raw.offsets, unit_of_word, strict=True):
        if (start - shift, end - shift) != (span.start, span.end):
            raise DataError(
                f"{path}: row {raw.row}: sentence '{sentence.sent_id}': word '{word[1]}' is given at {start} "
                f"to {end}, but lies at {span.start + shift} to {span.end + shift}; offsets are those of the "
                "surface token, in Unicode code points"
            )

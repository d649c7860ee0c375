"""Sentences to the three tables: rows are made and written a few documents at a time."""

import contextlib
import hashlib
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import pyarrow as pa
import pyarrow.parquet as pq

from rig.core.errors import DataError
from rig.core.sentences import Sentence
from rig.data.schema import SCHEMAS, Metadata, file_schema, open_table, require_split, table_path
from rig.data.sentence_faults import Span, refuse_faults, unit_spans

_WORDS_PER_ROW_GROUP = 65_536

Row = dict[str, Any]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """A document to be stored. Its text is its sentences' texts joined by one space."""

    doc_id: str
    split: str
    source: str
    licence: str
    sentences: tuple[Sentence, ...]


def write_annotations(
    out: Path, documents: Iterable[DocumentRecord], metadata: Metadata, *, overwrite: bool = False
) -> None:
    """Store a data set in a new folder, which appears whole or not at all.

    Documents are taken one by one and written in groups, so a data set of any size fits in memory.

    Args:
        out: The folder. It may exist if it is empty.
        documents: In the order to keep; splits may mix.
        metadata: What the files say of themselves.
        overwrite: Replace an existing data set, once the new one is complete.

    Raises:
        DataError: `out` is in use; a sentence is malformed; an id is there twice; nothing was given.
    """
    refuse_occupied(out, overwrite=overwrite)
    with _atomic_folder(out) as temporary, contextlib.ExitStack() as files:
        writers = {
            table: files.enter_context(
                pq.ParquetWriter(
                    table_path(temporary, table), file_schema(table, metadata), compression="zstd"
                )
            )
            for table in SCHEMAS
        }
        rows = _Rows()
        for document in documents:
            rows.add(document)
            if rows.n_words >= _WORDS_PER_ROW_GROUP:
                _flush(rows.take(), writers)
        if not rows.n_documents:
            raise DataError(f"{out}: there is nothing to write, not one document was given")
        _flush(rows.take(), writers)


def refuse_occupied(out: Path, *, overwrite: bool) -> None:
    """Refuse an output folder that holds something, unless it is a data set to be replaced.

    Raises:
        DataError: Says what is in the way.
    """
    if not out.exists() and not out.is_symlink():
        return
    if not out.is_dir() or out.is_symlink():
        raise DataError(f"{out} exists and is no folder; choose another --out")
    names = sorted(entry.name for entry in out.iterdir())
    if not names:
        return
    if not overwrite:
        raise DataError(f"{out} is not empty; choose another --out, or replace a data set with --overwrite")
    if names != sorted(f"{table}.parquet" for table in SCHEMAS):
        raise DataError(f"{out} holds other things than a data set ({names[0]}, ...); choose another --out")
    for table in SCHEMAS:
        open_table(out, table)


@contextlib.contextmanager
def _atomic_folder(out: Path) -> Iterator[Path]:
    """A temporary folder beside `out`, renamed to it when the block ends without an error."""
    out.parent.mkdir(parents=True, exist_ok=True)
    token = uuid.uuid4().hex[:12]
    temporary, replaced = (out.with_name(f".{out.name}.{token}.{end}") for end in ("tmp", "old"))
    temporary.mkdir()
    try:
        yield temporary
        for path in [*sorted(temporary.iterdir()), temporary]:
            _fsync(path)
        if out.is_dir():
            os.replace(out, replaced)
        try:
            os.replace(temporary, out)
        except OSError:
            if replaced.is_dir():
                os.replace(replaced, out)
            raise
        _fsync(out.parent)
        shutil.rmtree(replaced, ignore_errors=True)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@final
class _Rows:
    """Rows not yet written, and the ids seen so far."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Row]] = {table: [] for table in SCHEMAS}
        self._split_of: dict[str, str] = {}
        self._sent_ids: set[str] = set()

    @property
    def n_documents(self) -> int:
        return len(self._split_of)

    @property
    def n_words(self) -> int:
        return len(self._rows["words"])

    def take(self) -> dict[str, list[Row]]:
        taken, self._rows = self._rows, {table: [] for table in SCHEMAS}
        return taken

    def add(self, document: DocumentRecord) -> None:
        self._refuse_document(document)
        self._split_of[document.doc_id] = document.split
        offset, texts = 0, []
        for index, sentence in enumerate(document.sentences):
            where = f"sentence '{sentence.sent_id}' of document '{document.doc_id}'"
            if not sentence.sent_id or sentence.sent_id in self._sent_ids:
                raise DataError(f"{where}: `sent_id` must be unique in the data set and not empty; rename it")
            self._sent_ids.add(sentence.sent_id)
            try:
                refuse_faults(sentence)
                spans = unit_spans(sentence)
            except DataError as error:
                raise DataError(f"{where}: {error}") from error
            self._rows["sentences"].append(_sentence_row(document.doc_id, index, offset, sentence))
            self._rows["words"].extend(_word_rows(document.doc_id, offset, sentence, spans))
            texts.append(sentence.text)
            offset += len(sentence.text) + 1
        text = " ".join(texts)
        self._rows["documents"].append(
            {
                "doc_id": document.doc_id,
                "text": text,
                "split": document.split,
                "source": document.source,
                "licence": document.licence,
                "sha256": hashlib.sha256(text.encode()).hexdigest(),
            }
        )

    def _refuse_document(self, document: DocumentRecord) -> None:
        require_split(document.split)
        if not document.doc_id:
            raise DataError("a document's `doc_id` must not be empty")
        if not document.sentences:
            raise DataError(f"document '{document.doc_id}' has no sentences; leave it out")
        seen = self._split_of.get(document.doc_id)
        if seen is not None:
            where = f"twice in {seen}" if seen == document.split else f"in both {seen} and {document.split}"
            raise DataError(
                f"document '{document.doc_id}' is {where}; a document must stand in one split, once"
            )


def _sentence_row(doc_id: str, index: int, offset: int, sentence: Sentence) -> Row:
    return {
        "doc_id": doc_id,
        "sent_id": sentence.sent_id,
        "sent_index": index,
        "char_start": offset,
        "char_end": offset + len(sentence.text),
        "n_words": len(sentence.words),
        "n_units": len(sentence.units),
        "text": sentence.text,
        "comments": list(sentence.comments),
        "empty_nodes": list(sentence.empty_nodes),
    }


def _word_rows(doc_id: str, offset: int, sentence: Sentence, spans: list[Span]) -> Iterator[Row]:
    for unit_id, (unit, span) in enumerate(zip(sentence.units, spans, strict=True)):
        for word_id in range(unit.first_word, unit.last_word + 1):
            word = sentence.words[word_id - 1]
            yield {
                "doc_id": doc_id,
                "sent_id": sentence.sent_id,
                "word_id": word_id,
                "unit_id": unit_id,
                "unit_start_char": offset + span.start,
                "unit_end_char": offset + span.end,
                "unit_form": unit.form,
                "in_mwt": unit.is_multiword,
                "mwt_size": unit.last_word - unit.first_word + 1,
                "mwt_pos": word_id - unit.first_word,
                "unit_feats": unit.feats,
                "unit_misc": unit.misc,
                "form": word.form,
                "lemma": word.lemma,
                "upos": word.upos,
                "xpos": word.xpos,
                "feats": word.feats,
                "head": word.head,
                "deprel": word.deprel,
                "deps": word.deps,
                "space_after": unit.space_after,
                "misc": word.misc,
            }


def _flush(rows: dict[str, list[Row]], writers: dict[str, pq.ParquetWriter]) -> None:
    for table, its_rows in rows.items():
        if its_rows:
            try:
                writers[table].write_table(pa.Table.from_pylist(its_rows, schema=writers[table].schema))
            except (pa.ArrowException, OverflowError) as error:
                raise DataError(f"a value of the {table} table is out of range ({error})") from error


def _fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

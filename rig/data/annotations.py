"""A data set of annotated documents: opened, checked and read in document order, whatever its size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

import pyarrow.compute as pc

from rig.core.documents import AnnotatedDocument, Document
from rig.core.errors import DataError
from rig.data.annotation_writer import DocumentRecord, write_annotations
from rig.data.blocks import Block, read_blocks, read_documents, read_table
from rig.data.content_hash import content_sha256
from rig.data.schema import (
    SCHEMAS,
    SPLITS,
    Metadata,
    open_table,
    require_columns,
    require_split,
    stated_metadata,
    table_path,
)
from rig.data.stored_sentences import BlockSentences, SentenceInDocument
from rig.data.unit_strata import columns_for, units_by_document

__all__ = [
    "SPLITS",
    "Annotations",
    "DocumentRecord",
    "Metadata",
    "SentenceInDocument",
    "write_annotations",
]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """A data set in a folder. Nothing is held in memory; each reader goes through the files once."""

    folder: Path
    metadata: Metadata

    @classmethod
    def open(cls, path: Path) -> "Annotations":
        """Open a data set: its three files must be there, with every column, and agree on what they are.

        Raises:
            DataError: A file or column is missing, of the wrong type, or of a newer schema.
        """
        if not path.is_dir():
            raise DataError(f"{path} is no folder; a data set is a folder, made by `rig data import-conllu`")
        stated = {
            table: stated_metadata(open_table(path, table), table_path(path, table)) for table in SCHEMAS
        }
        metadata = stated["documents"]
        for table, other in stated.items():
            if other != metadata:
                raise DataError(
                    f"{table_path(path, table)} belongs to another data set than documents.parquet beside it "
                    f"(their metadata differ); import the data set again"
                )
        return cls(folder=path, metadata=metadata)

    def documents(self, split: str) -> Iterator[Document]:
        """The documents of a split, in order.

        Raises:
            DataError: Unknown split.
        """
        return self._documents(require_split(split))

    def annotated(self, split: str, strata: Sequence[str] = ("upos",)) -> Iterator[AnnotatedDocument]:
        """The documents of a split with their surface units, in order.

        A unit's `upos` is the tag of its outermost word, the first whose head lies outside the unit.

        Args:
            split: One of train, validation, test.
            strata: Other labels for each unit. `upos` is the joint tag (`ADP+DET`); another words column the
                value of the outermost word; `feats.Number` that feature of it; a missing value is `none`.
                `seen` is `seen` if the casefolded unit form occurs in the train split, else `unseen`.

        Raises:
            DataError: Unknown split or stratum.
        """
        return self._annotated(require_split(split), tuple(strata), columns_for(strata))

    def sentences(self, split: str) -> Iterator[SentenceInDocument]:
        """The sentences of a split, in order, exactly as they were stored.

        Raises:
            DataError: Unknown split.
        """
        return self._sentences(require_split(split))

    def n_documents(self, split: str) -> int:
        """How many documents a split has.

        Raises:
            DataError: Unknown split.
        """
        require_split(split)
        counts = (
            pc.sum(pc.equal(rows["split"], split)).as_py() for rows in read_documents(self.folder, ["split"])
        )
        return sum(count or 0 for count in counts)

    def content_sha256(self) -> dict[str, str]:
        """The hash of each table's rows as values, the same whatever wrote the parquet files."""
        return {
            table: content_sha256(read_table(self.folder, table), SCHEMAS[table].names) for table in SCHEMAS
        }

    def unit_forms(self, split: str) -> frozenset[str]:
        """The casefolded forms of a split's surface units.

        Raises:
            DataError: Unknown split.
        """
        require_split(split)
        forms: set[str] = set()
        for block in read_blocks(self.folder, word_columns=["unit_form"]):
            for index, row in enumerate(block.documents["split"].to_pylist()):
                if row == split:
                    first, last = block.word_bounds[index : index + 2].tolist()
                    forms.update(pc.unique(block.words["unit_form"].slice(first, last - first)).to_pylist())
        return frozenset(form.casefold() for form in forms)

    def blocks(
        self, *, sentence_columns: Sequence[str] = (), word_columns: Sequence[str] = ()
    ) -> Iterator[Block]:
        """All documents in bounded blocks, with the wanted columns of sentences and words.

        Raises:
            DataError: Unknown column.
        """
        require_columns(sentence_columns, "sentences")
        require_columns(word_columns, "words")
        return read_blocks(self.folder, sentence_columns=sentence_columns, word_columns=word_columns)

    def _documents(self, split: str) -> Iterator[Document]:
        for rows in read_documents(self.folder, ["doc_id", "split", "text"]):
            for row in rows.filter(pc.equal(rows["split"], split)).to_pylist():
                yield Document(doc_id=row["doc_id"], text=row["text"])

    def _annotated(
        self, split: str, strata: tuple[str, ...], columns: list[str]
    ) -> Iterator[AnnotatedDocument]:
        train_forms = self.unit_forms("train") if "seen" in strata else frozenset[str]()
        for block in read_blocks(self.folder, word_columns=columns):
            documents = block.documents.select(["doc_id", "split", "text"]).to_pylist()
            if all(row["split"] != split for row in documents):
                continue
            units = units_by_document(block.words, block.word_bounds, strata, train_forms)
            for row, its_units in zip(documents, units, strict=True):
                if row["split"] == split:
                    document = Document(doc_id=row["doc_id"], text=row["text"])
                    yield AnnotatedDocument(document=document, units=its_units)

    def _sentences(self, split: str) -> Iterator[SentenceInDocument]:
        blocks = read_blocks(
            self.folder,
            sentence_columns=SCHEMAS["sentences"].names,
            word_columns=SCHEMAS["words"].names,
        )
        for block in blocks:
            splits = block.documents["split"].to_pylist()
            if split not in splits:
                continue
            rows = BlockSentences(block)
            for index, its_split in enumerate(splits):
                if its_split == split:
                    yield from rows.of_document(index)

"""CoNLL-U files, one a split, to a data set and back."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal, final

from rig.core.errors import DataError
from rig.core.files import atomic_path
from rig.core.sentences import Sentence
from rig.data.annotation_writer import DocumentRecord, refuse_occupied, write_annotations
from rig.data.annotations import Annotations
from rig.data.conllu import conllu_text, read_conllu
from rig.data.conllu_sentence import ConlluSentence, OnTextMismatch
from rig.data.schema import SPLITS, Metadata

DocumentPer = Literal["mark", "sentence", "file"]


def import_conllu(
    files: Mapping[str, Path],
    out: Path,
    metadata: Metadata,
    *,
    document_per: DocumentPer = "mark",
    on_text_mismatch: OnTextMismatch = "refuse",
    normalise: bool = False,
    overwrite: bool = False,
    advance: Callable[[int], None] | None = None,
) -> None:
    """Make a data set from CoNLL-U files.

    Args:
        files: The file of each split: train, validation and test.
        out: The new folder.
        metadata: What the data set says of itself; `source` and `licence` also stand with each document.
        document_per: What a document is: what lies between marks (`# newdoc id = X` or `# newdoc_id = X`), a
            sentence, or a file.
        on_text_mismatch: See `read_conllu`.
        normalise: See `read_conllu`.
        overwrite: Replace an existing data set.
        advance: Told the number of bytes of each line read.

    Raises:
        DataError: A file is missing or malformed, an id is there twice, a document has no mark.
    """
    refuse_occupied(out, overwrite=overwrite)
    for split in SPLITS:
        if split not in files:
            raise DataError(f"the {split} file is missing; name one file for each of {', '.join(SPLITS)}")
        if not files[split].is_file():
            raise DataError(f"{files[split]} is missing or no file; name the {split} file")
    grouping = SentenceGrouping(document_per)

    def records() -> Iterator[DocumentRecord]:
        for split in SPLITS:
            sentences = read_conllu(
                files[split], on_text_mismatch=on_text_mismatch, normalise=normalise, advance=advance
            )
            for doc_id, its_sentences in grouping.group(files[split], sentences):
                yield DocumentRecord(
                    doc_id=doc_id,
                    split=split,
                    source=metadata.source,
                    licence=metadata.licence,
                    sentences=its_sentences,
                )

    write_annotations(out, records(), metadata, overwrite=overwrite)


def export_conllu(annotations: Annotations, out: Path) -> list[Path]:
    """Write a data set as CoNLL-U files, one for each split that has documents; nothing is lost.

    Returns:
        The files.

    Raises:
        DataError: A file is there already, or a text holds what CoNLL-U can't.
    """
    paths = {split: out / f"{split}.conllu" for split in SPLITS if annotations.n_documents(split)}
    for path in paths.values():
        if path.exists():
            raise DataError(f"{path} exists; choose another --out")
    for split, path in paths.items():
        with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
            doc_id = None
            for item in annotations.sentences(split):
                file.write(conllu_text(item.sentence, newdoc=item.doc_id if item.doc_id != doc_id else None))
                doc_id = item.doc_id
    return list(paths.values())


@final
class SentenceGrouping:
    """Groups sentences into documents and remembers where each id stood."""

    def __init__(self, document_per: DocumentPer) -> None:
        self._document_per = document_per
        self._places: dict[tuple[str, str], str] = {}

    def group(
        self, path: Path, sentences: Iterator[ConlluSentence]
    ) -> Iterator[tuple[str, tuple[Sentence, ...]]]:
        """Each document's id and sentences, in order.

        Raises:
            DataError: A sentence stands in no document, or an id is there twice.
        """
        doc_id: str | None = None
        gathered: list[Sentence] = []
        n_documents = 0
        for item in sentences:
            self._claim("sent_id", item.sentence.sent_id, path, item.line)
            begins = self._begins(path, item, first=doc_id is None)
            if begins is not None:
                if doc_id is not None:
                    yield doc_id, tuple(gathered)
                n_documents += 1
                doc_id, gathered = begins or f"{path.stem}-{n_documents}", []
                self._claim("document id", doc_id, path, item.line)
            gathered.append(item.sentence)
        if doc_id is not None:
            yield doc_id, tuple(gathered)

    def _begins(self, path: Path, item: ConlluSentence, *, first: bool) -> str | None:
        """The id of the document that begins with this sentence, empty if it has none; None within one."""
        if self._document_per == "sentence":
            return item.sentence.sent_id
        if self._document_per == "file":
            return path.stem if first else None
        if first and item.newdoc is None:
            raise DataError(
                f"{path}:{item.line}: sentence '{item.sentence.sent_id}' stands in no document; mark "
                "documents with `# newdoc id = X`, or say --document-per sentence or --document-per file"
            )
        return item.newdoc

    def _claim(self, what: str, value: str, path: Path, line: int) -> None:
        place = f"{path}:{line}"
        before = self._places.setdefault((what, value), place)
        if before != place:
            raise DataError(f"{place}: {what} '{value}' is already used at {before}; ids must be unique")

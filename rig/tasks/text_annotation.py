"""`rig data import-text`: raw text files, parsed into annotated documents.

It lies above `rig.data` and `rig.parsers`, which do not know of each other. Documents stream through: at any
time only a few of each process are in memory, and they come out in the order they went in.
"""

import multiprocessing
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, final

from rig.core.errors import DataError
from rig.core.sentences import Sentence
from rig.data.annotations import DocumentRecord
from rig.data.utf8 import read_utf8
from rig.parsers.base import AbstractParser
from rig.parsers.catalog import build_parser

DocumentPer = Literal["file", "paragraph"]

_QUEUED_PER_JOB = 8


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RawText:
    """One document before it is parsed."""

    doc_id: str
    """The file's stem; with `-1`, `-2`, ... for its paragraphs."""
    text: str
    """NFC, every run of white space one blank."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """How much was parsed so far."""

    n_documents: int
    n_words: int
    """Syntactic words."""


def parse_documents(
    files: Sequence[Path],
    parser_options: Mapping[str, Any],
    *,
    split: str,
    source: str,
    licence: str,
    document_per: DocumentPer = "file",
    n_jobs: int = 1,
    progress: Callable[[Throughput], None] = lambda throughput: None,
) -> Iterator[DocumentRecord]:
    """Parse text files into documents, in order; the result does not depend on `n_jobs`.

    A document's stored text is its sentences joined by one blank. It differs from the file in white space
    only: line ends and runs become one blank, and sentences that stand together are set apart.

    Args:
        files: UTF-8 text files with different names.
        parser_options: As `rig.parsers.catalog.build_parser` takes them.
        split: Of all documents: train, validation or test.
        source: Where the text comes from.
        licence: Its licence.
        document_per: One document for each file, or for each paragraph (set apart by blank lines).
        n_jobs: Processes.
        progress: Called after each document.

    Raises:
        DataError: A file is missing, empty or not UTF-8, or two have one name.
        ConfigError: The parser's options are wrong.
    """
    _refuse_equal_names(files)
    n_words = 0
    texts = (raw for file in files for raw in read_texts(file, document_per))
    for n_documents, (raw, sentences) in enumerate(_parsed(texts, parser_options, n_jobs), start=1):
        if not sentences:
            raise DataError(f"document '{raw.doc_id}' has no sentence that the parser could find")
        yield DocumentRecord(
            doc_id=raw.doc_id,
            split=split,
            source=source,
            licence=licence,
            sentences=tuple(
                _named(sentence, f"{raw.doc_id}-{index}") for index, sentence in enumerate(sentences, start=1)
            ),
        )
        n_words += sum(len(sentence.words) for sentence in sentences)
        progress(Throughput(n_documents=n_documents, n_words=n_words))


def read_texts(file: Path, document_per: DocumentPer) -> Iterator[RawText]:
    """The documents of one file.

    Raises:
        DataError: The file is missing, not UTF-8, or has no text.
    """
    text = unicodedata.normalize("NFC", read_utf8(file))
    if document_per == "file":
        pieces = [text]
    else:
        # A blank line may hold blanks, so lines are looked at, not line feeds.
        lines = [line if line.strip() else "" for line in text.splitlines()]
        pieces = "\n".join(lines).split("\n\n")
    documents = [flat for piece in pieces if (flat := " ".join(piece.split()))]
    if not documents:
        raise DataError(f"'{file.name}' has no text; remove it from the list")
    for index, flat in enumerate(documents, start=1):
        name = file.stem if document_per == "file" else f"{file.stem}-{index}"
        yield RawText(doc_id=name, text=flat)


def _refuse_equal_names(files: Sequence[Path]) -> None:
    seen: dict[str, Path] = {}
    for file in files:
        if not file.is_file():
            raise DataError(f"'{file}' is not a file; check the path")
        if file.stem in seen:
            raise DataError(
                f"'{file}' and '{seen[file.stem]}' would both be document '{file.stem}'; rename one of them"
            )
        seen[file.stem] = file


def _named(sentence: Sentence, sent_id: str) -> Sentence:
    """A sentence as stored: with an id of its own, and a blank after it, which the document has there."""
    *units, last = sentence.units
    return replace(sentence, sent_id=sent_id, units=(*units, replace(last, space_after=True)))


def _parsed(
    texts: Iterable[RawText], parser_options: Mapping[str, Any], n_jobs: int
) -> Iterator[tuple[RawText, tuple[Sentence, ...]]]:
    if n_jobs == 1:
        parser = build_parser(parser_options)
        for raw in texts:
            yield raw, parser.parse([raw.text])[0]
        return
    context = multiprocessing.get_context("spawn")
    queued: deque[tuple[RawText, Future[tuple[Sentence, ...]]]] = deque()
    with ProcessPoolExecutor(
        n_jobs, mp_context=context, initializer=_load, initargs=(dict(parser_options),)
    ) as pool:
        for raw in texts:
            queued.append((raw, pool.submit(_parse, raw.text)))
            if len(queued) >= _QUEUED_PER_JOB * n_jobs:
                first, future = queued.popleft()
                yield first, future.result()
        while queued:
            first, future = queued.popleft()
            yield first, future.result()


_loaded: list[AbstractParser] = []
"""In a worker process: its parser, loaded once."""


def _load(parser_options: dict[str, Any]) -> None:
    _loaded[:] = [build_parser(parser_options)]


def _parse(text: str) -> tuple[Sentence, ...]:
    return _loaded[0].parse([text])[0]

"""`rig data import-text`: raw text to an annotated data set."""

import time
from pathlib import Path
from typing import get_args

import click

from rig.data.annotations import SPLITS, Metadata, write_annotations
from rig.parsers.catalog import PARSERS, build_parser
from rig.tasks.text_annotation import DocumentPer, Throughput, parse_documents

_SECONDS_BETWEEN_LINES = 2.0


@click.command("import-text")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The new data set's folder.")
@click.option(
    "--parser", "parser_name", type=click.Choice(sorted(PARSERS)), default="udpipe", show_default=True
)
@click.option(
    "--model",
    "models",
    multiple=True,
    required=True,
    help="The parser's model; three times for a chain of tokenizer, tagger, parser.",
)
@click.option("--split", type=click.Choice(SPLITS), default="test", show_default=True)
@click.option("--document-per", type=click.Choice(get_args(DocumentPer)), default="file", show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@click.option("--name", required=True, help="What reports call the data set.")
@click.option("--language", default="pt", show_default=True)
@click.option("--source", default="", help="Where the text comes from.")
@click.option("--licence", default="", help="The text's licence.")
def import_text(
    files: tuple[Path, ...],
    out: Path,
    parser_name: str,
    models: tuple[str, ...],
    split: str,
    document_per: DocumentPer,
    jobs: int,
    name: str,
    language: str,
    source: str,
    licence: str,
) -> None:
    """Parse text FILES and store them as an annotated data set."""
    options = {"name": parser_name, "model": models[0] if len(models) == 1 else list(models)}
    parser = build_parser(options)  # refuses a wrong model before any text is read
    metadata = Metadata(
        name=name,
        language=language,
        annotator=parser.name,
        annotator_version=parser.version,
        model_sha256=parser.model_sha256,
        ud_version="",
        source=source,
        licence=licence,
    )
    meter = _Meter()
    documents = parse_documents(
        files,
        options,
        split=split,
        source=source,
        licence=licence,
        document_per=document_per,
        n_jobs=jobs,
        progress=meter.show,
    )
    write_annotations(out, documents, metadata)
    meter.finish()


class _Meter:
    """Shows the throughput on standard error, a line every two seconds."""

    def __init__(self) -> None:
        self._started = self._shown = time.monotonic()
        self._last = Throughput(n_documents=0, n_words=0)

    def show(self, throughput: Throughput) -> None:
        self._last = throughput
        if time.monotonic() - self._shown >= _SECONDS_BETWEEN_LINES:
            self._shown = time.monotonic()
            self._echo()

    def finish(self) -> None:
        self._echo()

    def _echo(self) -> None:
        elapsed_s = max(time.monotonic() - self._started, 1e-9)
        click.echo(
            f"{self._last.n_documents} documents, {self._last.n_words} words, "
            f"{self._last.n_words / elapsed_s:.0f} words a second",
            err=True,
        )

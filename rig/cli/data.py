"""`rig data`: bring annotated text in, check it, say what it holds, write it out again."""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from rig.core.errors import UsageError, VerificationError
from rig.data.annotations import Annotations
from rig.data.conllu_import import DocumentPer, export_conllu, import_conllu
from rig.data.conllu_sentence import OnTextMismatch
from rig.data.dependency_parquet import import_parquet
from rig.data.description import Description, describe
from rig.data.nano_pt.corpus import describe_exactly
from rig.data.schema import SPLITS, Metadata
from rig.data.validation import RuleViolation, rule_names, validate

_SHOW_PROGRESS_AFTER_S = 2.0

Command = Callable[..., Any]


@click.group()
def data() -> None:
    """Annotated text: import, check, describe, export."""


def _metadata_options(command: Command) -> Command:
    """What a data set says of itself."""
    options = [
        click.option("--name", help="What reports call the data set; the folder's name by default."),
        click.option("--language", default="und", show_default=True, help="BCP 47 code, for example pt."),
        click.option("--annotator", default="manual", show_default=True, help="The parser, or manual."),
        click.option("--annotator-version", default="", help="The parser's version."),
        click.option("--model-sha256", default="", help="Hash of the parser's model."),
        click.option("--ud-version", default="", help="Universal Dependencies release, for example 2.16."),
        click.option("--source", default="", help="Where the text comes from."),
        click.option("--licence", default="", help="The text's and annotation's licence."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _import_options(command: Command) -> Command:
    """What every import takes."""
    options = [
        click.option(
            "--out", type=click.Path(path_type=Path), required=True, help="The new data set's folder."
        ),
        click.option(
            "--document-per",
            type=click.Choice(["mark", "sentence", "file"]),
            default="mark",
            show_default=True,
            help="What a document is: what lies between document marks, a sentence, or a file.",
        ),
        click.option(
            "--on-text-mismatch",
            type=click.Choice(["refuse", "rebuild"]),
            default="refuse",
            show_default=True,
            help="Where a sentence's text is not what its tokens spell: refuse it, or trust the tokens.",
        ),
        click.option("--normalise", is_flag=True, help="Bring text to NFC instead of refusing other text."),
        click.option(
            "--overwrite", is_flag=True, help="Replace an existing data set, once the new one is whole."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return _metadata_options(command)


def _metadata(out: Path, stated: dict[str, Any]) -> Metadata:
    return Metadata(**(stated | {"name": stated["name"] or out.resolve().name}))


@data.command("import-conllu")
@click.option("--train", type=click.Path(path_type=Path), required=True, help="CoNLL-U file.")
@click.option("--validation", type=click.Path(path_type=Path), required=True, help="CoNLL-U file.")
@click.option("--test", type=click.Path(path_type=Path), required=True, help="CoNLL-U file.")
@_import_options
def import_conllu_command(
    train: Path,
    validation: Path,
    test: Path,
    out: Path,
    document_per: DocumentPer,
    on_text_mismatch: OnTextMismatch,
    normalise: bool,
    overwrite: bool,
    **stated: Any,
) -> None:
    """Make a data set from CoNLL-U files."""
    files = dict(zip(SPLITS, (train, validation, test), strict=True))
    n_bytes = sum(path.stat().st_size for path in files.values() if path.is_file())
    with _progress("importing", n_bytes) as advance:
        import_conllu(
            files,
            out,
            _metadata(out, stated),
            document_per=document_per,
            on_text_mismatch=on_text_mismatch,
            normalise=normalise,
            overwrite=overwrite,
            advance=advance,
        )
    click.echo(f"{out}: {_summary(Annotations.open(out))}")


@data.command("import-parquet")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--train", type=click.Path(path_type=Path), help="Parquet file of the train split.")
@click.option("--validation", type=click.Path(path_type=Path), help="Parquet file of the validation split.")
@click.option("--test", type=click.Path(path_type=Path), help="Parquet file of the test split.")
@click.option("--split-column", help="The column of FILE that says train, validation (or dev) or test.")
@click.option(
    "--map", "pairs", multiple=True, metavar="COLUMN=NAME", help="What a column is called in the file."
)
@_import_options
def import_parquet_command(
    file: Path | None,
    train: Path | None,
    validation: Path | None,
    test: Path | None,
    split_column: str | None,
    pairs: tuple[str, ...],
    out: Path,
    document_per: DocumentPer,
    on_text_mismatch: OnTextMismatch,
    normalise: bool,
    overwrite: bool,
    **stated: Any,
) -> None:
    """Make a data set from a dependency parquet: FILE with a split column, or one file for each split."""
    given = dict(zip(SPLITS, (train, validation, test), strict=True))
    by_split = {split: path for split, path in given.items() if path is not None}
    if (file is None) == (not by_split):
        raise UsageError("give either FILE with a split column, or --train, --validation and --test")
    columns = _parsed_map(pairs) | ({"split": split_column} if split_column else {})
    import_parquet(
        by_split if file is None else file,
        out,
        _metadata(out, stated),
        columns=columns,
        document_per=document_per,
        on_text_mismatch=on_text_mismatch,
        normalise=normalise,
        overwrite=overwrite,
    )
    click.echo(f"{out}: {_summary(Annotations.open(out))}")


def _parsed_map(pairs: tuple[str, ...]) -> dict[str, str]:
    parsed: dict[str, str] = {}
    for pair in pairs:
        column, equals, name = pair.partition("=")
        if not (column and equals and name) or column in parsed:
            raise UsageError(f"--map must be COLUMN=NAME, each column once, got '{pair}'")
        parsed[column] = name
    return parsed


@data.command("export-conllu")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for one file a split.")
def export_conllu_command(folder: Path, out: Path) -> None:
    """Write the data set in FOLDER as CoNLL-U, without loss."""
    for path in export_conllu(Annotations.open(folder), out):
        click.echo(str(path))


@data.command("validate")
@click.argument("folder", type=click.Path(path_type=Path))
def validate_command(folder: Path) -> None:
    """Check every rule over every row of the data set in FOLDER; exit 1 if one is broken."""
    violations = validate(Annotations.open(folder))
    Console().print(_violations_table(violations))
    if violations:
        raise VerificationError(
            f"{folder} breaks {len(violations)} of {len(rule_names())} rules; see the table"
        )
    click.echo(f"{folder}: all {len(rule_names())} rules hold")


@data.command("describe")
@click.argument("folder", type=click.Path(path_type=Path))
def describe_command(folder: Path) -> None:
    """Count what the data set in FOLDER holds."""
    print_description(describe(Annotations.open(folder), describe_exactly), Console())


def print_description(description: Description, console: Console) -> None:
    """Show a data set's counts as tables."""
    metadata = description.metadata
    annotator = f"{metadata.annotator} {metadata.annotator_version}".rstrip()
    console.print(
        f"{metadata.name} ({metadata.language}), annotated by {annotator}\n"
        f"source: {metadata.source or 'not stated'}; licence: {metadata.licence or 'not stated'}",
        markup=False,
        highlight=False,
    )
    console.print(_counts_table(description))
    overlap = description.overlap
    if overlap.share is not None and overlap.share_of_chars is not None:
        console.print(
            f"test sentences whose text occurs in train: {overlap.n_overlapping} of {overlap.n_test} "
            f"({overlap.share:.2%}); by characters {overlap.share_of_chars:.2%}",
            highlight=False,
            soft_wrap=True,
        )
    for table, sha256 in description.content_sha256.items():
        console.print(f"{table} sha256 {sha256}", highlight=False, soft_wrap=True)
    for line in description.extra_lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _counts_table(description: Description) -> Table:
    table = Table()
    table.add_column("")
    for split in description.splits:
        table.add_column(split.split, justify="right")
    for name in ("documents", "sentences", "words", "units", "chars", "bytes"):
        table.add_row(name, *(f"{getattr(split, f'n_{name}'):,}" for split in description.splits))
    shares = (split.multiword_share for split in description.splits)
    table.add_row("multiword share", *("" if share is None else f"{share:.2%}" for share in shares))
    table.add_section()
    for word_class in description.splits[0].units_by_class:
        counts = (split.units_by_class[word_class] for split in description.splits)
        table.add_row(f"{word_class} units", *(f"{count:,}" for count in counts))
    table.add_section()
    for upos in sorted({upos for split in description.splits for upos in split.words_by_upos}):
        counts = (split.words_by_upos.get(upos, 0) for split in description.splits)
        table.add_row(f"{upos} words", *(f"{count:,}" for count in counts))
    return table


def _violations_table(violations: list[RuleViolation]) -> Table:
    table = Table("rule", "rows that break it", "first")
    by_rule = {violation.rule: violation for violation in violations}
    for rule in rule_names():
        violation = by_rule.get(rule)
        table.add_row(
            rule,
            f"{violation.n_offenders:,}" if violation else "0",
            "\n".join(violation.first) if violation else "",
        )
    return table


def _summary(annotations: Annotations) -> str:
    return ", ".join(f"{annotations.n_documents(split):,} {split} documents" for split in SPLITS)


@contextlib.contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on the error stream, which only appears when the work takes longer than a moment."""
    started, done = time.monotonic(), 0
    progress = Progress(console=Console(stderr=True), transient=True)
    task = progress.add_task(what, total=total)

    def advance(amount: int) -> None:
        nonlocal done
        done += amount
        if progress.live.is_started:
            progress.update(task, completed=done)
        elif time.monotonic() - started > _SHOW_PROGRESS_AFTER_S:
            progress.start()

    try:
        yield advance
    finally:
        progress.stop()

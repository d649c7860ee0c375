"""`rig parser`: parsers for parse_rate and for annotating text."""

from pathlib import Path

import click

from rig.tasks.parser_training import DEFAULT_MAX_SENTENCES, train_parser


@click.group()
def parser() -> None:
    """Make the parsers that generated text is judged by."""


@parser.command()
@click.argument("annotations", type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Model file, ending in .udpipe.")
@click.option(
    "--max-sentences",
    type=click.IntRange(min=1),
    default=DEFAULT_MAX_SENTENCES,
    show_default=True,
    help="Use the first so many sentences of the train split.",
)
def train(annotations: Path, out: Path, max_sentences: int) -> None:
    """Train a UDPipe model on ANNOTATIONS, a data set's folder.

    Writes the model and, beside it, the plausibility table that parse_rate needs. The same data give the same
    bytes. UDPipe shows its progress on standard error.
    """
    trained = train_parser(annotations, out, max_sentences=max_sentences)
    click.echo(f"model      {trained.model} ({trained.model.stat().st_size / 1e6:.2f} MB)")
    click.echo(f"sha256     {trained.model_sha256}")
    click.echo(f"table      {trained.table} (threshold {trained.threshold:.3f} nats per word)")
    click.echo(f"trained on {trained.n_train} sentences")

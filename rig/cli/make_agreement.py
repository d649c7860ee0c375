"""`rig data make-agreement`: agreement pairs from an annotated data set."""

from collections import Counter
from pathlib import Path

import click

from rig.core.errors import DataError, did_you_mean
from rig.core.seeding import stream
from rig.data.agreement_draw import draw_balanced
from rig.data.agreement_extraction import agreement_pairs
from rig.data.agreement_items import AgreementPair, write_agreement_pairs
from rig.data.annotations import SPLITS, Annotations
from rig.data.collective_nouns import COLLECTIVE_NOUNS
from rig.data.verb_paradigm import VerbParadigm


@click.command(name="make-agreement")
@click.argument("annotations", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The file to write (.tsv).")
@click.option(
    "--n", default=200, show_default=True, help="Pairs: a quarter for each cell of number x attractor."
)
@click.option(
    "--split",
    "splits",
    type=click.Choice(SPLITS),
    multiple=True,
    default=("test",),
    show_default=True,
    help="Where sentences come from; may be given again.",
)
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Decides which pairs.")
def make_agreement(annotations: Path, out: Path, n: int, splits: tuple[str, ...], seed: int) -> None:
    """Draw balanced subject-verb agreement pairs from the data set in ANNOTATIONS."""
    if out.exists():
        raise DataError(f"{out} exists; choose another --out")
    pool = agreement_pool(Annotations.open(annotations), splits)
    pairs = draw_balanced(pool, n=n, rng=stream(seed, "agreement pairs"))
    write_agreement_pairs(out, pairs)
    click.echo(f"wrote {len(pairs)} pairs of {len(pool)} to {out}")
    for cell, n_pairs in sorted(Counter(pair.cell for pair in pool).items()):
        click.echo(f"  {cell}: {n_pairs} found")


def agreement_pool(annotations: Annotations, splits: tuple[str, ...]) -> list[AgreementPair]:
    """All pairs of the splits that pass every rule; forms are looked up in the whole data set.

    Raises:
        DataError: The collective nouns of the data set's language are not known.
    """
    metadata = annotations.metadata
    language = metadata.language.partition("-")[0]
    if language not in COLLECTIVE_NOUNS:
        raise DataError(
            f"'{annotations.folder}' says that its language is '{metadata.language}', whose collective nouns "
            f"rig/data/collective_nouns.py does not list. {did_you_mean(language, COLLECTIVE_NOUNS)}"
        )
    paradigm = VerbParadigm(record.sentence for split in SPLITS for record in annotations.sentences(split))
    return list(
        agreement_pairs(
            (
                record.sentence
                for split in SPLITS
                if split in splits
                for record in annotations.sentences(split)
            ),
            paradigm=paradigm,
            collective_nouns=COLLECTIVE_NOUNS[language],
            source=metadata.name,
            licence=metadata.licence,
        )
    )

"""`rig parser train`: a UDPipe model and its table for condition E from any annotated data set.

It lies above `rig.data` and `rig.parsers`, which do not know of each other.
"""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, final

from rig.core.errors import UsageError
from rig.core.files import atomic_path
from rig.data.annotations import Annotations
from rig.data.conllu import conllu_text
from rig.parsers.base import AbstractParser
from rig.parsers.catalog import table_beside
from rig.parsers.plausibility import HeadAutomaton, fit_head_automaton
from rig.parsers.udpipe import UDPipeParser
from rig.parsers.udpipe_training import UDPipeSettings, train_udpipe

DEFAULT_MAX_SENTENCES = 4_000
"""Of the train split. Ten thousand and more need many minutes."""
_MAX_HELD_OUT_DOCUMENTS = 500


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedParser:
    """What `train_parser` wrote."""

    model: Path
    table: Path
    """The table of condition E beside the model."""
    model_sha256: str
    n_train: int
    """Sentences trained on."""
    threshold: float
    """Of condition E, nats per word."""


def train_parser(
    annotations: Path,
    out: Path,
    *,
    max_sentences: int = DEFAULT_MAX_SENTENCES,
    settings: UDPipeSettings | None = None,
) -> TrainedParser:
    """Train on the first sentences of the train split; write the model and its table, each atomically.

    The table counts the gold trees of the same sentences; its threshold is the 5th percentile over the
    validation split's text, parsed by the new model.

    Args:
        annotations: A data set's folder, with a train and a validation split.
        out: The model file, ending in `.udpipe`.
        max_sentences: How many train sentences to use, from the first.
        settings: Trainer options; None for the small defaults.

    Raises:
        UsageError: `out` has another ending.
        DataError: The annotations can't be read, or a split is empty.
        ModelError: UDPipe could not train.
    """
    if out.suffix != ".udpipe":
        raise UsageError(f"`--out` must end in .udpipe, got '{out.name}'")
    data = Annotations.open(annotations)
    train = [item.sentence for item in islice(data.sentences("train"), max_sentences)]
    model = train_udpipe("".join(conllu_text(sentence) for sentence in train), settings=settings)
    with atomic_path(out) as temporary:
        temporary.write_bytes(model)
    parser = UDPipeParser(str(out))
    validation = islice(data.documents("validation"), _MAX_HELD_OUT_DOCUMENTS)
    held_out = (sentence for document in validation for sentence in parser.parse([document.text])[0])
    automaton = fit_head_automaton(train, held_out, model_sha256=parser.model_sha256)
    table = table_beside(out)
    automaton.write(table)
    return TrainedParser(
        model=out,
        table=table,
        model_sha256=parser.model_sha256,
        n_train=len(train),
        threshold=automaton.threshold,
    )


def fit_on_parsed_text(parser: AbstractParser, annotations: Path, *, n_documents: int) -> HeadAutomaton:
    """Condition E for a parser without a table: counts over parsed train text, threshold on validation.

    Args:
        parser: The parser.
        annotations: A data set's folder.
        n_documents: At most so many documents of each split, from the first.

    Raises:
        DataError: A split is empty.
    """
    data = Annotations.open(annotations)
    parsed: dict[str, Any] = {
        split: (
            sentence
            for document in islice(data.documents(split), n_documents)
            for sentence in parser.parse([document.text])[0]
        )
        for split in ("train", "validation")
    }
    return fit_head_automaton(parsed["train"], parsed["validation"], model_sha256=parser.model_sha256)

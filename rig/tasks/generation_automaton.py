"""Condition E for a parser without a table, fitted once for all cells of a runs directory.

The fit parses a thousand documents, takes a minute, and depends on no language model and no seed. It is kept
as `plausibility/<key16>.json` in the folder that the cells share, named by all that it is computed from.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from rig.core.files import write_text
from rig.core.fingerprint import canonical_json, fingerprint
from rig.data.annotations import Annotations
from rig.parsers.base import AbstractParser
from rig.parsers.plausibility import HeadAutomaton
from rig.store.code import code_fingerprint
from rig.tasks.parser_training import fit_on_parsed_text


def fitted_automaton(
    parser: AbstractParser, annotations: Path, *, n_documents: int, shared: Path | None
) -> HeadAutomaton:
    """The automaton of `fit_on_parsed_text`, read from where another cell left it if one did.

    Cells that need the same at once wait for the first of them. A kept file that is damaged is written again.

    Args:
        parser: The parser.
        annotations: A data set's folder.
        n_documents: At most so many documents of the train and of the validation split.
        shared: The folder that cells share; None: fit, and keep nothing.

    Raises:
        DataError: A split is empty.
    """
    if shared is None:
        return fit_on_parsed_text(parser, annotations, n_documents=n_documents)
    key = _key(parser, annotations, n_documents)
    path = shared / "plausibility" / f"{key[:16]}.json"
    with _alone(path.parent):
        automaton = _kept(path, key)
        if automaton is None:
            automaton = fit_on_parsed_text(parser, annotations, n_documents=n_documents)
            _keep(path, key, automaton)
    return automaton


def _key(parser: AbstractParser, annotations: Path, n_documents: int) -> str:
    """A hash of the parser, the texts and the code that the automaton follows from."""
    data = Annotations.open(annotations)
    texts = {
        split: [document.text for document in islice(data.documents(split), n_documents)]
        for split in ("train", "validation")
    }
    return fingerprint(
        {
            "parser": [parser.name, parser.version, parser.model_sha256],
            "texts": texts,
            "code": code_fingerprint([fit_on_parsed_text.__module__, type(parser).__module__]),
        }
    )


def _keep(path: Path, key: str, automaton: HeadAutomaton) -> None:
    table = automaton.to_json()
    write_text(path, canonical_json({"key": key, "sha256": fingerprint(table), "table": table}) + "\n")


def _kept(path: Path, key: str) -> HeadAutomaton | None:
    """What stands in the file; None where nothing does, or nothing that can be relied on."""
    try:
        held: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if held["key"] != key or held["sha256"] != fingerprint(held["table"]):
            return None
        return HeadAutomaton.from_json(held["table"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait for other cells that fit; the system lets go when a process ends, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)

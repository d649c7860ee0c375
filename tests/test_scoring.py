"""How a split goes through a model: in batches that memory bounds; the numbers do not depend on them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from rig.core.documents import AnnotatedDocument, Document, Units
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel
from rig.models.byte_tokenizer import ByteTokenizer
from rig.scoring import score_split
from rig.store.tables import read_sums

LENGTHS = (4, 3, 12, 1, 1, 1, 30, 2)


class Recording(AbstractLanguageModel):
    """A uniform model over bytes that remembers how many characters it was given at once."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        self.batches.append([document.n_chars for document in documents])
        encodings = [ByteTokenizer().encode(document.text) for document in documents]
        return [
            encoding.scored(document, np.full(len(encoding), -1.0))
            for document, encoding in zip(documents, encodings, strict=True)
        ]


class Split:
    """Documents of one word each, in place of annotations that are read from files."""

    def annotated(self, split: str, strata: Sequence[str]) -> Iterator[AnnotatedDocument]:
        for index, length in enumerate(LENGTHS):
            yield AnnotatedDocument(
                document=Document(doc_id=f"{split}{index}", text="x" * length),
                units=Units(char_start=np.array([0]), char_end=np.array([length]), upos=("NOUN",)),
            )


def scored(folder: Path) -> tuple[list[list[int]], dict[str, int], float]:
    folder.mkdir()
    model = Recording()
    result = score_split(model, Split(), {"split": "test", "strata": []}, folder)  # type: ignore[arg-type]
    nats, _ = read_sums(folder / "sums.parquet").pooled("ce")
    return model.batches, dict(result.counts), nats


def test_documents_are_scored_together_up_to_a_number_of_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rig.scoring._BATCH_CHARS", 10)
    batches, counts, nats = scored(tmp_path / "small")
    assert batches == [[4, 3, 12], [1, 1, 1, 30], [2]]
    monkeypatch.undo()
    assert scored(tmp_path / "large") == ([list(LENGTHS)], counts, nats)
    assert counts == {"n_documents": 8, "n_tokens": 54, "n_chars": 54, "n_bytes": 54, "n_units": 8}
    assert nats == 54.0

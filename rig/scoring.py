"""The held-out split through a model: token scores, and from them the sums that every likelihood metric is.

What is written here depends on the model, the annotations and the scoring settings alone, so a lock's code
hash covers this module and what it imports, and not the tasks.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from rig.core.documents import AnnotatedDocument
from rig.data.annotations import Annotations
from rig.metrics.likelihood import document_sums
from rig.models.base import AbstractLanguageModel
from rig.store.tables import token_scores_writer, write_sums

_BATCH_DOCUMENTS = 64


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What scoring a split left."""

    counts: Mapping[str, int]
    """n_documents, n_tokens, n_chars, n_bytes, n_units."""
    files: tuple[str, ...]
    """Names of the files written."""


def score_split(
    model: AbstractLanguageModel, annotations: Annotations, score: Mapping[str, Any], out: Path
) -> Scored:
    """Score a split document by document, in bounded memory.

    Args:
        model: Trained or loaded.
        annotations: The data set.
        score: The config group `score`.
        out: Receives token_scores.parquet and sums.parquet.

    Raises:
        ModelError: Something is no score.
        DataError: Text and annotation don't fit.
    """
    rows = []
    counts = dict.fromkeys(("n_documents", "n_tokens", "n_chars", "n_bytes", "n_units"), 0)
    with token_scores_writer(out / "token_scores.parquet") as writer:
        for batch in _batches(annotations.annotated(score["split"], strata=tuple(score["strata"]))):
            scored = model.score([annotated.document for annotated in batch])
            writer.write(scored)
            for scores, annotated in zip(scored, batch, strict=True):
                sums = document_sums(
                    scores, annotated, unk_id=model.unk_id, is_code_length=model.is_code_length
                )
                rows.append((scores.doc_id, sums))
                counts["n_documents"] += 1
                counts["n_tokens"] += scores.n_tokens
                counts["n_chars"] += annotated.document.n_chars
                counts["n_bytes"] += annotated.document.n_bytes
                counts["n_units"] += len(annotated.units)
    write_sums(out / "sums.parquet", rows)
    return Scored(counts=counts, files=("token_scores.parquet", "sums.parquet"))


def _batches(documents: Iterable[AnnotatedDocument]) -> Iterator[list[AnnotatedDocument]]:
    batch: list[AnnotatedDocument] = []
    for document in documents:
        batch.append(document)
        if len(batch) == _BATCH_DOCUMENTS:
            yield batch
            batch = []
    if batch:
        yield batch

"""The held-out split through a model: its scores, and from them the sums that every likelihood metric is.

What is written here depends on the model, the annotations and the scoring settings alone, so a lock's code
hash covers this module and what it imports, and not the tasks.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from rig.core.documents import AnnotatedDocument
from rig.core.errors import ModelError
from rig.core.masked_tokens import MaskedTokens
from rig.core.sums import DocumentSums
from rig.data.annotations import Annotations
from rig.metrics.alignment import align
from rig.metrics.likelihood import document_sums
from rig.metrics.masked import masked_sums, pseudo_sums
from rig.models.base import AbstractLanguageModel, FillsMasks
from rig.models.masked_prediction import predict_selected
from rig.models.pseudo_likelihood import pseudo_scores, word_l2r_scores
from rig.store.tables import token_scores_writer, write_masked_tokens, write_sums

_BATCH_CHARS = 1 << 17
"""Characters of the documents that are scored together: many short ones, so that batches of like lengths with
little padding can be made of them, and few long ones, because all are held in memory."""


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
    """Score a split document by document.

    A causal model leaves token_scores.parquet. A masked one leaves masked_tokens.parquet, and with
    `score.pseudo_likelihood` token_scores.parquet (plain) and token_scores_l2r.parquet (word left to right).

    Args:
        model: Trained or loaded.
        annotations: The data set.
        score: The config group `score`.
        out: Receives those files, and sums.parquet.

    Raises:
        ModelError: Something is no score, or a model that says it is masked can't fill masks.
        DataError: Text and annotation don't fit.
    """
    batches = _batches(annotations.annotated(score["split"], strata=tuple(score["strata"])))
    if model.objective == "causal":
        return _score_causal(model, batches, out)
    if not isinstance(model, FillsMasks):
        raise ModelError(
            f"{type(model).__name__} says that its objective is '{model.objective}', but it has no `fill`, "
            "`encode` and `max_tokens`; a masked model must be one that `FillsMasks` (rig.models.base)"
        )
    if score["pseudo_likelihood"]:
        return _score_masked(model, model.unk_id, batches, out)
    return _predict_masked(model, batches, out)


def _score_causal(
    model: AbstractLanguageModel, batches: Iterable[Sequence[AnnotatedDocument]], out: Path
) -> Scored:
    tally = _Tally()
    with token_scores_writer(out / "token_scores.parquet") as writer:
        for batch in batches:
            scored = model.score([annotated.document for annotated in batch])
            writer.write(scored)
            for scores, annotated in zip(scored, batch, strict=True):
                sums = document_sums(
                    scores, annotated, unk_id=model.unk_id, is_code_length=model.is_code_length
                )
                tally.add(annotated, sums, n_tokens=scores.n_tokens)
    return tally.written(out, ("token_scores.parquet",))


def _score_masked(
    model: FillsMasks, unk_id: int | None, batches: Iterable[Sequence[AnnotatedDocument]], out: Path
) -> Scored:
    tally, hidden = _Tally(), list[MaskedTokens]()
    with (
        token_scores_writer(out / "token_scores.parquet") as plain_writer,
        token_scores_writer(out / "token_scores_l2r.parquet") as l2r_writer,
    ):
        for batch in batches:
            documents = [annotated.document for annotated in batch]
            plain = pseudo_scores(model, documents)
            units = [align(*pair).token_unit for pair in zip(plain, batch, strict=True)]
            l2r = word_l2r_scores(model, plain, units)
            plain_writer.write(plain)
            l2r_writer.write(l2r)
            predicted = predict_selected(model, documents)
            hidden += predicted
            for one, other, tokens, annotated in zip(plain, l2r, predicted, batch, strict=True):
                sums = {**masked_sums(tokens), **pseudo_sums(one, other, annotated, unk_id=unk_id)}
                tally.add(annotated, sums, n_tokens=one.n_tokens)
    write_masked_tokens(out / "masked_tokens.parquet", hidden)
    return tally.written(out, ("token_scores.parquet", "token_scores_l2r.parquet", "masked_tokens.parquet"))


def _predict_masked(model: FillsMasks, batches: Iterable[Sequence[AnnotatedDocument]], out: Path) -> Scored:
    tally, hidden = _Tally(), list[MaskedTokens]()
    for batch in batches:
        documents = [annotated.document for annotated in batch]
        encodings = model.encode([document.text for document in documents])
        predicted = predict_selected(model, documents)
        hidden += predicted
        for encoding, tokens, annotated in zip(encodings, predicted, batch, strict=True):
            tally.add(annotated, masked_sums(tokens), n_tokens=len(encoding))
    write_masked_tokens(out / "masked_tokens.parquet", hidden)
    return tally.written(out, ("masked_tokens.parquet",))


class _Tally:
    """What has been scored so far, and its sums."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(("n_documents", "n_tokens", "n_chars", "n_bytes", "n_units"), 0)
        self._rows: list[tuple[str, DocumentSums]] = []

    def add(self, annotated: AnnotatedDocument, sums: DocumentSums, *, n_tokens: int) -> None:
        self._rows.append((annotated.document.doc_id, sums))
        self._counts["n_documents"] += 1
        self._counts["n_tokens"] += n_tokens
        self._counts["n_chars"] += annotated.document.n_chars
        self._counts["n_bytes"] += annotated.document.n_bytes
        self._counts["n_units"] += len(annotated.units)

    def written(self, out: Path, files: tuple[str, ...]) -> Scored:
        """Write the sums, and say what was scored and which files there are."""
        write_sums(out / "sums.parquet", self._rows)
        return Scored(counts=self._counts, files=(*files, "sums.parquet"))


def _batches(documents: Iterable[AnnotatedDocument]) -> Iterator[list[AnnotatedDocument]]:
    batch: list[AnnotatedDocument] = []
    n_chars = 0
    for document in documents:
        batch.append(document)
        n_chars += document.document.n_chars
        if n_chars >= _BATCH_CHARS:
            yield batch
            batch, n_chars = [], 0
    if batch:
        yield batch

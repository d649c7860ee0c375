"""Likelihood sums of one document: nats over tokens, units, characters and bytes, in all and by label.

Each sum is a (total, weight) pair; a metric's value is a transform of the ratio of pooled sums
(`rig.metrics.catalog`). The six word classes and `mixed` partition tokens, units, characters and nats
exactly, and so do the labels of every stratum.

| sum | total | weight |
|---|---|---|
| `ce` | nats | scored tokens |
| `wce` | nats | surface units |
| `bpc`, `bpb` | bits | Unicode code points, UTF-8 bytes of the source text |
| `ce_CLASS`, `wce_CLASS`, `bpc_CLASS` | the same of its blocks | its tokens, units, code points |
| `ce[COLUMN=LABEL]` and so on | the same by another annotation column | |
| `mixed_share`, `unk_rate` | mixed, unknown tokens | scored tokens |
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rig.core.documents import WORD_CLASSES, AnnotatedDocument, word_class
from rig.core.sums import DocumentSums
from rig.core.token_scores import TokenScores
from rig.core.units import NATS_PER_BIT
from rig.metrics.alignment import MIXED, Alignment, align

CLASSES: tuple[str, ...] = (*WORD_CLASSES, MIXED)
"""What the scored tokens are partitioned into."""


def document_sums(
    scores: TokenScores, annotated: AnnotatedDocument, *, unk_id: int | None, is_code_length: bool
) -> DocumentSums:
    """All likelihood sums of one document.

    Args:
        scores: Token scores of the document.
        annotated: Its text, units and the strata to group by.
        unk_id: Vocabulary index of the unknown token, if any.
        is_code_length: False if unknown tokens are not charged their spelling; then no sum per character or
            byte is given, because it would reward a small vocabulary.

    Returns:
        Name of the sum to (total, weight). A class without tokens here has (0, 0).

    Raises:
        DataError: Text and annotation don't fit (see `align`).
    """
    nats = -scores.logprob
    n_tokens = float(scores.n_tokens)
    total_nats = float(nats.sum())
    sums: dict[str, tuple[float, float]] = {
        "ce": (total_nats, n_tokens),
        "wce": (total_nats, float(len(annotated.units))),
        "unk_rate": (
            float(np.count_nonzero(scores.token_id == unk_id)) if unk_id is not None else 0.0,
            n_tokens,
        ),
    }
    if is_code_length:
        bits = total_nats / NATS_PER_BIT
        sums["bpc"] = (bits, float(annotated.document.n_chars))
        sums["bpb"] = (bits, float(annotated.document.n_bytes))

    alignment = align(scores, annotated)
    n_chars = (scores.char_end - scores.char_start).astype(np.float64)
    classes = [word_class(upos) for upos in annotated.units.upos]
    by_class = label_parts(alignment, classes, nats, n_chars)
    for name in CLASSES:
        _put(sums, f"_{name.lower()}", by_class.get(name, np.zeros(4)), is_code_length)
    sums["mixed_share"] = (sums["ce_mixed"][1], n_tokens)
    for column, labels in annotated.units.strata.items():
        for label, parts in sorted(label_parts(alignment, labels, nats, n_chars).items()):
            _put(sums, f"[{column}={label}]", parts, is_code_length)
    return sums


def _put(
    sums: dict[str, tuple[float, float]], suffix: str, parts: npt.NDArray[np.float64], is_code_length: bool
) -> None:
    nats, n_tokens, n_units, n_chars = (float(part) for part in parts)
    sums[f"ce{suffix}"] = (nats, n_tokens)
    sums[f"wce{suffix}"] = (nats, n_units)
    if is_code_length:
        sums[f"bpc{suffix}"] = (nats / NATS_PER_BIT, n_chars)


def label_parts(
    alignment: Alignment,
    labels: Sequence[str],
    nats: npt.NDArray[np.float64],
    n_chars: npt.NDArray[np.float64],
) -> dict[str, npt.NDArray[np.float64]]:
    """Sums by the labels of a document's units: label to (nats, tokens, units, characters).

    Args:
        alignment: Of the document's tokens with its units.
        labels: (n_units,) of each unit; a block whose units differ is MIXED.
        nats: (n_tokens,) of each token.
        n_chars: (n_tokens,) that each token spans.
    """
    unit_label = alignment.unit_labels(labels)
    names, unit_code = np.unique(unit_label, return_inverse=True)
    token_code = unit_code[alignment.token_unit]
    n = len(names)
    parts = np.stack(
        [
            np.bincount(token_code, weights=nats, minlength=n),
            np.bincount(token_code, minlength=n),
            np.bincount(unit_code, minlength=n),
            np.bincount(token_code, weights=n_chars, minlength=n),
        ],
        axis=1,
    )
    return {str(name): row for name, row in zip(names, parts, strict=True)}

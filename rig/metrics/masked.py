"""Masked accuracy and pseudo-likelihood: which tokens are hidden, and the sums of one document.

Neither is a likelihood: the products of a masked model's conditionals are no distribution over texts. So
their sums have names of their own, and no sum per character or byte is given.

| sum | total | weight |
|---|---|---|
| `mlm_accuracy` | correct predictions | selected tokens |
| `mlm_ce` | nats of their originals | selected tokens |
| `pll` | nats, each token hidden alone | scored tokens |
| `pll_l2r` | nats, the word's later pieces hidden too | scored tokens |
| `wpll_l2r` | the same nats | surface units |
| `pll_l2r_CLASS`, `wpll_l2r_CLASS` | the same of its blocks | its tokens, units |
| `pll_l2r[COLUMN=LABEL]` and so on | the same by another annotation column | |
| `mixed_share`, `unk_rate` | mixed, unknown tokens | scored tokens |
"""

import numpy as np
import numpy.typing as npt

from rig.core.documents import AnnotatedDocument, word_class
from rig.core.masked_tokens import MaskedTokens
from rig.core.seeding import stream
from rig.core.sums import DocumentSums
from rig.core.token_scores import TokenScores
from rig.metrics.alignment import align
from rig.metrics.likelihood import CLASSES, label_parts

SHARE_SELECTED = 0.15
"""Probability that a token is selected (Devlin et al. 2019)."""

_NO_PARTS = np.zeros(4)


def selected_tokens(
    doc_id: str, char_start: npt.NDArray[np.int64], char_end: npt.NDArray[np.int64], n_chars: int
) -> npt.NDArray[np.int64]:
    """The tokens of a document that masked accuracy hides; the same for every kind and seed.

    Each character is drawn with probability .15, from a stream that its document names. A token is selected
    if the first character that it spans is drawn; of the pieces of one character all are, or none. So
    tokenizers that cut a text alike have the same tokens selected, and any tokenizer has 15% on average.

    Args:
        doc_id: The document.
        char_start: (n_tokens,) first code point of each token.
        char_end: (n_tokens,) one past its last.
        n_chars: Code points of the text.

    Returns:
        (n_selected,) ascending positions among the tokens.
    """
    is_drawn = stream(0, "masked characters", doc_id).random(n_chars) < SHARE_SELECTED
    # An empty span is a later piece of the character before it.
    first = np.where(char_start == char_end, np.maximum(char_start - 1, 0), char_start)
    return np.flatnonzero(is_drawn[first])


def masked_sums(tokens: MaskedTokens) -> DocumentSums:
    """The sums of a document's hidden tokens; (0, 0) where none was selected."""
    n_selected = float(len(tokens.position))
    n_correct = float(np.count_nonzero(tokens.predicted == tokens.token_id))
    return {"mlm_accuracy": (n_correct, n_selected), "mlm_ce": (float(-tokens.logprob.sum()), n_selected)}


def pseudo_sums(
    plain: TokenScores, l2r: TokenScores, annotated: AnnotatedDocument, *, unk_id: int | None
) -> DocumentSums:
    """The pseudo-likelihood sums of one document.

    Args:
        plain: Each token hidden alone (Salazar et al. 2020).
        l2r: The later pieces of its word hidden too (Kauf and Ivanova 2023); the same tokens.
        annotated: The document's text, units and the strata to group by.
        unk_id: Vocabulary index of the unknown token, if any.

    Returns:
        Name of the sum to (total, weight). The classes and `mixed` partition tokens, units and nats.

    Raises:
        DataError: Text and annotation don't fit (see `align`).
    """
    alignment = align(l2r, annotated)
    n_tokens = float(l2r.n_tokens)
    nats = -l2r.logprob
    n_unknown = 0.0 if unk_id is None else float(np.count_nonzero(l2r.token_id == unk_id))
    sums: dict[str, tuple[float, float]] = {
        "pll": (plain.total_nats, n_tokens),
        "pll_l2r": (l2r.total_nats, n_tokens),
        "wpll_l2r": (l2r.total_nats, float(len(annotated.units))),
        "unk_rate": (n_unknown, n_tokens),
    }
    n_chars = (l2r.char_end - l2r.char_start).astype(np.float64)
    by_class = label_parts(alignment, [word_class(upos) for upos in annotated.units.upos], nats, n_chars)
    for name in CLASSES:
        _put(sums, f"_{name.lower()}", by_class.get(name, _NO_PARTS))
    sums["mixed_share"] = (sums["pll_l2r_mixed"][1], n_tokens)
    for column, labels in annotated.units.strata.items():
        for label, parts in sorted(label_parts(alignment, labels, nats, n_chars).items()):
            _put(sums, f"[{column}={label}]", parts)
    return sums


def _put(sums: dict[str, tuple[float, float]], suffix: str, parts: npt.NDArray[np.float64]) -> None:
    nats, n_tokens, n_units, _ = (float(part) for part in parts)
    sums[f"pll_l2r{suffix}"] = (nats, n_tokens)
    sums[f"wpll_l2r{suffix}"] = (nats, n_units)

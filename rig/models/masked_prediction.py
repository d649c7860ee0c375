"""What a masked model predicts at selected tokens, all those of a window hidden at once.

Long texts are read in consecutive windows of `max_tokens` tokens, so that each token is in one window.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rig.core.documents import Document
from rig.core.errors import ModelError
from rig.core.masked_tokens import MaskedTokens
from rig.metrics.masked import selected_tokens
from rig.models.base import FillsMasks, Gaps
from rig.models.windows import windows


def predict_selected(model: FillsMasks, documents: Sequence[Document]) -> list[MaskedTokens]:
    """The model's predictions at the tokens that each document selects (see `rig.metrics.masked`).

    Raises:
        ModelError: The model gave something that is no log-probability.
    """
    encodings = model.encode([document.text for document in documents])
    selected = [
        selected_tokens(document.doc_id, encoding.char_start, encoding.char_end, document.n_chars)
        for document, encoding in zip(documents, encodings, strict=True)
    ]
    gaps: list[Gaps] = []
    whose: list[int] = []
    for index, (encoding, positions) in enumerate(zip(encodings, selected, strict=True)):
        for window in windows(len(encoding), context=model.max_tokens, stride=model.max_tokens):
            inside = positions[(positions >= window.start) & (positions < window.stop)] - window.start
            if len(inside):
                token_id = encoding.token_id[window.start : window.stop]
                gaps.append(Gaps(token_id=token_id, hidden=inside, asked=inside))
                whose.append(index)
    filled = model.fill(gaps)
    if len(filled) != len(gaps):
        raise ModelError(f"the model was given {len(gaps)} texts with gaps and filled {len(filled)}")
    predicted: list[list[npt.NDArray[np.int64]]] = [[np.zeros(0, np.int64)] for _ in documents]
    logprob: list[list[npt.NDArray[np.float64]]] = [[np.zeros(0)] for _ in documents]
    for index, answer in zip(whose, filled, strict=True):
        predicted[index].append(answer.predicted)
        logprob[index].append(answer.logprob)
    return [
        MaskedTokens(
            doc_id=document.doc_id,
            position=positions,
            token_id=encoding.token_id[positions],
            predicted=np.concatenate(predicted[index]),
            logprob=np.concatenate(logprob[index]),
        )
        for index, (document, encoding, positions) in enumerate(
            zip(documents, encodings, selected, strict=True)
        )
    ]

"""The check of what a model is fed beside the text: one BOS where one is declared, never two, and no EOS."""

import numpy as np
import numpy.typing as npt

from rig.audit.finding import Verdict, failed, passed
from rig.audit.probe import Probe
from rig.audit.rounding import TOLERANCE_NATS
from rig.core.token_scores import TokenScores
from rig.models.base import Explanation

_MOST_AFRESH = 0.5
"""Share of a text's distributions that equal its first one; more, and the model hardly looks at its input."""


def special_tokens(probe: Probe) -> Verdict:
    """The input of each text is the declared BOS, once, and the text's own tokens."""
    for scores, explanation in probe.explained:
        if not scores.n_tokens:
            continue
        if (verdict := _of_text(scores, explanation) or _afresh(scores, explanation)) is not None:
            return verdict
    bos_id = probe.explained[0][1].bos_id
    begin = "no BOS, as declared," if bos_id is None else f"one BOS (id {bos_id})"
    return passed(f"each input is {begin} and the text's tokens, without EOS")


def _of_text(scores: TokenScores, explanation: Explanation) -> Verdict | None:
    """What is wrong with one text's input, or None. The last token is scored, so it need not be fed."""
    inputs, tokens = explanation.input_id.tolist(), scores.token_id.tolist()
    bos_id, eos_id = explanation.bos_id, explanation.eos_id
    begin = [] if bos_id is None else [bos_id]
    if inputs in (begin + tokens, begin + tokens[:-1]):
        return None
    n_bos = 0 if bos_id is None else next((i for i, fed in enumerate(inputs) if fed != bos_id), len(inputs))
    if n_bos >= 2 and tokens[0] != bos_id:
        return failed(
            f"{_counted(n_bos)} BOS: the input of a text begins with id {bos_id} {n_bos} times; let either "
            "the tokenizer or the adapter add it",
            "perplexity would be wrong, usually a little too high: the first tokens stand in a context that "
            "training never showed; how far can't be told from outside",
        )
    if bos_id is not None and not n_bos:
        return failed(
            f"no BOS: BOS is declared (id {bos_id}), but the input of a text begins with id {inputs[:1]}",
            "perplexity would be wrong, usually too high: the first token of each text is predicted from "
            "nothing that training showed; how far can't be told from outside",
        )
    if eos_id is not None and inputs[-1:] == [eos_id] and tokens[-1] != eos_id:
        return failed(
            f"EOS is fed: the input of a text of {len(tokens)} tokens ends with id {eos_id}",
            "perplexity would be wrong where the model sees it, and too low where it is scored: the end of a "
            "text is easy to guess",
        )
    return failed(
        f"the input is another text: {len(inputs)} ids were fed for {len(tokens)} tokens and "
        f"{len(begin)} BOS, and they are not these; are special tokens inside, or tokens cut off?",
        "perplexity would be of another text than the one counted; how far can't be told from outside",
    )


def _afresh(scores: TokenScores, explanation: Explanation) -> Verdict | None:
    """What is wrong if distributions inside a text are those that only BOS comes before, or None."""
    rows = np.asarray(explanation.logprob, dtype=np.float64)
    if explanation.bos_id is None or len(rows) < 3 or _equal(rows[:1].T, rows[0, :1]).all():
        return None  # a first distribution that is uniform is what a model says of any context it never saw
    # The second may well equal the first, where it was made without the token between: that is a shift.
    is_first_again = _equal(rows[2:], rows[0])
    if is_first_again.mean() > _MOST_AFRESH:
        return None
    (afresh,) = np.nonzero(is_first_again & (scores.token_id[1:-1] != explanation.bos_id))
    if not afresh.size:
        return None
    return failed(
        f"BOS again inside a text: {afresh.size} of {len(rows)} distributions are that of a text's first "
        f"token (one is token {afresh[0] + 2}); windows begin with BOS, or what is fed for it is no BOS",
        "perplexity would be too high where context is lost; how far can't be told from outside",
    )


def _equal(rows: npt.NDArray[np.float64], row: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """(n,) which rows equal `row`, but for rounding."""
    with np.errstate(invalid="ignore"):
        is_equal: npt.NDArray[np.bool_] = ((rows == row) | (np.abs(rows - row) <= TOLERANCE_NATS)).all(axis=1)
    return is_equal


def _counted(n: int) -> str:
    return {2: "double", 3: "triple"}.get(n, str(n))

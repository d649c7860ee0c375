"""The check of what stands late in a long text, beyond the first window, where short texts never reach.

Two things hold for every right model, whatever its context. The scores of a text's beginning are the same
alone and with any text after it. And a passage costs about as much after a long text as it does alone: a
little less after text like it, since a model learns from what it has read, and not much less after text that
tells nothing of it (here: read backwards).
"""

import numpy as np
import numpy.typing as npt

from rig.audit.finding import Verdict, failed, not_checked, passed, perplexity_effect
from rig.audit.probe import Probe, shared_tokens
from rig.audit.rounding import TOLERANCE_NATS, Difference
from rig.audit.scores import rounding_nats
from rig.core.documents import Document
from rig.core.token_scores import TokenScores

Floats = npt.NDArray[np.float64]

_FEWEST_TOKENS = 12
_CHEAPER_NATS, _CHEAPER_FACTOR = 0.3, 2.0
"""After text that tells nothing a passage may not cost less by more than both: no right model can do it."""
_DEARER_NATS, _DEARER_FACTOR = 1.0, 1.5
"""After text like it a passage may not cost more by more than both: losing half of a window costs less."""


def late_text(probe: Probe) -> Verdict:
    """Late tokens are scored like early ones, and early scores don't change with what stands far later."""
    return _beginning_changes(probe) or _passage(probe)


def _beginning_changes(probe: Probe) -> Verdict | None:
    """What is wrong where long texts begin alike, or None."""
    whole = probe.long_scores
    is_half_precision = rounding_nats(probe) > TOLERANCE_NATS
    for text, n_common, change in probe.same_beginnings:
        other = probe.score_alone(text)
        # Not a text's last token: an adapter that is not shifted can't score it rightly, and is named.
        n_shared = min(shared_tokens(whole, other, n_chars=n_common), other.n_tokens - 1)
        difference = Difference.between([whole.logprob[:n_shared]], [other.logprob[:n_shared]])
        if difference.is_none or (is_half_precision and difference.is_rounding):
            continue
        return failed(
            f"late in a text the future leaks, or windows are counted from its end: scores among the first "
            f"{n_shared} tokens of a text of {whole.n_chars} characters change by up to "
            f"{difference.worst:.3g} nats when {change}",
            "perplexity would be of a model that sees what follows, usually too low; how far can't be told "
            "from outside",
        )
    return None


def _passage(probe: Probe) -> Verdict:
    """Whether the same passage costs about the same alone and late."""
    texts = probe.late_texts
    if texts is None:
        return not_checked("there are no two texts, so nothing can stand before a passage")
    alone, like, noise = (
        _second_half(probe.score_alone(text), text, n_chars=texts.passage.n_chars)
        for text in (texts.passage, texts.after_like, texts.after_noise)
    )
    n_tokens = len(alone)
    if min(len(alone), len(like), len(noise)) < _FEWEST_TOKENS:
        return not_checked(f"the passage is too short: {n_tokens} tokens, of {_FEWEST_TOKENS} at least")
    early, after_like, after_noise = (float(nats.mean()) for nats in (alone, like, noise))
    seen = (
        f"{n_tokens} tokens cost {early:.3g} nats each early, and after {texts.n_chars_before} characters "
        f"{after_like:.3g}, or {after_noise:.3g} where these tell nothing"
    )
    if np.ptp(like) <= TOLERANCE_NATS < np.ptp(alone):
        return failed(
            f"what lies past the window has one score for all tokens: {seen}",
            perplexity_effect(after_like, early),
        )
    if early - after_noise > _CHEAPER_NATS and early > _CHEAPER_FACTOR * after_noise:
        return failed(
            f"what lies past the window costs too little: {seen}; late tokens have a score that is too high, "
            "or leak",
            perplexity_effect(after_noise, early),
        )
    if after_like - early > _DEARER_NATS and after_like > _DEARER_FACTOR * early:
        return failed(
            f"what lies past the window is not shifted, or has lost its context: {seen}",
            perplexity_effect(after_like, early),
        )
    return passed(f"{seen}; a text's beginning has the same scores whatever follows")


def _second_half(scores: TokenScores, text: Document, *, n_chars: int) -> Floats:
    """What each token costs, nats, in the second half of the `n_chars` characters that end a text."""
    nats: Floats = -scores.logprob[scores.char_start >= text.n_chars - n_chars // 2]
    return nats

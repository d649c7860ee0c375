"""Checks of the scores alone, which every model gives: well formed, repeatable, one a token, in any batch."""

from collections.abc import Sequence

import numpy as np

from rig.audit.finding import Verdict, failed, not_checked, passed, perplexity_effect
from rig.audit.probe import Probe, mean_nats
from rig.audit.rounding import TOLERANCE_NATS, Difference
from rig.core.token_scores import TokenScores

_ZERO_SHARE = 0.05
_CERTAIN_NATS = 1e-6
"""What costs less is as good as free."""


def scores(probe: Probe) -> Verdict:
    """Each text gets finite log-probabilities <= 0 whose spans tile it; states the rate of unknown tokens."""
    n_tokens = sum(of_one.n_tokens for of_one in probe.scores)
    if not n_tokens:
        return not_checked("there is no text to score; give the kind training documents")
    seen = f"{n_tokens} tokens of {len(probe.scores)} texts are finite, <= 0, and tile their texts"
    unk_id = probe.model.unk_id
    if unk_id is None:
        return passed(f"{seen}; the vocabulary has no unknown token")
    n_unknown = sum(int((of_one.token_id == unk_id).sum()) for of_one in probe.scores)
    return passed(f"{seen}; {n_unknown} of them ({n_unknown / n_tokens:.1%}) are the unknown token")


def two_calls(probe: Probe) -> Verdict:
    """The same text twice has the same scores: no dropout, no sampling."""
    again = [probe.score_alone(document) for document in probe.documents]
    if not _are_parallel(probe.scores, again):
        seen = "two calls with the same text give other tokens"
    elif (difference := _difference(probe.scores, again)).is_none:
        return passed(f"two calls give the same scores, {difference.seen}")
    else:
        seen = f"two calls with the same text differ by up to {difference.worst:.3g} nats a token"
    return failed(
        f"{seen}: dropout, or another source of randomness, is left on (call `model.eval()`)",
        "perplexity would change from run to run, and dropout makes it too high: these two calls give "
        f"{np.exp(mean_nats(probe.scores)):.4g} and {np.exp(mean_nats(again)):.4g}",
    )


def own_score(probe: Probe) -> Verdict:
    """Each token has a score of its own, and not its document's or its batch's mean."""
    several = [of_one for of_one in probe.scores if of_one.n_tokens >= 2]
    if not several:
        return not_checked("no text has two tokens")
    levels = [of_one.logprob[0] for of_one in several]
    is_flat = all(np.ptp(of_one.logprob) <= TOLERANCE_NATS for of_one in several)
    if not is_flat or np.ptp(levels) <= TOLERANCE_NATS:
        return _no_mean(is_flat=is_flat, n_texts=len(several))
    if not (
        _are_parallel(probe.scores, probe.together) and _difference(probe.scores, probe.together).is_none
    ):
        sentence = (
            "per-batch mean: all tokens of a text have one and the same score, "
            "and it changes with the other texts of the batch"
        )
    else:
        sentence = (
            "per-text mean: all tokens of a text have one and the same score, "
            f"from {min(levels):.3f} to {max(levels):.3f} nats in {len(levels)} texts"
        )
    return failed(
        f"{sentence}; give each token its own (a loss with `reduction='none'`)",
        "perplexity over unequal texts would weight them wrongly, and every perplexity by word class would "
        f"be that of its text: {np.exp(-max(levels)):.3g} to {np.exp(-min(levels)):.3g} here",
    )


def _no_mean(*, is_flat: bool, n_texts: int) -> Verdict:
    if not is_flat:
        return passed("the tokens of a text have scores of their own")
    if n_texts == 1:
        return not_checked("all tokens of the only text share one score: a uniform model's, or a mean")
    return passed(f"all tokens of {n_texts} texts share one score, as a uniform model's do, and no mean can")


def batching(probe: Probe) -> Verdict:
    """A text scored alone has the scores that it has in a batch with longer and shorter ones."""
    if len(probe.documents) < 2:
        return not_checked("there is only one text, so no batch")
    alone, together = probe.scores, probe.together
    n_alone = sum(of_one.n_tokens for of_one in alone)
    n_together = sum(of_one.n_tokens for of_one in together)
    effect = perplexity_effect(mean_nats(together), mean_nats(alone))
    if n_alone != n_together:
        return failed(
            f"padding is scored: {len(alone)} texts have {n_alone} tokens alone and {n_together} in a batch "
            "of unequal lengths",
            effect,
        )
    if not _are_parallel(alone, together):
        return failed("a text has other tokens or spans in a batch than alone", effect)
    difference = _difference(alone, together)
    if difference.is_rounding:
        return passed(
            f"{len(alone)} texts of unequal lengths have the same scores alone and in a batch, "
            f"{difference.seen}"
        )
    return failed(
        "padding is attended to, or positions are counted from it: in a batch of unequal lengths a token's "
        f"score differs by up to {difference.worst:.3g} nats from the score alone",
        effect,
    )


def rounding_nats(probe: Probe) -> float:
    """How far arithmetic moves a token's score with the batch, nats; 0 where more than arithmetic does."""
    if not _are_parallel(probe.scores, probe.together):
        return 0.0
    difference = _difference(probe.scores, probe.together)
    return difference.worst if difference.is_rounding else 0.0


def windows(probe: Probe) -> Verdict:
    """A long text is scored whole: each character once, and no tokens past a window at no cost."""
    document = probe.long_document
    of_long = probe.long_scores
    n_zero = int((of_long.logprob > -_CERTAIN_NATS).sum())
    n_tokens = max(of_long.n_tokens, 1)
    short = np.concatenate([of_one.logprob for of_one in probe.scores])
    if n_zero / n_tokens > _ZERO_SHARE + float((short > -_CERTAIN_NATS).mean()):
        kept = of_long.total_nats / max(n_tokens - n_zero, 1)
        return failed(
            f"{n_zero} of the {of_long.n_tokens} tokens of a text of {document.n_chars} characters have "
            "log-probability 0 or nearly, as if certain: what lies past the window costs nothing",
            perplexity_effect(mean_nats([of_long]), kept),
        )
    return passed(
        f"a text of {document.n_chars} characters is scored whole: {of_long.n_tokens} tokens tile it"
    )


def _are_parallel(one: Sequence[TokenScores], other: Sequence[TokenScores]) -> bool:
    """Whether two scorings of the same texts have the same tokens and spans."""
    return all(
        np.array_equal(a.token_id, b.token_id) and np.array_equal(a.char_end, b.char_end)
        for a, b in zip(one, other, strict=True)
    )


def _difference(one: Sequence[TokenScores], other: Sequence[TokenScores]) -> Difference:
    return Difference.between([scores.logprob for scores in one], [scores.logprob for scores in other])

"""Checks of a masked model's predictions: hidden tokens stay hidden, and neither batch nor call matters."""

from collections.abc import Sequence

import numpy as np

from rig.audit.finding import Verdict, failed, not_checked, passed
from rig.audit.probe import Probe
from rig.audit.rounding import TOLERANCE_NATS, Difference
from rig.core.errors import ModelError
from rig.models.base import Filled, FillsMasks, Gaps

_EVERY = 4
"""Every fourth token is hidden, and every other one of these is asked for."""


def hidden_originals(probe: Probe) -> Verdict:
    """What stands at a hidden position changes no prediction."""
    model, gaps = _model(probe), _gaps(probe)
    if not gaps:
        return not_checked(f"no text has {_EVERY + 1} tokens")
    exchanged = [_with_other_originals(one) for one in gaps]
    n_predicted, n_moved, worst = 0, 0, 0.0
    for one, before, after in zip(gaps, _fill(model, gaps), _fill(model, exchanged), strict=True):
        n_predicted += len(one.asked)
        moved = np.abs(before.logprob - after.logprob)
        n_moved += int(((moved > TOLERANCE_NATS) | (before.predicted != after.predicted)).sum())
        worst = max(worst, float(moved.max(initial=0.0)))
    if not n_moved:
        return passed(f"{n_predicted} predictions stay the same when other hidden tokens are exchanged")
    return failed(
        f"hidden tokens are seen: {n_moved} of {n_predicted} predictions change, by up to {worst:.3g} nats, "
        "when the originals under other masks are exchanged",
        "masked accuracy would be too high and pseudo-perplexity too low; how far can't be told from outside",
    )


def fill_in_a_batch(probe: Probe) -> Verdict:
    """A text's gaps are filled alike alone and in a batch of unequal lengths."""
    model, gaps = _model(probe), _gaps(probe)
    if len(gaps) < 2:
        return not_checked("there are no two texts to fill together")
    alone = [_fill(model, [one])[0] for one in gaps]
    difference, n_other = _differences(alone, _fill(model, gaps))
    if difference.is_none and not n_other:
        return passed(f"{len(gaps)} texts are filled alike alone and together, {difference.seen}")
    if not difference.is_none and difference.is_rounding:
        return passed(
            f"{len(gaps)} texts are filled alike alone and together, {difference.seen}; "
            f"{n_other} predictions change"
        )
    return failed(
        f"padding is attended to: in a batch of unequal lengths {n_other} predictions change and "
        f"log-probabilities differ by up to {difference.worst:.3g} nats",
        "masked accuracy and pseudo-perplexity would move with the batch size",
    )


def fill_twice(probe: Probe) -> Verdict:
    """The same gaps are filled alike in two calls."""
    model, gaps = _model(probe), _gaps(probe)
    if not gaps:
        return not_checked(f"no text has {_EVERY + 1} tokens")
    difference, n_other = _differences(_fill(model, gaps), _fill(model, gaps))
    if difference.is_none and not n_other:
        return passed(f"two calls fill {len(gaps)} texts alike, {difference.seen}")
    return failed(
        f"two calls differ: {n_other} predictions change and log-probabilities differ by up to "
        f"{difference.worst:.3g} nats; dropout, or another source of randomness, is left on (call "
        "`model.eval()`)",
        "masked accuracy would change from run to run, and dropout makes it too low",
    )


def _model(probe: Probe) -> FillsMasks:
    if not isinstance(probe.model, FillsMasks):
        raise ModelError("the model has no `fill`")
    return probe.model


def _gaps(probe: Probe) -> list[Gaps]:
    """Every fourth token of each text hidden, every other of these asked for."""
    model = _model(probe)
    found = []
    for encoding in model.encode([document.text for document in probe.documents]):
        token_id = encoding.token_id[: model.max_tokens]
        hidden = np.arange(0, len(token_id), _EVERY)
        if len(hidden) >= 2:
            found.append(Gaps(token_id=token_id, hidden=hidden, asked=hidden[::2]))
    return found


def _with_other_originals(gaps: Gaps) -> Gaps:
    """The same gaps with the originals that are not asked for replaced by the token before them."""
    token_id = gaps.token_id.copy()
    others = np.setdiff1d(gaps.hidden, gaps.asked)
    token_id[others] = gaps.token_id[others - 1]
    return Gaps(token_id=token_id, hidden=gaps.hidden, asked=gaps.asked)


def _fill(model: FillsMasks, gaps: Sequence[Gaps]) -> list[Filled]:
    filled = model.fill(gaps)
    if [len(one.logprob) for one in filled] != [len(one.asked) for one in gaps]:
        raise ModelError("`fill` must give a log-probability for each token asked for, text by text")
    for one in filled:
        if not np.isfinite(one.logprob).all() or (one.logprob > 0).any():
            raise ModelError("`fill` gave a log-probability that is not finite and <= 0")
    return filled


def _differences(one: Sequence[Filled], other: Sequence[Filled]) -> tuple[Difference, int]:
    """The difference of the log-probabilities, and how many predictions differ."""
    n_other = sum(int((a.predicted != b.predicted).sum()) for a, b in zip(one, other, strict=True))
    return Difference.between([a.logprob for a in one], [b.logprob for b in other]), n_other

"""The audit: every check of a model's adapter, in order, each with what it needs.

A check never ends a run: an adapter that raises inside one has failed it. Where a fault would show in a later
check too, that check is not made, so that one fault gives one finding.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from rig.audit import distributions, late, masks, order, scores, special_tokens
from rig.audit.finding import Finding, Verdict, failed, not_checked
from rig.audit.probe import Probe
from rig.core.documents import Document
from rig.models.base import AbstractLanguageModel, Explains, FillsMasks


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check, and what must hold before it means anything."""

    name: str
    run: Callable[[Probe], Verdict]
    after: tuple[str, ...] = ()
    """Checks that must have passed."""
    unless_failed: tuple[str, ...] = ()
    """Checks that may not have been made, but must not have failed."""
    ability: type[Any] | None = None
    """The protocol of `rig.models.base` that the model must follow."""
    needs_any_text: bool = False
    """Whether it means nothing for stored numbers: it asks for other texts, or for the same ones again."""


_ANY: tuple[Check, ...] = (
    Check(name="scores", run=scores.scores),
    Check(name="two calls", run=scores.two_calls, after=("scores",), needs_any_text=True),
    Check(name="own score", run=scores.own_score, after=("two calls",)),
    Check(name="batching", run=scores.batching, after=("own score",), needs_any_text=True),
    Check(name="windows", run=scores.windows, after=("scores",), needs_any_text=True),
)
_CAUSAL: tuple[Check, ...] = (
    Check(
        name="distributions",
        run=distributions.distributions,
        after=("two calls", "windows"),
        ability=Explains,
    ),
    Check(
        name="special tokens", run=special_tokens.special_tokens, after=("distributions",), ability=Explains
    ),
    Check(name="sum to one", run=distributions.sum_to_one, after=("distributions",), ability=Explains),
    Check(
        name="score of the distribution",
        run=distributions.score_is_distributions,
        after=("sum to one", "own score"),
        ability=Explains,
    ),
    Check(name="softmax once", run=distributions.softmax_once, after=("sum to one",), ability=Explains),
    Check(name="shift", run=order.shift, after=("softmax once",), ability=Explains),
    Check(name="causal leak", run=order.causal_leak, after=("own score",), needs_any_text=True),
    Check(
        name="token itself",
        run=order.token_itself,
        after=("shift", "causal leak", "batching"),
        ability=Explains,
    ),
    Check(
        name="late text",
        run=late.late_text,
        after=("batching", "windows", "causal leak"),
        unless_failed=("token itself",),
        needs_any_text=True,
    ),
)
_MASKED: tuple[Check, ...] = (
    Check(name="fill twice", run=masks.fill_twice, after=("scores",), ability=FillsMasks),
    Check(name="hidden originals", run=masks.hidden_originals, after=("fill twice",), ability=FillsMasks),
    Check(name="fill in a batch", run=masks.fill_in_a_batch, after=("fill twice",), ability=FillsMasks),
)
_METHODS = {Explains: "explain", FillsMasks: "encode` and `fill"}


def audit(
    model: AbstractLanguageModel, documents: Sequence[Document], *, thorough: bool
) -> tuple[Finding, ...]:
    """Check a model's adapter: what it calls scores, how it comes to them, and what they depend on.

    Args:
        model: Trained or loaded.
        documents: Texts that it should know, from train or validation; where it has no scores for other
            texts (`scores_any_text`), some of those that it has.
        thorough: More and longer texts; else a handful, for every cell.

    Returns:
        One finding a check. Only a fault is `failed`; what could not be checked says so.
    """
    probe = Probe(model, documents, thorough=thorough)
    found: dict[str, Finding] = {}
    roots: dict[str, str] = {}
    for check in (*_ANY, *(_MASKED if model.objective == "masked" else _CAUSAL)):
        unmet = _unmet(check, found, model)
        if unmet is not None:
            # The fault is named once, where it began.
            roots[check.name] = root = roots.get(unmet, unmet)
            why = "failed" if found[root].status == "failed" else "could not be made"
            verdict = not_checked(f"it would mean nothing, since the check '{root}' {why}")
        else:
            verdict = _verdict(check, probe)
        found[check.name] = Finding(
            check=check.name, status=verdict.status, sentence=verdict.sentence, effect=verdict.effect
        )
    return tuple(found.values())


def _unmet(check: Check, found: Mapping[str, Finding], model: AbstractLanguageModel) -> str | None:
    """The first check without which this one means nothing. Stored numbers can't move from call to call."""
    for name in check.after:
        if found[name].status != "passed" and (model.scores_any_text or name != "two calls"):
            return name
    return next((name for name in check.unless_failed if found[name].status == "failed"), None)


def _verdict(check: Check, probe: Probe) -> Verdict:
    if check.ability is not None and not isinstance(probe.model, check.ability):
        protocol, method = check.ability.__name__, _METHODS[check.ability]
        return not_checked(f"the model has no `{method}`; implement rig.models.base.{protocol}")
    if check.needs_any_text and not probe.model.scores_any_text:
        return not_checked(
            "stored numbers: the same in every call and batch, and there are none of other texts"
        )
    try:
        return check.run(probe)
    except Exception as error:  # noqa: BLE001  (an adapter can raise anything, and must not end the run)
        return failed(
            f"the model raised {type(error).__name__}: {' '.join(str(error).split())}",
            "there would be no perplexity, or one without the texts that raise",
        )

"""`parse_rate`: the share of a text's sentences that pass all five conditions, A to E.

A to D are in `tree_checks`, E in `plausibility`. On Bosque the rate separates text (.76), a trigram model
(.58) and shuffled words (.07), where a valid tree alone is 1.000 for all three. Text stays well below 1
because a tagger's errors on features fail condition D.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, final

from scipy.stats import binomtest

from rig.core.sentences import Sentence
from rig.parsers.plausibility import HeadAutomaton
from rig.parsers.tree_checks import check_tree
from rig.parsers.tree_depth import tree_depth

CONDITIONS: tuple[str, ...] = ("well_formed", "licit", "finite", "agrees", "plausible")
"""A to E, in order."""

_TERMINAL = ".!?…"
_CLOSING = "»”’\"')]"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceVerdict:
    """What the conditions say of one scored sentence."""

    text: str
    n_words: int
    """Syntactic words, punctuation included."""
    conditions: tuple[bool, ...]
    """A to E, in the order of `CONDITIONS`."""
    is_overlong: bool
    """More words than the longest sentence that may pass."""
    depth: int
    """Nodes on the longest path from the root."""

    @property
    def is_parsed(self) -> bool:
        """Whether all five conditions hold and the sentence isn't overlong."""
        return all(self.conditions) and not self.is_overlong


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Unscored:
    """A sentence that no condition is asked about, and why."""

    text: str
    reason: str
    """`short` or `cut`."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ParseJudge:
    """The rules by which sentences are scored."""

    automaton: HeadAutomaton
    min_words: int = 3
    """A sentence with fewer words that aren't punctuation is unscored."""
    max_words: int = 100
    """A sentence with more words fails."""

    def judge(self, sentences: Sequence[Sentence], *, may_be_cut: bool) -> list[SentenceVerdict | Unscored]:
        """A verdict on each sentence of one text, in order.

        Args:
            sentences: All sentences of the text.
            may_be_cut: Whether the text ends where a token limit was reached; then its last sentence is
                unscored unless it ends in terminal punctuation.
        """
        last = len(sentences) - 1 if may_be_cut else -1
        return [self._judge(sentence, may_be_cut=i == last) for i, sentence in enumerate(sentences)]

    def _judge(self, sentence: Sentence, *, may_be_cut: bool) -> SentenceVerdict | Unscored:
        if may_be_cut and not ends_sentence(sentence.text):
            return Unscored(text=sentence.text, reason="cut")
        if sum(word.upos != "PUNCT" for word in sentence.words) < self.min_words:
            return Unscored(text=sentence.text, reason="short")
        checks = check_tree(sentence)
        plausible = checks.well_formed and self.automaton.is_plausible(sentence)
        return SentenceVerdict(
            text=sentence.text,
            n_words=len(sentence.words),
            conditions=(checks.well_formed, checks.licit, checks.finite, checks.agrees, plausible),
            is_overlong=len(sentence.words) > self.max_words,
            depth=tree_depth(sentence),
        )


def ends_sentence(text: str) -> bool:
    """Whether a text ends in `.`, `!`, `?` or `…`, closing quotes and brackets aside."""
    return text.rstrip().rstrip(_CLOSING).endswith(tuple(_TERMINAL))


def split_terminal(forms: Sequence[str]) -> tuple[list[str], list[str]]:
    """A sentence's units, and the run of terminal punctuation and closing signs that it ends in."""
    n_body = len(forms)
    while n_body and not forms[n_body - 1].strip(_TERMINAL + _CLOSING):
        n_body -= 1
    return list(forms[:n_body]), list(forms[n_body:])


def describe_rates(verdicts: Iterable[SentenceVerdict], *, n_failed: int = 0) -> dict[str, Any]:
    """The rate of each condition and of their conjunction, with a Wilson 95% interval.

    Args:
        verdicts: Scored sentences.
        n_failed: Outputs without any sentence, which fail every condition.

    Returns:
        `n_scored`, `n_parsed`, `n_overlong`, `parse_rate`, `low`, `high`, and `condition_rates` by name; the
        rates are None where nothing was scored.
    """
    scored = list(verdicts)
    n_scored = len(scored) + n_failed
    n_parsed = sum(verdict.is_parsed for verdict in scored)
    passed = [sum(verdict.conditions[i] for verdict in scored) for i in range(len(CONDITIONS))]
    low, high = wilson_interval(n_parsed, n_scored)
    return {
        "n_scored": n_scored,
        "n_parsed": n_parsed,
        "n_overlong": sum(verdict.is_overlong for verdict in scored),
        "parse_rate": n_parsed / n_scored if n_scored else None,
        "low": low,
        "high": high,
        "condition_rates": {
            name: n_passed / n_scored if n_scored else None
            for name, n_passed in zip(CONDITIONS, passed, strict=True)
        },
    }


def wilson_interval(n_passed: int, n: int) -> tuple[float | None, float | None]:
    """The Wilson 95% interval of a share (1927); (None, None) for n = 0.

    It takes sentences for independent; those of one prompt are not quite.
    """
    if n == 0:
        return None, None
    interval = binomtest(n_passed, n).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)

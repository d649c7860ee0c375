"""The reference loss against arithmetic, and the usual mistakes, each of which its contract must catch."""

import ast
import math
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.reference import loss

SOURCE = Path(loss.__file__).read_text(encoding="utf-8")
LN2 = 0.6931471805599453


def contract(module: Any) -> None:
    """What the spec says of the module, as known answers; fails by AssertionError or NaN comparison."""
    # Rows of log-probabilities, so that losses are known: ln 2, ln 4 and ln 8.
    rows = [
        [math.log(1 / 2), math.log(1 / 4), math.log(1 / 4)],
        [math.log(1 / 2), math.log(1 / 4), math.log(1 / 4)],
        [math.log(1 / 8), math.log(3 / 4), math.log(1 / 8)],
    ]
    targets = [0, 1, 2]
    assert module.log_softmax([0.0, -800.0]) == pytest.approx([0.0, -800.0], abs=1e-9)
    assert module.naive_log_softmax([0.0, -800.0])[1] == module.NEG_INF
    assert module.log_softmax([1000.0, 1000.0]) == pytest.approx([-LN2, -LN2])
    assert [module.token_loss(row, target) for row, target in zip(rows, targets, strict=True)] == (
        pytest.approx([LN2, 2 * LN2, 3 * LN2])
    )
    assert module.cross_entropy(rows, targets) == pytest.approx(2 * LN2)
    assert module.perplexity(rows, targets) == pytest.approx(4.0)
    assert module.uniform_perplexity(50, 3) == pytest.approx(50.0)
    assert module.uniform_perplexity(50, 7) == pytest.approx(50.0)
    assert module.shift_pairs(["a", "b", "c"], [1, 2, 3]) == (["a", "b"], [2, 3])
    assert module.shifted_loss(rows, [9, 1, 0]) == pytest.approx(1.5 * LN2)
    assert module.unshifted_loss(rows, [0, 1, 2]) == pytest.approx(2 * LN2)
    assert module.kept_positions([5, 0, 3, 0, 0], 0) == [0, 2]
    assert module.masked_cross_entropy(rows, [0, 1, 2], 0) == pytest.approx(2.5 * LN2)
    assert module.masked_cross_entropy(rows, [2, 0, 2], 2) == pytest.approx(LN2)
    assert module.bits_per_token(3 * LN2) == pytest.approx(3.0)
    assert module.nats_per_token(3.0) == pytest.approx(3 * LN2)


MISTAKES = {
    "probability before log": (
        "    return [x - log_total for x in xs]",
        "    return [math.log(math.exp(x - log_total) or 5e-324) for x in xs]",
    ),
    "sign not flipped": ("    return -log_softmax(logits)[target]", "    return log_softmax(logits)[target]"),
    "sum for mean": ("return sum(losses) / len(losses) if losses", "return sum(losses) if losses"),
    "mean of exp": (
        "    return math.exp(cross_entropy(rows, targets))",
        "    losses = [token_loss(row, target) for row, target in zip(rows, targets, strict=True)]\n"
        "    return sum(math.exp(loss) for loss in losses) / len(losses)",
    ),
    "labels shifted the other way": ("    return rows[:-1], ids[1:]", "    return rows[1:], ids[:-1]"),
    "labels not shifted": ("    return rows[:-1], ids[1:]", "    return rows, ids"),
    "a mask that leaves the denominator alone": (
        "    return cross_entropy([rows[position] for position in kept], "
        "[targets[position] for position in kept])",
        "    return sum(token_loss(rows[p], targets[p]) for p in kept) / len(targets)",
    ),
    "a mask turned round": ("if target != pad_id]", "if target == pad_id]"),
    "base 2 in the log": ("math.log(sum(math.exp(x", "math.log2(sum(math.exp(x"),
    "base 2 in the exp": ("    return math.exp(cross_entropy", "    return 2 ** (cross_entropy"),
    "nats for bits": ("    return loss / math.log(2)", "    return loss"),
    "bits by multiplying": ("    return loss / math.log(2)", "    return loss * math.log(2)"),
    "log2 of 2": ("    return bits * math.log(2)", "    return bits * math.log2(2)"),
}


def mutated(right: str, wrong: str) -> SimpleNamespace:
    assert SOURCE.count(right) == 1, (
        f"{right!r} must stand once in the module for this test to mean something"
    )
    namespace: dict[str, Any] = {"__name__": "mutated"}
    exec(compile(SOURCE.replace(right, wrong), "mutated", "exec"), namespace)
    return SimpleNamespace(**namespace)


def test_the_module_keeps_its_contract() -> None:
    contract(loss)


@pytest.mark.parametrize(("right", "wrong"), MISTAKES.values(), ids=MISTAKES.keys())
def test_each_usual_mistake_breaks_the_contract(right: str, wrong: str) -> None:
    module = mutated(right, wrong)
    with pytest.raises(AssertionError):
        contract(module)


def test_only_the_standard_library_is_imported() -> None:
    tree = ast.parse(SOURCE)
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"math", "collections.abc"}
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names


def test_the_constants() -> None:
    assert loss.VOCAB >= 12
    assert 0 <= loss.PAD_ID < loss.VOCAB
    assert len(loss.SEQ) >= 16
    assert all(0 <= token < loss.VOCAB for token in loss.SEQ)
    n_padding = loss.SEQ.count(loss.PAD_ID)
    assert n_padding >= 3
    assert loss.SEQ[-n_padding:] == [loss.PAD_ID] * n_padding
    assert math.isinf(loss.NEG_INF)
    assert loss.NEG_INF < 0


def test_the_dataset() -> None:
    rows, ids = loss.dataset()
    assert ids == loss.SEQ
    assert len(rows) == len(loss.SEQ)
    assert all(len(row) == loss.VOCAB for row in rows)
    tops = []
    for row, following in zip(rows, ids[1:], strict=False):
        assert row.index(max(row)) == following
        assert row.count(max(row)) == 1
        tops.append((following == loss.PAD_ID, max(row)))
    assert min(top for is_padding, top in tops if is_padding) > max(
        top for is_padding, top in tops if not is_padding
    )


def test_the_dataset_is_the_same_twice_and_shares_nothing() -> None:
    first, second = loss.dataset(), loss.dataset()
    assert first == second
    first[0][0][0] = 99.0
    first[1].append(1)
    assert loss.dataset() == second


def test_on_the_dataset_each_mistake_flatters_or_shows() -> None:
    rows, ids = loss.dataset()
    shifted = loss.shift_pairs(rows, ids)
    assert loss.shifted_loss(rows, ids) < 0.5 * loss.unshifted_loss(rows, ids)
    assert loss.masked_cross_entropy(*shifted, loss.PAD_ID) > loss.shifted_loss(rows, ids)
    assert loss.cross_entropy(*shifted) == loss.shifted_loss(rows, ids)


@pytest.mark.parametrize("bad", [-1, 3, -100])
def test_a_target_outside_the_vocabulary_is_refused(bad: int) -> None:
    with pytest.raises(IndexError, match=rf"`target` must lie in \[0, 3\), got {bad}"):
        loss.token_loss([0.0, 0.0, 0.0], bad)


def test_one_row_for_each_target() -> None:
    with pytest.raises(ValueError, match="longer"):
        loss.cross_entropy([[0.0, 0.0]], [0, 1])
    with pytest.raises(ValueError, match="got 2 rows and 1 targets"):
        loss.masked_cross_entropy([[0.0, 0.0]] * 2, [0], 1)


def test_nothing_to_score_is_zero_by_convention() -> None:
    assert loss.cross_entropy([], []) == 0.0
    assert loss.masked_cross_entropy([], [], 0) == 0.0
    assert loss.masked_cross_entropy([[0.0, 1.0]], [0], 0) == 0.0


logits = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20)


@settings(deadline=None)
@given(xs=logits, shift=st.floats(-1e6, 1e6))
def test_log_softmax_is_a_distribution_and_ignores_a_constant(xs: list[float], shift: float) -> None:
    logprobs = loss.log_softmax(xs)
    assert all(-math.inf < logprob <= 1e-9 for logprob in logprobs)
    assert math.fsum(map(math.exp, logprobs)) == pytest.approx(1.0, abs=1e-8)
    assert loss.log_softmax([x + shift for x in xs]) == pytest.approx(logprobs, abs=1e-8)


@settings(deadline=None)
@given(xs=st.lists(st.floats(-300, 300), min_size=1, max_size=20))
def test_both_orders_agree_where_no_probability_vanishes(xs: list[float]) -> None:
    assert loss.naive_log_softmax(xs) == pytest.approx(loss.log_softmax(xs), abs=1e-9)


@settings(deadline=None)
@given(nats=st.floats(0, 100))
def test_two_to_the_bits_is_the_perplexity(nats: float) -> None:
    assert 2 ** loss.bits_per_token(nats) == pytest.approx(math.exp(nats), rel=1e-12)
    assert loss.nats_per_token(loss.bits_per_token(nats)) == pytest.approx(nats, rel=1e-14)

"""Masked accuracy against plain loops over Python floats, written from the spec alone."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from rig.core.seeding import stream
from rig.reference.mlm import mlm_eval_accuracy

Floats = npt.NDArray[np.float64]
Matrix = list[list[float]]


def matmul(a: Matrix, b: Matrix) -> Matrix:
    out = [[0.0] * len(b[0]) for _ in a]
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                out[i][j] += a[i][k] * b[k][j]
    return out


def normalise(x: Matrix) -> Matrix:
    out = []
    for row in x:
        mean = sum(row) / len(row)
        variance = sum((value - mean) ** 2 for value in row) / len(row)
        out.append([(value - mean) / math.sqrt(variance + 1e-5) for value in row])
    return out


def gelu(u: float) -> float:
    return 0.5 * u * (1 + math.tanh(math.sqrt(2 / math.pi) * (u + 0.044715 * u**3)))


def attend(q: Matrix, k: Matrix, v: Matrix, num_heads: int) -> Matrix:
    width = len(q[0]) // num_heads
    out = [[0.0] * len(q[0]) for _ in q]
    for head in range(num_heads):
        features = range(head * width, (head + 1) * width)
        for i in range(len(q)):
            scores = [sum(q[i][f] * k[j][f] for f in features) / math.sqrt(width) for j in range(len(k))]
            weights = [math.exp(score - max(scores)) for score in scores]
            for f in features:
                out[i][f] = sum(weights[j] * v[j][f] for j in range(len(v))) / sum(weights)
    return out


def added(a: Matrix, b: Matrix) -> Matrix:
    return [[x + y for x, y in zip(one, other, strict=True)] for one, other in zip(a, b, strict=True)]


def plain_accuracy(case: dict[str, Any]) -> float:
    correct = selected = 0
    w_emb, pos_embed, w_head = (case[name].tolist() for name in ("w_emb", "pos_embed", "w_head"))
    for n, ids in enumerate(case["input_ids"].astype(int).tolist()):
        x = [
            [e + p for e, p in zip(w_emb[i], row, strict=True)] for i, row in zip(ids, pos_embed, strict=True)
        ]
        for block in case["blocks_weights"].tolist():
            w_q, w_k, w_v, w_o, w_mlp1, w_mlp2 = block
            normed = normalise(x)
            q, k, v = matmul(normed, w_q), matmul(normed, w_k), matmul(normed, w_v)
            x = added(x, matmul(attend(q, k, v, case["num_heads"]), w_o))
            hidden = [[gelu(u) for u in row] for row in matmul(normalise(x), w_mlp1)]
            x = added(x, matmul(hidden, w_mlp2))
        for t, logits in enumerate(matmul(x, w_head)):
            if case["mask_indicator"][n, t] > 0.5:
                selected += 1
                correct += logits.index(max(logits)) == int(case["original_ids"][n, t])
    return correct / selected if selected else 0.0


def random_case(
    index: int, *, n: int = 3, t: int = 5, v: int = 7, d: int = 8, n_blocks: int = 2, num_heads: int = 2
) -> dict[str, Any]:
    rng = stream(index, "case")
    case: dict[str, Any] = {
        "input_ids": rng.integers(v, size=(n, t)).astype(np.float64),
        "original_ids": rng.integers(v, size=(n, t)).astype(np.float64),
        "mask_indicator": rng.random((n, t)),
        "w_emb": rng.normal(size=(v, d)),
        "pos_embed": rng.normal(size=(t, d)),
        "blocks_weights": rng.normal(size=(n_blocks, 6, d, d)),
        "w_head": rng.normal(size=(d, v)),
        "num_heads": num_heads,
    }
    # Half of the targets are what the input was, so that accuracies are not all near 1 / V.
    keep = rng.random((n, t)) < 0.5
    case["original_ids"][keep] = case["input_ids"][keep]
    return case


SHAPES = [
    {},
    {"n_blocks": 0},
    {"n_blocks": 1, "num_heads": 1},
    {"n_blocks": 3, "num_heads": 8},
    {"n": 1, "t": 1},
    {"d": 6, "num_heads": 3, "v": 2},
    {"d": 1, "num_heads": 1},
    {"v": 1},
    {"n": 6, "t": 9, "v": 3, "d": 4},
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("index", range(4))
def test_against_plain_loops(index: int, shape: dict[str, int]) -> None:
    case = random_case(index, **shape)
    accuracy = mlm_eval_accuracy(**case)
    assert type(accuracy) is float
    assert accuracy == plain_accuracy(case)


@pytest.mark.parametrize("index", range(6))
def test_states_near_the_variance_floor(index: int) -> None:
    # Variances near 1e-5: a floor of another size would scale the normalised states.
    case = random_case(index, n=4, t=8)
    case["w_emb"], case["pos_embed"] = 3e-3 * case["w_emb"], 3e-3 * case["pos_embed"]
    assert mlm_eval_accuracy(**case) == plain_accuracy(case)


def with_each_target_predicted(case: dict[str, Any]) -> dict[str, Any]:
    """The case with targets that plain loops predict, found by trying every vocabulary item."""
    n, t = case["input_ids"].shape
    original = np.zeros((n, t))
    for i in range(n):
        for j in range(t):
            one = np.zeros((n, t))
            one[i, j] = 1.0
            for token in range(len(case["w_emb"])):
                original[i, j] = token
                if plain_accuracy(case | {"mask_indicator": one, "original_ids": original}) == 1.0:
                    break
    return case | {"original_ids": original, "mask_indicator": np.ones((n, t))}


def test_every_position_agrees_with_plain_loops() -> None:
    case = with_each_target_predicted(random_case(11, n=2, t=4, v=5, d=4))
    assert mlm_eval_accuracy(**case) == 1.0
    case["original_ids"] = (case["original_ids"] + 1) % 5
    assert mlm_eval_accuracy(**case) == 0.0


def lookup_case(predictions: list[list[int]], targets: list[list[int]]) -> dict[str, Any]:
    """No blocks, and identity weights: each position predicts its input."""
    v = 4
    inputs = np.array(predictions, dtype=np.float64)
    return {
        "input_ids": inputs,
        "original_ids": np.array(targets, dtype=np.float64),
        "mask_indicator": np.ones(inputs.shape),
        "w_emb": np.eye(v),
        "pos_embed": np.zeros((inputs.shape[1], v)),
        "blocks_weights": np.zeros((0, 6, v, v)),
        "w_head": np.eye(v),
        "num_heads": 1,
    }


def test_the_specs_example() -> None:
    assert mlm_eval_accuracy(**lookup_case([[2, 0, 1, 3]], [[2, 1, 1, 0]])) == 0.5


def test_the_batch_is_pooled_and_examples_are_not_averaged() -> None:
    case = lookup_case([[0, 1, 2, 3], [0, 1, 2, 3]], [[0, 1, 2, 3], [1, 1, 1, 1]])
    case["mask_indicator"] = np.array([[1, 0, 0, 0], [1, 0, 1, 1]], dtype=np.float64)
    assert mlm_eval_accuracy(**case) == 0.25  # the mean of the examples' accuracies would be 0.5


def test_a_position_counts_strictly_above_one_half() -> None:
    case = lookup_case([[0, 1, 2]], [[0, 0, 0]])
    case["mask_indicator"] = np.array([[0.5000001, 0.5, 0.4999]])
    assert mlm_eval_accuracy(**case) == 1.0


def test_nothing_selected_is_zero_by_convention() -> None:
    case = lookup_case([[0, 1]], [[0, 1]])
    case["mask_indicator"] = np.zeros((1, 2))
    accuracy = mlm_eval_accuracy(**case)
    assert accuracy == 0.0
    assert type(accuracy) is float


def test_ties_go_to_the_lowest_index() -> None:
    case = lookup_case([[0, 1, 2, 3]], [[0, 0, 0, 0]])
    case["w_head"] = np.ones((4, 4))
    assert mlm_eval_accuracy(**case) == 1.0
    case["original_ids"] = np.full((1, 4), 3.0)
    assert mlm_eval_accuracy(**case) == 0.0


@pytest.mark.parametrize("index", range(5))
def test_equal_columns_of_the_head_tie_whatever_the_sizes(index: int) -> None:
    # A BLAS product may add the last columns of a matrix in another order than the first.
    v, d = 37, 24
    case = random_case(index, v=v, d=d, t=7, num_heads=4)
    case["w_head"] = np.repeat(case["w_head"][:, :1], v, axis=1)
    case["mask_indicator"] = np.ones((3, 7))
    case["original_ids"] = np.zeros((3, 7))
    assert mlm_eval_accuracy(**case) == 1.0


@pytest.mark.parametrize("right", [0, 1, 3])
def test_attention_looks_to_the_right_and_at_selected_positions(right: int) -> None:
    # Equal attention to three positions, added 100-fold: position 0 sees token 2 once and `right` twice.
    case = lookup_case([[2, right, right]], [[right, right, right]])
    zero, one = np.zeros((4, 4)), np.eye(4)
    case["blocks_weights"] = np.array([[zero, zero, one, 100 * one, zero, zero]])
    assert mlm_eval_accuracy(**case) == 1.0
    case["mask_indicator"] = np.array([[1.0, 0.0, 0.0]])
    assert mlm_eval_accuracy(**case) == 1.0


def test_large_scores_do_not_overflow() -> None:
    case = random_case(5)
    case["blocks_weights"] = case["blocks_weights"] * 1e3
    assert mlm_eval_accuracy(**case) == plain_accuracy(case)


def test_the_inputs_are_left_unchanged() -> None:
    case = random_case(2)
    before = {name: np.copy(value) for name, value in case.items()}
    mlm_eval_accuracy(**case)
    for name, value in case.items():
        assert np.array_equal(value, before[name]), name
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    mlm_eval_accuracy(**case)


def test_integers_lists_and_single_precision_are_taken() -> None:
    case = lookup_case([[2, 0, 1, 3]], [[2, 1, 1, 0]])
    lists = {name: value.tolist() for name, value in case.items() if isinstance(value, np.ndarray)}
    assert mlm_eval_accuracy(**lists, num_heads=2) == 0.5
    single = {name: np.float32(value) for name, value in case.items() if isinstance(value, np.ndarray)}
    assert mlm_eval_accuracy(**single, num_heads=1) == 0.5


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("input_ids", np.array([[0.0, 4.0]]), r"`input_ids` must hold integers in \[0, 4\), got 4.0"),
        ("input_ids", np.array([[0.0, -1.0]]), r"`input_ids` must hold integers in \[0, 4\), got -1.0"),
        ("input_ids", np.array([[0.5, 1.0]]), "`input_ids` must hold integers.*got 0.5"),
        ("original_ids", np.array([[0.0, 9.0]]), r"`original_ids` must hold integers in \[0, 4\), got 9.0"),
        ("input_ids", np.array([[0.0]]), r"`input_ids` must have shape \(1, 2\), got \(1, 1\)"),
        ("mask_indicator", np.array([[np.nan, 1.0]]), "`mask_indicator` must be finite"),
        (
            "mask_indicator",
            np.array([1.0, 1.0]),
            r"`mask_indicator` must have two dimensions, got shape \(2,\)",
        ),
        ("pos_embed", np.zeros((3, 4)), r"`pos_embed` must have shape \(2, 4\), got \(3, 4\)"),
        ("w_head", np.zeros((4, 5)), r"`w_head` must have shape \(4, 4\), got \(4, 5\)"),
        ("w_emb", np.full((4, 4), np.inf), "`w_emb` must be finite"),
        ("blocks_weights", np.zeros((1, 5, 4, 4)), r"`blocks_weights\[0\]` must have shape \(6, 4, 4\)"),
        ("num_heads", 3, "`num_heads` must divide D = 4, got 3"),
        ("num_heads", 0, "`num_heads` must divide D = 4, got 0"),
    ],
)
def test_wrong_input_is_refused(name: str, value: object, message: str) -> None:
    case = lookup_case([[0, 1]], [[0, 1]]) | {name: value}
    with pytest.raises(ValueError, match=message):
        mlm_eval_accuracy(**case)


def test_targets_that_are_not_selected_may_be_anything() -> None:
    case = lookup_case([[0, 1]], [[0, -100]])
    case["mask_indicator"] = np.array([[1.0, 0.0]])
    assert mlm_eval_accuracy(**case) == 1.0

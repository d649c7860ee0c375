"""What is predicted from a row: the next token, or the originals of some positions."""

import numpy as np
import pytest

from rig.models.training_batch import MaskedBatches, causal_batch

BOS, MASK = 0, 50


def masked(seed: int = 0) -> MaskedBatches:
    return MaskedBatches(bos_id=BOS, mask_id=MASK, rng=np.random.default_rng(seed))


def rows(n: int = 400, length: int = 65) -> np.ndarray:
    drawn = np.random.default_rng(7).integers(1, MASK, size=(n, length))
    drawn[:, ::13] = BOS
    return drawn


def test_a_causal_row_predicts_its_next_token_and_all_positions_count_alike() -> None:
    batch = causal_batch(np.array([[0, 4, 5, 6]]))
    assert batch.inputs.tolist() == [[0, 4, 5]]
    assert batch.targets.tolist() == [[4, 5, 6]]
    assert batch.weights is None


def test_masked_targets_are_the_originals_and_the_weights_are_one_over_the_chosen() -> None:
    given = rows()
    batch = masked()(given)
    chosen = batch.weights > 0
    np.testing.assert_array_equal(batch.targets.reshape(given[:, :-1].shape), given[:, :-1])
    assert len(np.unique(batch.weights[chosen])) == 1
    assert batch.weights.sum(dtype=np.float64) == pytest.approx(1.0, rel=1e-6)
    np.testing.assert_array_equal(batch.inputs[~chosen], batch.targets[~chosen])


def test_the_shares_are_15_and_80_10_10_percent() -> None:
    batch = masked()(rows())
    chosen, originals = batch.weights > 0, batch.targets
    n_candidates, n_chosen = (originals != BOS).sum(), chosen.sum()
    assert n_chosen / n_candidates == pytest.approx(0.15, abs=0.01)  # 3 standard errors are .007
    is_mask = batch.inputs[chosen] == MASK
    is_kept = batch.inputs[chosen] == originals[chosen]
    assert is_mask.mean() == pytest.approx(0.80, abs=0.025)
    assert is_kept.mean() == pytest.approx(0.10 + 0.10 / 49, abs=0.02)  # a drawn token may be the original
    assert (~is_mask & ~is_kept).mean() == pytest.approx(0.10 * 48 / 49, abs=0.02)


def test_bos_is_never_chosen_and_neither_bos_nor_mask_is_drawn() -> None:
    batch = masked()(rows(2000))
    chosen, originals = batch.weights > 0, batch.targets
    assert not chosen[originals == BOS].any()
    drawn = batch.inputs[chosen & (batch.inputs != MASK) & (batch.inputs != originals)]
    assert set(drawn.tolist()) == set(range(1, MASK))


def test_a_step_never_goes_without_a_chosen_position() -> None:
    batches = masked()
    for _ in range(50):
        batch = batches(np.array([[BOS, 3, 4]]))
        assert batch.weights.sum() == 1.0
        assert batch.weights[0, 0] == 0.0


def test_documents_without_text_give_no_loss_and_no_error() -> None:
    batch = masked()(np.array([[BOS, BOS, BOS]]))
    assert batch.weights.tolist() == [[0.0, 0.0]]
    assert batch.inputs.tolist() == [[BOS, BOS]]


def test_equal_generators_give_equal_gaps_whatever_the_tokens_are() -> None:
    a, b = masked(3)(rows()), masked(3)(np.where(rows() == BOS, BOS, 1))
    np.testing.assert_array_equal(a.weights, b.weights)
    np.testing.assert_array_equal(a.inputs == MASK, b.inputs == MASK)


@pytest.mark.parametrize(
    ("n_inputs", "lengths"), [(64, {8, 16, 32, 64}), (20, {10, 20}), (24, {12, 24}), (9, {9}), (5, {5})]
)
def test_a_steps_rows_are_cut_into_equal_parts(n_inputs: int, lengths: set[int]) -> None:
    batches, found = masked(), set()
    for _ in range(60):
        given = rows(6, n_inputs + 1)
        batch = batches(given)
        found.add(batch.inputs.shape[1])
        assert batch.inputs.size == given[:, :-1].size
        np.testing.assert_array_equal(batch.targets.ravel(), given[:, :-1].ravel())  # in their order
    assert found == lengths

"""Gradients against central differences; initial weights; what the morphemic switches do."""

import numpy as np
import pytest

from rig.models.masha import MorphemicPrior, Switches
from rig.models.morphemes import MorphemeTable
from rig.models.network import Architecture, Network
from rig.models.training_batch import MaskedBatches

SMALL = Architecture(vocab_size=11, d_model=8, n_layers=2, n_heads=2, context=6)
TABLE = MorphemeTable(
    morphemes=("-s", "cas", "re-"),
    morpheme_id=np.array(
        [[-1, -1], [0, 1], [1, -1], [0, 2], [2, -1], [-1, -1], [0, -1], [1, 2], [-1, -1], [-1, -1], [0, 1]],
        np.int32,
    ),
)
ABC = Switches(embedding=True, attention_bias=True, output_logits=True, bias_strength=-1.3)
SWITCHES = {
    "baseline": None,
    "A": Switches(embedding=True),
    "B": Switches(attention_bias=True, bias_strength=0.7),
    "C": Switches(output_logits=True),
    "ABC": ABC,
}


def network(switches: Switches | None = None, *, causal: bool = True, dtype: type = np.float64) -> Network:
    """A small network whose weights are all far from zero."""
    prior = None if switches is None else MorphemicPrior(TABLE, switches, dtype)
    net = Network(SMALL, prior=prior, causal=causal, dtype=dtype)
    for name, tensor in net.parameters.tensors.items():
        tensor[...] = np.random.default_rng(len(name)).normal(0.0, 0.5, tensor.shape)
    return net


def batch(seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, SMALL.vocab_size, size=(3, 6))
    return rows[:, :-1], rows[:, 1:]


def logits(net: Network, ids: np.ndarray) -> np.ndarray:
    tensors = net.tensors()
    return net.last_states(ids, tensors) @ tensors.head


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("kind", SWITCHES)
def test_the_gradient_is_that_of_central_differences_in_every_tensor(kind: str, causal: bool) -> None:
    net = network(SWITCHES[kind], causal=causal)
    ids, targets = batch()
    weights = np.random.default_rng(1).uniform(0.0, 1.0, ids.shape)
    weights[0, :2] = 0.0

    net.loss_and_gradient(ids, targets, weights=weights)
    gradient = {name: tensor.copy() for name, tensor in net.gradients.tensors.items()}

    rng, h = np.random.default_rng(2), 1e-6
    for name, tensor in net.parameters.tensors.items():
        largest = np.abs(gradient[name]).max()
        assert largest > 1e-4, name
        for flat_index in rng.choice(tensor.size, size=min(40, tensor.size), replace=False):
            index = np.unravel_index(flat_index, tensor.shape)
            kept = tensor[index]
            tensor[index] = kept + h
            above = net.loss_and_gradient(ids, targets, weights=weights)
            tensor[index] = kept - h
            below = net.loss_and_gradient(ids, targets, weights=weights)
            tensor[index] = kept
            assert gradient[name][index] == pytest.approx(
                (above - below) / (2 * h), abs=2e-8 * max(1, largest)
            )


def test_no_weights_means_the_mean_of_all_positions() -> None:
    net = network()
    ids, targets = batch()
    uniform = np.full(ids.shape, 1.0 / ids.size)
    assert net.loss_and_gradient(ids, targets) == net.loss_and_gradient(ids, targets, weights=uniform)


def test_zero_output_gives_the_loss_of_a_uniform_guess() -> None:
    net = network()
    net.parameters["head"][...] = 0.0
    assert net.loss_and_gradient(*batch()) == pytest.approx(np.log(SMALL.vocab_size), rel=1e-15)


def test_the_loss_is_the_same_from_more_rows_than_are_computed_at_once() -> None:
    net = network()
    rng = np.random.default_rng(0)
    ids, targets = rng.integers(0, 11, size=(60, 5)), rng.integers(0, 11, size=(60, 5))
    z = logits(net, ids)
    z -= z.max(axis=-1, keepdims=True)
    nll = np.log(np.exp(z).sum(axis=-1)) - np.take_along_axis(z, targets[..., None], axis=-1)[..., 0]
    assert net.loss_and_gradient(ids, targets) == pytest.approx(nll.mean(), rel=1e-13)
    head = net.gradients["head"].copy()
    parts = np.zeros_like(head)
    for row in range(60):
        net.loss_and_gradient(ids[row : row + 1], targets[row : row + 1])
        parts += net.gradients["head"] / 60
    np.testing.assert_allclose(head, parts, atol=1e-14)


@pytest.mark.parametrize("kind", ["A", "B", "C"])
def test_each_switch_changes_the_function(kind: str) -> None:
    ids, _ = batch()
    difference = np.abs(logits(network(SWITCHES[kind]), ids) - logits(network(), ids))
    assert difference.max() > 1e-3


def test_with_all_switches_off_the_function_is_the_baselines_bit_for_bit() -> None:
    ids, targets = batch()
    off, baseline = network(Switches(bias_strength=2.0)), network()
    assert off.parameters.tensors.keys() == baseline.parameters.tensors.keys()
    np.testing.assert_array_equal(logits(off, ids), logits(baseline, ids))
    assert off.loss_and_gradient(ids, targets) == baseline.loss_and_gradient(ids, targets)
    np.testing.assert_array_equal(off.gradients.flat, baseline.gradients.flat)


def test_a_bias_of_strength_zero_is_no_bias_bit_for_bit() -> None:
    ids, targets = batch()
    without = network(Switches(embedding=True))
    zero = network(Switches(embedding=True, attention_bias=True, bias_strength=0.0))
    assert zero.loss_and_gradient(ids, targets) == without.loss_and_gradient(ids, targets)
    np.testing.assert_array_equal(zero.gradients.flat, without.gradients.flat)


def test_switch_a_adds_morpheme_embeddings_and_c_adds_morpheme_logits() -> None:
    """By hand: token 1 has morphemes 0 and 1, token 5 none."""
    net = network(SWITCHES["ABC"])
    p, tensors = net.parameters, net.tensors()
    np.testing.assert_allclose(
        tensors.emb[1], p["emb"][1] + p["morpheme_embedding"][0] + p["morpheme_embedding"][1], rtol=1e-14
    )
    np.testing.assert_array_equal(tensors.emb[5], p["emb"][5])
    np.testing.assert_allclose(tensors.head[:, 4], p["head"][:, 4] + p["morpheme_output"][2], rtol=1e-14)
    np.testing.assert_array_equal(tensors.head[:, 9], p["head"][:, 9])


@pytest.mark.parametrize("kind", SWITCHES)
def test_later_tokens_never_change_earlier_states(kind: str) -> None:
    net = network(SWITCHES[kind], dtype=np.float32)
    rng = np.random.default_rng(5)
    ids = rng.integers(0, 11, size=(1, 6))
    before = logits(net, ids)
    for position in range(1, 6):
        changed = ids.copy()
        changed[0, position:] = (changed[0, position:] + rng.integers(1, 11)) % 11
        np.testing.assert_array_equal(logits(net, changed)[0, :position], before[0, :position])


def test_without_the_causal_mask_later_tokens_do_change_earlier_states() -> None:
    net = network(causal=False)
    ids = np.array([[1, 2, 3, 4]])
    changed = np.array([[1, 2, 3, 5]])
    assert np.abs(logits(net, changed)[0, 0] - logits(net, ids)[0, 0]).max() > 1e-3


def test_padding_on_the_right_and_the_batch_change_no_bit() -> None:
    net = network(SWITCHES["ABC"], dtype=np.float32)
    rng = np.random.default_rng(5)
    ids = rng.integers(0, 11, size=(7, 6))
    together = logits(net, ids)
    for row in range(7):
        np.testing.assert_array_equal(logits(net, ids[row : row + 1])[0], together[row])
    padded = ids.copy()
    padded[:, 4:] = 0
    np.testing.assert_array_equal(logits(net, padded)[:, :4], together[:, :4])


def test_equal_seeds_draw_equal_weights_and_other_seeds_others() -> None:
    hashes = []
    for seed in (0, 0, 1):
        net = Network(SMALL)
        net.initialise(seed)
        hashes.append(net.parameters.sha256())
    assert hashes[0] == hashes[1] != hashes[2]


def test_kinds_share_the_initial_weights_that_they_have_in_common() -> None:
    baseline, masha = Network(SMALL), Network(SMALL, prior=MorphemicPrior(TABLE, ABC))
    baseline.initialise(4)
    masha.initialise(4)
    for name in ("emb", "pos", "blocks", "head"):
        np.testing.assert_array_equal(baseline.parameters[name], masha.parameters[name])
    assert not masha.parameters["morpheme_embedding"].any()


def test_initial_deviations_are_as_documented() -> None:
    big = Network(Architecture(vocab_size=400, d_model=64, n_layers=2, n_heads=4, context=64))
    big.initialise(0)
    p = big.parameters
    assert p["emb"].std() == pytest.approx(0.02, rel=0.02)
    assert p["head"].std() == pytest.approx(0.02, rel=0.02)
    assert p["blocks"][:, :3].std() == pytest.approx(1 / 8, rel=0.02)
    assert p["blocks"][:, [3, 5]].std() == pytest.approx(1 / 16, rel=0.02)


def test_the_masked_objectives_gradient_is_that_of_central_differences() -> None:
    """With MASK as the last id, and the weights of `MaskedBatches`."""
    net = network(ABC, causal=False)
    mask_id = SMALL.vocab_size - 1
    rows = np.random.default_rng(5).integers(1, mask_id, size=(4, 7))
    made = MaskedBatches(bos_id=0, mask_id=mask_id, rng=np.random.default_rng(1))(rows)
    assert (made.inputs == mask_id).any()
    net.loss_and_gradient(made.inputs, made.targets, weights=made.weights)
    gradient = {name: tensor.copy() for name, tensor in net.gradients.tensors.items()}
    rng, h = np.random.default_rng(2), 1e-6
    for name, tensor in net.parameters.tensors.items():
        for flat_index in rng.choice(tensor.size, size=min(20, tensor.size), replace=False):
            index = np.unravel_index(flat_index, tensor.shape)
            kept = tensor[index]
            losses = []
            for value in (kept + h, kept - h):
                tensor[index] = value
                losses.append(net.loss_and_gradient(made.inputs, made.targets, weights=made.weights))
            tensor[index] = kept
            numeric = (losses[0] - losses[1]) / (2 * h)
            assert gradient[name][index] == pytest.approx(
                numeric, abs=2e-8 * max(1, np.abs(gradient[name]).max())
            )


def test_attention_without_causal_mask_begins_local() -> None:
    """Before any training a position attends more to its neighbours than to a far one, on average."""
    architecture = Architecture(vocab_size=200, d_model=64, n_layers=1, n_heads=4, context=64)
    net = Network(architecture, causal=False)
    net.initialise(3)
    pos, blocks = net.parameters["pos"], net.parameters["blocks"]
    assert pos.std() == pytest.approx(0.1, rel=0.1)
    np.testing.assert_array_equal(blocks[:, 0], blocks[:, 1])
    normed = pos - pos.mean(axis=1, keepdims=True)
    normed /= normed.std(axis=1, keepdims=True)
    scores = (normed @ blocks[0, 0]) @ (normed @ blocks[0, 1]).T
    by_distance = [np.diagonal(scores, distance).mean() for distance in (0, 1, 2, 8, 32)]
    assert by_distance[:4] == sorted(by_distance[:4], reverse=True)
    assert by_distance[1] > 2 * max(by_distance[4], by_distance[3])


def test_what_a_causal_network_begins_with_is_drawn_alone() -> None:
    causal, masked = (Network(SMALL, causal=causal) for causal in (True, False))
    for net in (causal, masked):
        net.initialise(3)
    for name in ("emb", "head"):
        np.testing.assert_array_equal(causal.parameters[name], masked.parameters[name])
    assert (causal.parameters["blocks"][:, 0] != causal.parameters["blocks"][:, 1]).any()
    assert causal.parameters["pos"].std() == pytest.approx(0.02, rel=0.3)


@pytest.mark.parametrize(("d_model", "n_heads", "context"), [(7, 1, 3), (2, 1, 2), (1, 1, 5)])
def test_any_size_begins_local(d_model: int, n_heads: int, context: int) -> None:
    net = Network(
        Architecture(vocab_size=5, d_model=d_model, n_layers=0, n_heads=n_heads, context=context),
        causal=False,
    )
    net.initialise(0)
    assert np.isfinite(net.parameters.flat).all()
    assert np.abs(net.parameters["pos"]).max() <= 0.1 * 2**0.5 + 1e-6

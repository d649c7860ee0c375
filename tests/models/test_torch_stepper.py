"""The torch backend against the numpy one: same weights, batches and schedule, so the same training."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch", reason="the torch backend needs torch: pip install 'rig[torch]'")

from rig.core.seeding import stream  # noqa: E402
from rig.models.adamw import AdamWSettings  # noqa: E402
from rig.models.backend import build_stepper  # noqa: E402
from rig.models.masha import MorphemicPrior, Switches  # noqa: E402
from rig.models.morphemes import MorphemeTable  # noqa: E402
from rig.models.network import Architecture, Network  # noqa: E402
from rig.models.torch_stepper import TorchStepper  # noqa: E402
from rig.models.training import Stepper, StepResult, TrainingSettings, train  # noqa: E402
from rig.models.training_batch import Batch, MaskedBatches, causal_batch  # noqa: E402

VOCAB, N_MORPHEMES, CONTEXT = 120, 30, 16
BOS, MASK = 0, VOCAB - 1
ARCHITECTURE = Architecture(vocab_size=VOCAB, d_model=32, n_layers=2, n_heads=4, context=CONTEXT)
OPTIMISER = AdamWSettings(weight_decay=0.1, beta1=0.9, beta2=0.95, eps=1e-8, clip_norm=1.0)
SETTINGS = TrainingSettings(
    steps=50, batch_size=8, lr=5e-3, warmup_steps=10, min_lr_ratio=0.1, optimiser=OPTIMISER
)
AB = Switches(embedding=True, attention_bias=True, bias_strength=1.0)
ABC = Switches(embedding=True, attention_bias=True, output_logits=True, bias_strength=1.0)


@dataclass(frozen=True)
class Case:
    """A kind of network and what it is asked."""

    switches: Switches | None
    is_masked: bool


CASES = {
    "baseline": Case(None, False),
    "masha_abc": Case(ABC, False),
    "mlm_baseline": Case(None, True),
    "mlm_masha_ab": Case(AB, True),
}


def morphemes() -> MorphemeTable:
    """None to three morphemes a token; BOS and MASK have none."""
    rng = np.random.default_rng(0)
    ids = np.full((VOCAB, 3), -1, np.int32)
    for row in ids[1:-1]:
        n = rng.integers(0, 4)
        row[:n] = np.sort(rng.choice(N_MORPHEMES, n, replace=False))
    return MorphemeTable(morphemes=tuple(f"m{i:02}" for i in range(N_MORPHEMES)), morpheme_id=ids)


def network(case: Case, dtype: npt.DTypeLike) -> Network:
    prior = None if case.switches is None else MorphemicPrior(morphemes(), case.switches, dtype)
    net = Network(ARCHITECTURE, prior=prior, causal=not case.is_masked, dtype=dtype)
    net.initialise(1)
    return net


def text() -> npt.NDArray[np.int64]:
    """A walk through the vocabulary with four step lengths: there is something to learn."""
    steps = np.random.default_rng(2).choice([1, 2, 5, 11], size=3_000, p=[0.6, 0.2, 0.1, 0.1])
    return np.cumsum(steps) % (VOCAB - 2) + 1


class Recorded:
    """A stepper that remembers what it measured."""

    def __init__(self, stepper: Stepper) -> None:
        self._stepper = stepper
        self.results: list[StepResult] = []
        self.weights = stepper.weights
        self.facts = stepper.facts

    def step(self, batch: Batch, *, lr: float) -> StepResult:
        self.results.append(self._stepper.step(batch, lr=lr))
        return self.results[-1]


def silent(*, step: int, n_steps: int, loss: float) -> None:
    """No progress shown."""


@dataclass(frozen=True)
class Trained:
    """What 50 steps left."""

    losses: npt.NDArray[np.float64]
    norms: npt.NDArray[np.float64]
    weights: npt.NDArray[np.floating]


def trained(case: Case, backend: str, dtype: npt.DTypeLike) -> Trained:
    net = network(case, dtype)
    recorded = Recorded(build_stepper(backend, net, OPTIMISER))
    objective = causal_batch
    if case.is_masked:
        objective = MaskedBatches(bos_id=BOS, mask_id=MASK, rng=stream(1, "masked positions"))
    train(
        recorded,
        text(),
        SETTINGS,
        context=CONTEXT,
        seed=1,
        objective=objective,
        curve=[],
        progress=silent,
    )
    return Trained(
        losses=np.array([result.loss for result in recorded.results]),
        norms=np.array([result.gradient_norm for result in recorded.results]),
        weights=net.parameters.flat.copy(),
    )


@pytest.mark.parametrize("name", CASES)
def test_in_float64_fifty_steps_are_the_same_to_1e_10(name: str) -> None:
    """The two backends compute one function: what is left is float64's rounding."""
    ours, theirs = trained(CASES[name], "numpy", np.float64), trained(CASES[name], "torch", np.float64)
    np.testing.assert_allclose(theirs.losses, ours.losses, rtol=0, atol=1e-10)
    np.testing.assert_allclose(theirs.norms, ours.norms, rtol=1e-10)
    np.testing.assert_allclose(theirs.weights, ours.weights, rtol=0, atol=1e-10)
    moved = np.abs(ours.weights - network(CASES[name], np.float64).parameters.flat)
    assert moved.mean() > 1e-3  # it was a training, and not 50 steps of nothing


@pytest.mark.parametrize("name", CASES)
def test_in_float32_fifty_steps_agree_to_rounding(name: str) -> None:
    """Float32 rounds at 6e-8 of a number's size, and a loss is a sum of hundreds of such products.

    The first loss is before any update. Later the difference grows with the weights': AdamW divides by the
    root of the squared gradients, so where a gradient is itself rounding noise, a step of the size of the
    learning rate (5e-3) can go either way. That moves single weights, hardly their root mean square, and the
    loss less.
    """
    ours, theirs = trained(CASES[name], "numpy", np.float32), trained(CASES[name], "torch", np.float32)
    assert theirs.losses[0] == pytest.approx(ours.losses[0], abs=1e-6)
    np.testing.assert_allclose(theirs.losses, ours.losses, rtol=0, atol=1e-4)
    rms = np.sqrt(np.mean((theirs.weights - ours.weights) ** 2, dtype=np.float64))
    assert rms < 1e-4 * ours.weights.std()


@pytest.mark.parametrize("name", ["masha_abc", "mlm_baseline"])
def test_two_trainings_give_the_same_bits(name: str) -> None:
    one, two = trained(CASES[name], "torch", np.float32), trained(CASES[name], "torch", np.float32)
    np.testing.assert_array_equal(one.losses, two.losses)
    np.testing.assert_array_equal(one.weights, two.weights)


def batch() -> Batch:
    return causal_batch(text()[: 4 * (CONTEXT + 1)].reshape(4, -1))


def test_without_blocks_it_is_embeddings_and_a_head() -> None:
    flat = Architecture(vocab_size=VOCAB, d_model=8, n_layers=0, n_heads=2, context=CONTEXT)
    results = []
    for backend in ("numpy", "torch"):
        net = Network(flat, dtype=np.float64)
        net.initialise(1)
        stepper = build_stepper(backend, net, OPTIMISER)
        results.append([stepper.step(batch(), lr=0.01).loss for _ in range(3)])
    np.testing.assert_allclose(results[0], results[1], rtol=1e-14)


def test_a_gradient_that_is_not_finite_changes_nothing_and_is_told() -> None:
    net = network(CASES["baseline"], np.float32)
    net.parameters["head"][0, 0] = np.nan
    before = net.parameters.flat.copy()
    stepper = TorchStepper(net, OPTIMISER)
    assert not np.isfinite(stepper.step(batch(), lr=0.01).gradient_norm)
    np.testing.assert_array_equal(stepper.weights(), before)


def test_the_network_keeps_its_weights_until_they_are_asked_for() -> None:
    net = network(CASES["baseline"], np.float32)
    before = net.parameters.flat.copy()
    stepper = TorchStepper(net, OPTIMISER)
    stepper.step(batch(), lr=0.01)
    np.testing.assert_array_equal(net.parameters.flat, before)
    assert stepper.weights() is net.parameters.flat
    assert (net.parameters.flat != before).any()


def test_the_facts_name_torch_and_the_device() -> None:
    facts = TorchStepper(network(CASES["baseline"], np.float32), OPTIMISER).facts()
    assert facts["torch"] == torch.__version__
    assert (facts["device"] == "cpu") == (not torch.cuda.is_available())


def test_the_settings_of_the_process_are_what_they_were() -> None:
    stepper = TorchStepper(network(CASES["baseline"], np.float32), OPTIMISER)
    torch.set_float32_matmul_precision("high")
    try:
        stepper.step(batch(), lr=0.01)
        assert torch.get_float32_matmul_precision() == "high"
        assert not torch.are_deterministic_algorithms_enabled()
    finally:
        torch.set_float32_matmul_precision("highest")

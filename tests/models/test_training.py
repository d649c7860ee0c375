"""The schedule by hand, the data order, learning something, and divergence."""

import json
import math
import subprocess
import sys

import numpy as np
import pytest

from rig.core.errors import DataError
from rig.models.adamw import AdamWSettings
from rig.models.base import DivergedError
from rig.models.network import Architecture, Network
from rig.models.numpy_stepper import NumpyStepper
from rig.models.training import CurvePoint, TrainingSettings, batches, token_stream, train

OPTIMISER = AdamWSettings(weight_decay=0.1, beta1=0.9, beta2=0.95, eps=1e-8, clip_norm=1.0)
ARCHITECTURE = Architecture(vocab_size=6, d_model=16, n_layers=1, n_heads=2, context=8)


def settings(**changes: float) -> TrainingSettings:
    values = {"steps": 45, "batch_size": 4, "lr": 0.01, "warmup_steps": 5, "min_lr_ratio": 0.1, **changes}
    return TrainingSettings(optimiser=OPTIMISER, **values)  # type: ignore[arg-type]


def stepper(network: Network) -> NumpyStepper:
    return NumpyStepper(network, OPTIMISER)


def silent(*, step: int, n_steps: int, loss: float) -> None:
    """No progress shown."""


def test_the_rate_rises_linearly_then_falls_along_a_cosine() -> None:
    schedule = settings(steps=14, warmup_steps=3, lr=1.0, min_lr_ratio=0.2)
    rates = [schedule.lr_at(step) for step in range(14)]
    assert rates[:4] == pytest.approx([1 / 3, 2 / 3, 1.0, 1.0])
    assert rates[8] == pytest.approx(0.6)  # halfway down: (1 + 0.2) / 2
    assert rates[13] == pytest.approx(0.2)
    assert rates[3:] == sorted(rates[3:], reverse=True)


@pytest.mark.parametrize(
    ("steps", "warmup", "expected"), [(1, 0, [0.1]), (2, 2, [0.5, 1.0]), (2, 1, [1.0, 0.1])]
)
def test_the_shortest_schedules(steps: int, warmup: int, expected: list[float]) -> None:
    schedule = settings(steps=steps, warmup_steps=warmup, lr=1.0)
    assert [schedule.lr_at(step) for step in range(steps)] == pytest.approx(expected)


def test_the_stream_puts_bos_before_each_document() -> None:
    tokens = token_stream([np.array([5, 6]), np.zeros(0, np.int64), np.array([7])], bos_id=0)
    assert tokens.tolist() == [0, 5, 6, 0, 0, 7]
    assert token_stream([], bos_id=0).tolist() == []


def test_rows_are_slices_of_the_stream_from_its_first_to_its_last_token() -> None:
    tokens = np.arange(100, 112)
    rows = np.concatenate(
        list(batches(tokens, n_steps=50, batch_size=4, context=8, rng=np.random.default_rng(0)))
    )
    assert rows.shape == (200, 9)
    assert (np.diff(rows, axis=1) == 1).all()
    assert sorted(set(rows[:, 0].tolist())) == [100, 101, 102, 103]


def test_a_stream_of_one_row_is_enough_and_one_token_less_is_refused() -> None:
    assert next(
        batches(np.arange(9), n_steps=1, batch_size=1, context=8, rng=np.random.default_rng(0))
    ).shape == (1, 9)
    with pytest.raises(
        DataError, match=r"have 8 tokens .* needs 9; give more text or lower `model\.context`"
    ):
        batches(np.arange(8), n_steps=1, batch_size=1, context=8, rng=np.random.default_rng(0))


def test_a_cycle_of_tokens_is_learned_to_near_certainty() -> None:
    network = Network(ARCHITECTURE)
    network.initialise(0)
    curve: list[CurvePoint] = []
    calls: list[int] = []

    def progress(*, step: int, n_steps: int, loss: float) -> None:
        assert n_steps == 200
        assert math.isfinite(loss)
        calls.append(step)

    tokens = np.tile(np.arange(6), 30)
    train(stepper(network), tokens, settings(steps=200), context=8, seed=0, curve=curve, progress=progress)
    assert curve[0].loss == pytest.approx(math.log(6), abs=0.2)
    assert curve[-1].loss < 0.02
    assert calls == [point.step for point in curve] == [1, *range(20, 201, 20)]
    assert json.loads(curve[-1].as_json()) == {"step": 200, "loss": curve[-1].loss, "lr": curve[-1].lr}


def test_the_last_step_is_always_in_the_curve() -> None:
    network = Network(ARCHITECTURE)
    network.initialise(0)
    curve: list[CurvePoint] = []
    train(
        stepper(network),
        np.tile(np.arange(6), 9),
        settings(),
        context=8,
        seed=0,
        curve=curve,
        progress=silent,
    )
    assert [point.step for point in curve] == [1, 20, 40, 45]


@pytest.mark.parametrize("changes", [{"lr": 1e30, "warmup_steps": 0}])
def test_training_that_leaves_the_finite_numbers_says_at_which_step_and_rate(
    changes: dict[str, float],
) -> None:
    network = Network(ARCHITECTURE)
    network.initialise(0)
    with pytest.raises(DivergedError, match=r"diverged at step \d+ of 45 .*peak 1e\+30\); lower `train\.lr`"):
        train(
            stepper(network),
            np.tile(np.arange(6), 9),
            settings(**changes),
            context=8,
            seed=0,
            curve=[],
            progress=silent,
        )


def test_weights_that_only_the_last_step_made_infinite_are_seen() -> None:
    network = Network(ARCHITECTURE)
    network.initialise(0)
    only = settings(steps=1, warmup_steps=0, lr=3e38, min_lr_ratio=1.0)
    network.parameters["head"][...] = 3e38  # decay pushes it over the largest float32
    with pytest.raises(DivergedError, match="diverged"):
        train(stepper(network), np.tile(np.arange(6), 9), only, context=8, seed=0, curve=[], progress=silent)


_IN_ANOTHER_PROCESS = """
import numpy as np
from rig.models.adamw import AdamWSettings
from rig.models.network import Architecture, Network
from rig.models.numpy_stepper import NumpyStepper
from rig.models.training import TrainingSettings, train
network = Network(Architecture(vocab_size=6, d_model=16, n_layers=1, n_heads=2, context=8))
network.initialise({seed})
optimiser = AdamWSettings(weight_decay=0.1, beta1=0.9, beta2=0.95, eps=1e-8, clip_norm=1.0)
settings = TrainingSettings(
    steps=45, batch_size=4, lr=0.01, warmup_steps=5, min_lr_ratio=0.1, optimiser=optimiser
)
first = network.parameters.sha256()
train(
    NumpyStepper(network, optimiser), np.tile(np.arange(6), 9), settings,
    context=8, seed={seed}, curve=[], progress=lambda **_: None,
)
print(first, network.parameters.sha256())
"""


def test_equal_seeds_train_to_the_same_bits_in_every_process_and_another_seed_to_others() -> None:
    outputs = []
    for seed, hash_seed in ((0, "1"), (0, "2"), (1, "1")):
        code = _IN_ANOTHER_PROCESS.format(seed=seed)
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": hash_seed, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(done.stdout.split())
    assert outputs[0] == outputs[1]
    assert outputs[0][0] != outputs[2][0]
    assert outputs[0][1] != outputs[2][1]

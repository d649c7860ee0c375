"""The step from states to logits is used alone only where it gives the network's own logits, bit for bit."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="SKIPPED: torch is not installed (pip install 'rig[hf]')")

from rig.models.hf.head import find_head  # noqa: E402  it imports torch

STATES = torch.linspace(-2.0, 2.0, 24).reshape(1, 4, 6)


def network(**parts: Any) -> Any:
    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for name, part in parts.items():
                setattr(self, name, part)

        def get_output_embeddings(self) -> Any:
            return parts.get("lm_head")

    return Network().requires_grad_(False)


def linear(n_in: int, n_out: int) -> Any:
    torch.manual_seed(0)
    return torch.nn.Linear(n_in, n_out)


def test_a_plain_head_is_found() -> None:
    head = linear(6, 9)
    found = find_head(network(lm_head=head), STATES, head(STATES))
    assert found is not None
    assert torch.equal(found(STATES[0, 1:3]), head(STATES[0, 1:3]))


def test_a_head_of_two_steps_is_found() -> None:
    first, second = linear(6, 5), linear(5, 9)
    held = network(head=first, decoder=second)
    assert find_head(held, STATES, second(first(STATES))) is not None
    assert find_head(held, STATES, second(torch.relu(first(STATES)))) is None


@pytest.mark.parametrize(
    "after",
    [
        lambda logits: 30 * torch.tanh(logits / 30),
        lambda logits: logits / 1.0001,
        lambda logits: logits + 1e-6,
        lambda logits: logits[..., :-1],
    ],
)
def test_what_does_more_after_its_head_has_none(after: Any) -> None:
    head = linear(6, 9)
    assert find_head(network(lm_head=head), STATES, after(head(STATES))) is None


def test_a_step_that_takes_something_else_is_passed_over() -> None:
    right = linear(6, 9)
    held = network(lm_head=linear(7, 9), cls=right)
    assert find_head(held, STATES, right(STATES)) is not None
    assert find_head(network(), STATES, right(STATES)) is None

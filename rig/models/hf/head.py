"""The last step of a network, from states to logits, on its own: only the rows that are asked get made.

The logits of a whole batch are its largest array by far, and most models offer no way around them. So the
step is looked for under the names that transformers gives it and believed only if, on a probe, it gives the
network's own logits bit for bit. A model that scales or caps its logits after that has no such step here.
"""

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import torch

Head = Callable[[torch.Tensor], torch.Tensor]

_NAMES = (
    ("lm_head",),  # causal models; RoBERTa
    ("embed_out",),  # GPT-NeoX
    ("cls",),  # BERT
    ("head", "decoder"),  # ModernBERT
    ("predictions",),  # ALBERT
    ("generator_predictions", "generator_lm_head"),  # ELECTRA
)


def find_head(network: Any, states: torch.Tensor, logits: torch.Tensor) -> Head | None:
    """The step from these states to these logits, or None.

    Args:
        network: A transformers model.
        states: (B, T, d_model) the last states of its base model on a probe.
        logits: (B, T, V) its logits on the same probe.
    """
    return next((head for head in _candidates(network) if _gives(head, states, logits)), None)


def _candidates(network: Any) -> Iterator[Head]:
    if (output := network.get_output_embeddings()) is not None:
        yield output
    for names in _NAMES:
        steps = [getattr(network, name, None) for name in names]
        if all(isinstance(step, torch.nn.Module) for step in steps):
            yield _chain(steps)


def _chain(steps: list[Any]) -> Head:
    return lambda states: reduce(lambda value, step: step(value), steps, states)


def _gives(head: Head, states: torch.Tensor, logits: torch.Tensor) -> bool:
    try:
        result = head(states)
    except (RuntimeError, TypeError):  # a step that takes something else
        return False
    return isinstance(result, torch.Tensor) and torch.equal(result.float(), logits.float())

"""A transformers model, loaded and asked: log-probabilities of rows, best guesses, states.

Logits become float32 whatever the weights are, some rows at a time, and never those of a whole batch at once
beside the originals.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, final

import numpy as np
import numpy.typing as npt
import torch

from rig.models.hf.batches import Batch, Ids
from rig.models.hf.head import find_head

Nats = npt.NDArray[np.float64]

_CHUNK_LOGITS = 1 << 21
"""Float32 logits at once, 8 MiB: few enough to stay in a cache, and rows enough for a fast product."""
_PROBE_TOKENS = 8


class Guess(NamedTuple):
    """What a network says of some rows."""

    logprob: Nats
    """(n_rows,) of the target, nats, <= 0; not finite where the logits are not."""
    predicted: Ids
    """(n_rows,) the index with the highest logit; of equals the lowest."""


@final
class Network:
    """A network that no longer changes.

    Args:
        module: A transformers model with a language-modelling head, in evaluation mode.

    Attributes:
        vocab_size: Logits of a position.
        n_embeddings: Ids that it can be fed: 0 to this, exclusive.
        n_params: Parameters, tied ones once.
        d_model: Width of a state.
        n_states: The input's states and one more for each layer.
        reads_rows: Whether only the rows that are asked get logits.
        sees_later: Whether a position's logits change when a later token does.
    """

    def __init__(self, module: Any) -> None:
        self._module = module
        self._base = module.base_model
        self._device = next(module.parameters()).device
        self.n_params = sum(parameter.numel() for parameter in module.parameters())
        self.n_embeddings = int(module.get_input_embeddings().weight.shape[0])
        with torch.inference_mode():
            probe = torch.arange(_PROBE_TOKENS, device=self._device)[None] % self.n_embeddings
            logits = module(input_ids=probe).logits
            out = self._base(input_ids=probe, output_hidden_states=True)
            self._head = find_head(module, out.last_hidden_state, logits)
            self.sees_later = self._is_moved_by_later(probe, logits)
        self.vocab_size = int(logits.shape[-1])
        self.n_states = len(out.hidden_states)
        self.d_model = int(out.last_hidden_state.shape[-1])
        self.reads_rows = self._head is not None
        self._chunk_rows = max(1, _CHUNK_LOGITS // self.vocab_size)

    def target_logprobs(self, batch: Batch, rows: Ids, targets: Ids) -> Nats:
        """Log-probabilities of rows' targets, nats, <= 0; not finite where the logits are not.

        Args:
            batch: B sequences padded to T.
            rows: (n_rows,) positions b * T + t of the batch whose logits are read.
            targets: (n_rows,) vocabulary index of each.
        """
        result = np.zeros(len(rows))
        with torch.inference_mode():
            for part, logits in self._logits(batch, rows):
                result[part] = self._chosen(logits, targets[part])
        return result

    def guesses(self, batch: Batch, rows: Ids, targets: Ids) -> Guess:
        """Log-probabilities of rows' targets, and the best guess at each; arguments as `target_logprobs`."""
        logprob, predicted = np.zeros(len(rows)), np.zeros(len(rows), np.int64)
        with torch.inference_mode():
            for part, logits in self._logits(batch, rows):
                logprob[part] = self._chosen(logits, targets[part])
                predicted[part] = logits.argmax(dim=-1).numpy(force=True)
        return Guess(logprob, predicted)

    def logprobs(self, batch: Batch, rows: Ids) -> Nats:
        """(n_rows, V) whole distributions, natural logarithms; meant for few rows."""
        result = np.zeros((len(rows), self.vocab_size))
        with torch.inference_mode():
            for part, logits in self._logits(batch, rows):
                result[part] = torch.log_softmax(logits.double(), dim=-1).numpy(force=True)
        return result

    def summed_states(self, batch: Batch, counted: npt.NDArray[np.bool_], layers: Sequence[int]) -> Nats:
        """(B, d_model) states of some positions, summed over positions and layers in float64.

        Args:
            batch: B sequences padded to T.
            counted: (B, T) the positions to sum.
            layers: Indices in [0, n_states).
        """
        weights = torch.from_numpy(counted).to(self._device, torch.float64)
        with torch.inference_mode():
            states = self._base(**self._inputs(batch), output_hidden_states=True).hidden_states
            total = sum(torch.einsum("bt,btd->bd", weights, states[layer].double()) for layer in layers)
        result: Nats = total.numpy(force=True)  # type: ignore[union-attr]  # `layers` is never empty
        return result

    def _logits(self, batch: Batch, rows: Ids) -> Iterator[tuple[slice, torch.Tensor]]:
        """The float32 logits of the rows, (n, V), a part of them at a time."""
        index = torch.from_numpy(rows).to(self._device)
        inputs = self._inputs(batch)
        if self._head is None:
            asked = self._module(**inputs).logits.flatten(0, 1)
        else:
            asked = self._base(**inputs).last_hidden_state.flatten(0, 1)
        for start in range(0, len(rows), self._chunk_rows):
            part = slice(start, min(start + self._chunk_rows, len(rows)))
            values = asked[index[part]]
            yield part, (values if self._head is None else self._head(values)).float()

    def _chosen(self, logits: torch.Tensor, targets: Ids) -> Nats:
        column = torch.from_numpy(targets).to(self._device)[:, None]
        logprob = torch.log_softmax(logits, dim=-1).gather(1, column)[:, 0].double()
        result: Nats = logprob.clamp(max=0.0).numpy(force=True)  # rounding above zero is cut off; NaN stays
        return result

    def _inputs(self, batch: Batch) -> dict[str, torch.Tensor]:
        inputs = {"input_ids": torch.from_numpy(batch.ids).to(self._device)}
        if batch.is_padded:
            mask = np.arange(batch.ids.shape[1]) < batch.length[:, None]
            inputs["attention_mask"] = torch.from_numpy(mask).to(self._device, torch.int64)
        return inputs

    def _is_moved_by_later(self, probe: torch.Tensor, logits: torch.Tensor) -> bool:
        """Whether another last token changes the logits before it by more than rounding."""
        changed = probe.clone()
        changed[0, -1] = (changed[0, -1] + 1) % self.n_embeddings
        moved = self._module(input_ids=changed).logits[0, :-1].float() - logits[0, :-1].float()
        scale = logits.float().abs().max()
        tolerance = 1e-5 if logits.dtype == torch.float32 else 1e-2
        return bool(moved.abs().max() > tolerance * scale)

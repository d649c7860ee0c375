"""A training step in torch (extra `[torch]`): the numpy transformer's function, on a GPU if there is one.

The initial weights come from the numpy network; the trained ones go back to it, and it scores. Gradients and
AdamW are torch's own, so each backend checks the other. They agree to rounding: another backend, other bits.

On one device a training repeats bit for bit: only deterministic algorithms are used. That is why attention is
written out: the backward pass of torch's fused one adds in any order on a GPU.
"""

import contextlib
import math
import os
from collections.abc import Iterator
from typing import final

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812  the name that torch's own documents give it

from rig.models.adamw import AdamWSettings
from rig.models.layers import NORM_EPSILON
from rig.models.masha import EMBEDDING, OUTPUT, MorphemicPrior
from rig.models.network import Network
from rig.models.parameters import Array
from rig.models.training import StepResult
from rig.models.training_batch import Batch

# cuBLAS repeats its sums only with a workspace of fixed size, chosen before its first call.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


@final
class TorchStepper:
    """Trains a copy of a network's weights; `weights` writes them back.

    Args:
        network: With its initial weights; their dtype is computed in.
        settings: Of the optimiser, as `rig.models.adamw` defines them.

    Attributes:
        device: CUDA's current device if there is one, else the CPU.
    """

    def __init__(self, network: Network, settings: AdamWSettings) -> None:
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._network = network
        self._prior = None if network.prior is None else _TorchPrior(network.prior, self.device)
        self._tensors = {
            name: torch.tensor(tensor, device=self.device, requires_grad=True)
            for name, tensor in network.parameters.tensors.items()
        }
        self._clip_norm = settings.clip_norm
        self._optimiser = torch.optim.AdamW(
            self._tensors.values(),
            betas=(settings.beta1, settings.beta2),
            eps=settings.eps,
            weight_decay=settings.weight_decay,
        )

    def step(self, batch: Batch, *, lr: float) -> StepResult:
        """One update, as `rig.models.training.Stepper` defines it."""
        with _repeatable():
            loss = self._loss(batch)
            self._optimiser.zero_grad()
            torch.autograd.backward(loss)
            norm = torch.nn.utils.clip_grad_norm_(self._tensors.values(), self._clip_norm)
            result = StepResult(loss=loss.item(), gradient_norm=norm.item())
            if math.isfinite(result.gradient_norm):
                for group in self._optimiser.param_groups:
                    group["lr"] = lr
                self._optimiser.step()
        return result

    def weights(self) -> Array:
        """(n_params,) the network's own vector, now with the trained weights."""
        for name, tensor in self._tensors.items():
            self._network.parameters[name][...] = tensor.numpy(force=True)
        return self._network.parameters.flat

    def facts(self) -> dict[str, str]:
        """What the bits depend on beside the numbers: torch's version and the device's name."""
        is_cuda = self.device.type == "cuda"
        return {
            "torch": str(torch.__version__),
            "device": torch.cuda.get_device_name(self.device) if is_cuda else "cpu",
        }

    def _loss(self, batch: Batch) -> torch.Tensor:
        """Weighted sum of negative log-probabilities, nats, summed in float64."""
        emb, head = self._tensors["emb"], self._tensors["head"]
        if self._prior is not None:
            emb = self._prior.embedding_table(emb, self._tensors)
            head = self._prior.head_table(head, self._tensors)
        logits = self._states(self._on_device(batch.inputs), emb) @ head
        targets = self._on_device(batch.targets).flatten()
        losses = F.cross_entropy(logits.flatten(0, 1), targets, reduction="none")
        if batch.weights is None:
            return losses.mean(dtype=torch.float64)
        return (losses * self._on_device(batch.weights).flatten()).sum(dtype=torch.float64)

    def _states(self, ids: torch.Tensor, emb: torch.Tensor) -> torch.Tensor:
        """(B, T, D) states after the last block."""
        x = emb[ids] + self._tensors["pos"][: ids.shape[1]]
        bias = self._attention_bias(ids, x.dtype)
        d_model = x.shape[-1]
        scale = 1.0 / math.sqrt(d_model // self._network.architecture.n_heads)
        for w_q, w_k, w_v, w_out, w_mlp1, w_mlp2 in self._tensors["blocks"].unbind():
            h = F.layer_norm(x, (d_model,), eps=NORM_EPSILON)
            q, k, v = (self._heads(h @ w) for w in (w_q, w_k, w_v))
            attended = (scale * q @ k.mT + bias).softmax(-1) @ v
            x = x + attended.transpose(1, 2).flatten(2) @ w_out
            h = F.layer_norm(x, (d_model,), eps=NORM_EPSILON)
            x = x + F.gelu(h @ w_mlp1, approximate="tanh") @ w_mlp2
        return x

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        """(B, H, T, d_head): consecutive chunks of features."""
        return x.view(*x.shape[:2], self._network.architecture.n_heads, -1).transpose(1, 2)

    def _attention_bias(self, ids: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        """Mask and morphemic bias together, broadcastable to (B, H, T, T), query by key."""
        n = ids.shape[1]
        bias = torch.zeros(n, n, dtype=dtype, device=self.device)
        if self._network.causal:
            bias = bias.fill_(-torch.inf).triu(1)
        if self._prior is None or not self._prior.switches.attention_bias:
            return bias
        shared = self._prior.shares_morpheme(ids)[:, None].to(dtype)
        return bias + self._prior.switches.bias_strength * shared

    def _on_device(self, array: npt.NDArray[np.generic]) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)


@final
class _TorchPrior:
    """`rig.models.masha.MorphemicPrior` over tensors."""

    def __init__(self, prior: MorphemicPrior, device: torch.device) -> None:
        self.switches = prior.switches
        self._morpheme_id = torch.from_numpy(prior.morpheme_id).to(device, torch.int64)

    def embedding_table(self, emb: torch.Tensor, tables: dict[str, torch.Tensor]) -> torch.Tensor:
        return emb + self._sum(tables[EMBEDDING]) if self.switches.embedding else emb

    def head_table(self, head: torch.Tensor, tables: dict[str, torch.Tensor]) -> torch.Tensor:
        return head + self._sum(tables[OUTPUT]).mT if self.switches.output_logits else head

    def shares_morpheme(self, ids: torch.Tensor) -> torch.Tensor:
        """(B, T, T) of each pair of tokens in a sequence, whether they have a morpheme in common."""
        morphemes = self._morpheme_id[ids]
        a, b = morphemes[:, :, None, :, None], morphemes[:, None, :, None, :]
        return ((a == b) & (a >= 0)).flatten(-2).any(-1)

    def _sum(self, table: torch.Tensor) -> torch.Tensor:
        """(V, D) the sum of each token's rows of an (M, D) table."""
        padded = torch.cat([table, table.new_zeros(1, table.shape[1])])
        return padded[self._morpheme_id].sum(1)  # padding, -1, is the row of zeros


@contextlib.contextmanager
def _repeatable() -> Iterator[None]:
    """Deterministic algorithms and full float32 products for a while; then what the process had before."""
    deterministic = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    precision = torch.get_float32_matmul_precision()
    torch.use_deterministic_algorithms(True)
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(precision)
        torch.use_deterministic_algorithms(deterministic, warn_only=warn_only)

"""Weights from safetensors into a transformers model: all there, finite, and of the objective."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers.utils import logging

from rig.core.errors import ConfigError, ModelError
from rig.models.base import DivergedError
from rig.models.hf.checkpoint import Checkpoint


def load_module(checkpoint: Checkpoint, *, objective: str, dtype: str, device: str) -> Any:
    """The transformers model of a checkpoint, in evaluation mode, on its device.

    Args:
        checkpoint: Looked at already.
        objective: `causal` or `masked`.
        dtype: `auto`, or the name of a torch dtype.
        device: `auto`, `cpu` or `cuda`.

    Raises:
        ConfigError: There is no such device.
        DivergedError: A weight is not finite.
        ModelError: transformers has no such model, or the checkpoint lacks some of its weights.
    """
    place = _device(device)
    factory = (
        transformers.AutoModelForCausalLM if objective == "causal" else transformers.AutoModelForMaskedLM
    )
    try:
        with _without_progress_bars():
            pair: Any = factory.from_pretrained(
                checkpoint.directory,
                dtype="auto" if dtype == "auto" else getattr(torch, dtype),
                local_files_only=True,
                use_safetensors=True,
                trust_remote_code=False,
                output_loading_info=True,
            )
            module, loaded = pair
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError) as error:
        raise ModelError(
            f"transformers {transformers.__version__} can't load '{checkpoint.directory}' as a {objective} "
            f"language model of type '{checkpoint.config['model_type']}': {_first_line(error)}"
        ) from error
    _check_all_there(checkpoint.directory, objective, loaded)
    _check_finite(checkpoint.directory, module)
    module.config.use_cache = False
    return module.to(place).eval().requires_grad_(False)


def usable_context(module: Any) -> int | None:
    """Inputs that a model sees at once, special ones included; None if it states no limit."""
    limit = getattr(module.config, "max_position_embeddings", None)
    for name, part in module.named_modules():
        # RoBERTa numbers positions from its padding index on, and has that many fewer.
        if name.endswith("position_embeddings") and getattr(part, "padding_idx", None) is not None:
            return int(part.num_embeddings - part.padding_idx - 1)
    return int(limit) if isinstance(limit, int) and limit > 0 else None


@contextlib.contextmanager
def _without_progress_bars() -> Iterator[None]:
    """Keep transformers' bars off standard error, where a command's own messages belong."""
    progress: Any = logging
    drawn = progress.is_progress_bar_enabled()
    progress.disable_progress_bar()
    try:
        yield
    finally:
        if drawn:
            progress.enable_progress_bar()


def _device(name: str) -> torch.device:
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError("option `device` is cuda, but torch finds no GPU here; set it to auto or cpu")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


def _check_all_there(directory: Path, objective: str, loaded: dict[str, Any]) -> None:
    """Refuse a model of which a part would keep random weights: transformers only warns."""
    absent = sorted(str(name) for name in loaded.get("missing_keys") or ())
    absent += sorted(str(name) for name in loaded.get("mismatched_keys") or ())
    if absent:
        raise ModelError(
            f"'{directory}' lacks {len(absent)} weights of a {objective} language model, such as "
            f"{absent[0]}, which would stay random; save the model with its language-modelling head"
        )


def _check_finite(directory: Path, module: Any) -> None:
    for name, parameter in module.named_parameters():
        if not torch.isfinite(parameter).all():
            raise DivergedError(
                f"the weight {name} in '{directory}' is not finite: the training that left it diverged"
            )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]

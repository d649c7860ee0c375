"""A checkpoint in a directory to a language model, whoever put it there: a kind, or a user's own command."""

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rig.core.errors import ConfigError, ModelError
from rig.models.hf.checkpoint import Checkpoint, open_checkpoint
from rig.models.hf.options import HfOptions

if TYPE_CHECKING:
    from rig.models.hf.causal import HfCausalModel
    from rig.models.hf.masked import HfMaskedModel
    from rig.models.hf.network import Network
    from rig.models.hf.text_encoder import TextEncoder

LoadedModel: TypeAlias = "HfCausalModel | HfMaskedModel"
"""Both are an `AbstractLanguageModel` with `encode` and `facts`."""


def load_model(directory: Path, *, objective: str, options: HfOptions) -> LoadedModel:
    """Load a checkpoint.

    What a comparison should know of it (`Fit.facts`) is in the model's attribute `facts`.

    Args:
        directory: Holds config.json, safetensors weights and a fast tokenizer's tokenizer.json.
        objective: `causal` or `masked`; a checkpoint of the other one is refused.
        options: How it is read and scored.

    Raises:
        ConfigError: An option does not fit the checkpoint (a token that it lacks, a longer context), or the
            extra `[hf]` is not installed.
        DataError: A file is missing or of a kind that is refused: pickled weights, a checkpoint's own code.
        DivergedError: A weight is not finite.
        ModelError: The checkpoint can't be loaded as such a model.
    """
    require_extra(f"the checkpoint '{directory}'")
    checkpoint = open_checkpoint(
        directory,
        objective=objective,
        tokenizer=None if options.tokenizer is None else Path(options.tokenizer).expanduser(),
    )
    return _assemble(checkpoint, objective, options)


def require_extra(whose: str) -> None:
    """Refuse to go on without torch and transformers, saying how to get them.

    Raises:
        ConfigError: One is not installed.
    """
    missing = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"{whose} needs {' and '.join(missing)}, which are not installed; run `pip install 'rig[hf]'`"
        )


def _assemble(checkpoint: Checkpoint, objective: str, options: HfOptions) -> LoadedModel:
    # Here, so that a run is planned without torch and transformers.
    from rig.models.hf.causal import HfCausalModel, Reading
    from rig.models.hf.masked import HfMaskedModel
    from rig.models.hf.module import load_module, usable_context
    from rig.models.hf.network import Network
    from rig.models.hf.special_tokens import causal_frame, masked_frame
    from rig.models.hf.text_encoder import TextEncoder

    encoder = TextEncoder(checkpoint.tokenizer)
    frame = (
        causal_frame(options.bos, encoder.special, encoder.vocabulary)
        if objective == "causal"
        else masked_frame(options.bos, encoder.special)
    )
    module = load_module(checkpoint, objective=objective, dtype=options.dtype, device=options.device)
    context = _context(options.context, usable_context(module), n_special=frame.n_inputs)
    try:
        network = Network(module)
    except (RuntimeError, ValueError, TypeError, IndexError, AttributeError) as error:
        raise ModelError(
            f"the model in '{checkpoint.directory}' can't be run on a few tokens: "
            f"{type(error).__name__}: {error}"
        ) from error
    _check_fit(checkpoint, network, encoder, objective)
    stride = _stride(options.stride, context)
    facts = {
        "model_type": checkpoint.config["model_type"],
        "vocab_size": network.vocab_size,
        "tokenizer_sha256": encoder.sha256,
        "bos": frame.rule,
        "context": context,
        "dtype": str(module.dtype).removeprefix("torch."),
        "device": str(module.device.type),
    }
    if objective == "masked":
        return HfMaskedModel(
            network, encoder, frame=frame, context=context, batch_size=options.batch_size, facts=facts
        )
    reading = Reading(context=context, stride=stride, batch_size=options.batch_size)
    return HfCausalModel(network, encoder, frame=frame, reading=reading, facts={**facts, "stride": stride})


def _context(asked: int | None, limit: int | None, *, n_special: int) -> int:
    context = limit if asked is None else asked
    if context is None:
        raise ConfigError("the model states no longest context; set the option `context`, for example 1024")
    if limit is not None and context > limit:
        raise ConfigError(
            f"option `context` must be at most {limit}, which the model was made for, got {asked}"
        )
    if context < n_special + 1:
        raise ConfigError(f"option `context` must leave room for a token beside {n_special}, got {context}")
    return context


def _stride(asked: int | None, context: int) -> int:
    stride = context // 2 if asked is None else asked
    if stride > context:
        raise ConfigError(f"option `stride` must be at most the context, {context}, got {stride}")
    return stride


def _check_fit(checkpoint: Checkpoint, network: "Network", encoder: "TextEncoder", objective: str) -> None:
    """Tokenizer and network belong together, and the network is what its kind says."""
    highest = max(encoder.vocabulary.values())
    if highest >= min(network.n_embeddings, network.vocab_size):
        raise ModelError(
            f"'{checkpoint.tokenizer}' has token ids up to {highest}, but the model in "
            f"'{checkpoint.directory}' knows {network.n_embeddings}; it is another model's tokenizer"
        )
    if objective == "causal" and network.sees_later:
        raise ModelError(
            f"the model in '{checkpoint.directory}' sees later tokens, so it is no causal language model; "
            "set `objective: masked` if it fills gaps, or `is_decoder` in its config.json if trained so"
        )
    if objective == "masked" and not network.sees_later:
        raise ModelError(
            f"the model in '{checkpoint.directory}' sees earlier tokens only, so it fills no gaps; "
            "set `objective: causal`"
        )

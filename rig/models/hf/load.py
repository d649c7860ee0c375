"""A checkpoint in a directory to a language model, whoever put it there: a kind, or a user's own command."""

from pathlib import Path

from rig.core.errors import ModelError
from rig.models.base import AbstractLanguageModel
from rig.models.hf.options import HfOptions


def load_model(directory: Path, *, objective: str, options: HfOptions) -> AbstractLanguageModel:
    """Load a checkpoint.

    What a comparison should know of it (`Fit.facts`) is in the model's attribute `facts`.

    Args:
        directory: Holds config.json, safetensors weights and a fast tokenizer's tokenizer.json.
        objective: `causal` or `masked`; a checkpoint of the other one is refused.
        options: How it is read and scored.

    Raises:
        ConfigError: An option does not fit the checkpoint (a token that it lacks, a longer context).
        DataError: A file is missing or of a kind that is refused: pickled weights, a checkpoint's own code.
        DivergedError: A weight is not finite.
        ModelError: The checkpoint can't be loaded as such a model.
    """
    raise ModelError(f"{directory}: loading is not there yet")

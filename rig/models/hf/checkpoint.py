"""What a checkpoint is made of: the files that are loaded, hashed into a cell's key, and looked at first.

Everything here reads names and JSON; nothing of a checkpoint runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from rig.core.errors import DataError
from rig.models.hf.json_object import read_object
from rig.models.hf.stored_weights import weight_files

TOKENIZER = "tokenizer.json"

_TOKENIZER_FILES = (
    TOKENIZER,
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
)
"""What transformers may read of a tokenizer's directory, besides config.json."""

_CAUSAL_ARCHITECTURES = ("ForCausalLM", "LMHeadModel")
_MASKED_ARCHITECTURES = ("ForMaskedLM",)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A directory whose files are all there and none of which is refused."""

    directory: Path
    """Holds config.json and the weights."""
    tokenizer: Path
    """Holds the tokenizer's files; mostly the same directory."""
    config: Mapping[str, Any]
    """config.json."""
    files: Mapping[str, Path]
    """Everything that is loaded, by a name that does not depend on where it lies."""


def open_checkpoint(directory: Path, *, objective: str, tokenizer: Path | None = None) -> Checkpoint:
    """Look at a checkpoint before anything of it is loaded.

    Args:
        directory: Of the checkpoint.
        objective: What it is to be used as, `causal` or `masked`.
        tokenizer: The directory of another tokenizer than its own.

    Raises:
        DataError: A file is missing, damaged or of a kind that is refused.
    """
    config = _config(directory)
    _check_objective(directory, config, objective)
    files = {"config.json": directory / "config.json", **weight_files(directory)}
    place = directory if tokenizer is None else tokenizer
    prefix = "" if tokenizer is None else "tokenizer/"
    for name, path in _tokenizer_files(place).items():
        files[prefix + name] = path
    return Checkpoint(directory=directory, tokenizer=place, config=config, files=files)


def _config(directory: Path) -> Mapping[str, Any]:
    if not directory.is_dir():
        raise DataError(f"'{directory}' is no directory with a checkpoint; check the option `model`")
    path = directory / "config.json"
    if not path.is_file():
        raise DataError(
            f"'{directory}' is no checkpoint: it has no config.json; `save_pretrained` writes one"
        )
    config = read_object(path)
    _refuse_code(path, config)
    if not isinstance(config.get("model_type"), str):
        raise DataError(f"'{path}' names no `model_type`, so it can't be known what to load")
    return config


def _tokenizer_files(directory: Path) -> dict[str, Path]:
    if not directory.is_dir():
        raise DataError(f"'{directory}' is no directory with a tokenizer; check the option `tokenizer`")
    found = {name: directory / name for name in _TOKENIZER_FILES if (directory / name).is_file()}
    if TOKENIZER not in found:
        slow = [name for name in found if not name.endswith(("_config.json", "_map.json"))]
        if slow:
            raise DataError(
                f"'{directory}' has a tokenizer only in its slow form ({slow[0]}), which tells no positions; "
                "write the fast one once: `AutoTokenizer.from_pretrained(DIR).save_pretrained(DIR)` must "
                f"leave a {TOKENIZER}"
            )
        raise DataError(
            f"'{directory}' has no tokenizer ({TOKENIZER}); save it there too, or name its directory in the "
            "option `tokenizer`"
        )
    for name in ("tokenizer_config.json", "config.json"):
        path = directory / name
        if path.is_file():
            found[name] = path
            _refuse_code(path, read_object(path))
    return found


def _refuse_code(path: Path, value: Mapping[str, Any]) -> None:
    """Refuse a configuration that asks for code to be run: the checkpoint's own, or whatever it names."""
    key = _code_key(value)
    if key == "auto_map":
        raise DataError(
            f"'{path}' asks for code of the checkpoint's own (`auto_map`), which is never run; if "
            "transformers has this type of model itself, load it without `trust_remote_code` and save it anew"
        )
    if key is not None:
        raise DataError(
            f"'{path}' holds `{key}`, which names code to run; a checkpoint is only data, remove it"
        )


def _code_key(value: Any) -> str | None:
    if isinstance(value, Mapping):
        if value.get("auto_map"):
            return "auto_map"
        if "_target_" in value:
            return "_target_"
        value = list(value.values())
    if isinstance(value, list):
        return next((key for item in value if (key := _code_key(item)) is not None), None)
    return None


def _check_objective(directory: Path, config: Mapping[str, Any], objective: str) -> None:
    """Refuse a checkpoint that was saved as another sort of model, or that has an encoder and a decoder."""
    if config.get("is_encoder_decoder"):
        raise DataError(
            f"'{directory}' is an encoder with a decoder ({config['model_type']}); only causal and masked "
            "language models can be compared here"
        )
    architectures = [str(name) for name in config.get("architectures") or ()]
    wrong = _MASKED_ARCHITECTURES if objective == "causal" else _CAUSAL_ARCHITECTURES
    right = _CAUSAL_ARCHITECTURES if objective == "causal" else _MASKED_ARCHITECTURES
    if any(name.endswith(wrong) for name in architectures) and not any(
        name.endswith(right) for name in architectures
    ):
        other = "masked" if objective == "causal" else "causal"
        raise DataError(
            f"'{directory}' was saved as {architectures[0]}, a {other} language model, but its kind says "
            f"`objective: {objective}`; set `objective: {other}`"
        )

"""Where a checkpoint is: a local directory, or an exact commit of a repository on the Hugging Face hub."""

import re
from pathlib import Path

from rig.core.errors import DataError

REVISION = re.compile(r"[0-9a-f]{40}")

_PATTERNS = ["*.json", "*.safetensors", "*.txt", "*.model"]
"""Configurations, weights and tokenizers: no pickle, no Python file."""


def checkpoint_directory(model: str, revision: str | None) -> Path:
    """The local directory of a checkpoint, downloaded into the hub's own cache if need be.

    Args:
        model: A local directory; with a revision, the id of a repository.
        revision: 40 hex digits, because branches and tags move; None for a local directory.

    Raises:
        DataError: There is no such directory, or the repository can't be had.
    """
    if revision is None:
        directory = Path(model).expanduser()
        if not directory.is_dir():
            raise DataError(
                f"no directory '{model}'; if it is a model on the Hugging Face hub, set the option "
                "`revision` to the commit's 40 hex digits"
            )
        return directory
    return _snapshot(model, revision)


def _snapshot(model: str, revision: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        return Path(snapshot_download(model, revision=revision, allow_patterns=_PATTERNS))
    except (HfHubHTTPError, HFValidationError, OSError, ValueError) as error:
        raise DataError(
            f"the hub's model '{model}' at revision {revision} is not in the local cache and could not be "
            f"downloaded ({type(error).__name__}); fetch it where there is a network with "
            f"`hf download {model} --revision {revision}`, or name a local directory"
        ) from error

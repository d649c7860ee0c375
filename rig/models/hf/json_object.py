"""A JSON file that must hold an object, as every configuration of a checkpoint does."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rig.core.errors import DataError


def read_object(path: Path) -> Mapping[str, Any]:
    """The object in a JSON file.

    Raises:
        DataError: The file is no JSON, or holds something else.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"'{path}' is no JSON: {error}; save the checkpoint again") from None
    if not isinstance(value, dict):
        raise DataError(f"'{path}' must hold a JSON object, got {type(value).__name__}")
    return value

"""JSON files that carry a hash of their own content, so that a later change by hand is seen.

The hash covers all but the fields that say when and where (`UNSEALED`): the same content has the same hash,
whoever made it. It catches accidents and edits, not a forger, who can hash again; against that stand the
version history and the derivation from the cells.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rig.core.errors import StoreError, VerificationError
from rig.core.fingerprint import fingerprint

UNSEALED = ("created", "environment", "id", "self_sha256")
"""Fields outside the hash: times, the machine, and what is derived from the hash itself."""


def self_sha256(content: Mapping[str, Any]) -> str:
    """The hash of a file's content but for its unsealed fields, 64 hex digits."""
    return fingerprint({name: value for name, value in content.items() if name not in UNSEALED})


def read_object(path: Path, schema: str) -> dict[str, Any]:
    """A JSON object of one schema; its hash is not checked.

    Raises:
        StoreError: The file can't be read, is no JSON object, repeats a key, holds a number that is not
            finite, or is of another schema.
    """
    try:
        content = json.loads(
            path.read_text(encoding="utf-8"),
            object_pairs_hook=_distinct_keys,
            parse_constant=_refuse_constant,
        )
        fingerprint(content)
    except FileNotFoundError:
        raise StoreError(f"{path} is missing") from None
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"{path} can't be read as JSON: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise StoreError(f"{path} must hold a JSON object, got {type(content).__name__}")
    if content.get("schema") != schema:
        raise StoreError(f"{path} must be of schema '{schema}', got {content.get('schema')!r}")
    return content


def check_seal(path: Path, content: Mapping[str, Any]) -> None:
    """Compare a content's hash with the one it carries.

    Raises:
        VerificationError: They differ.
    """
    derived, held = self_sha256(content), content.get("self_sha256")
    if derived != held:
        raise VerificationError(
            f"{path} was changed after it was written: its content hashes to {derived[:12]}, "
            f"but it says {str(held)[:12]}"
        )


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key '{next(name for name in names if names.count(name) > 1)}' is repeated")
    return content


def _refuse_constant(text: str) -> float:
    raise ValueError(f"the number {text} is not finite")

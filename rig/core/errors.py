"""Every error that a user can cause, and the exit code that it ends the command with.

    RigError                1   a cell, a check or a verification failed
    ├── ModelError          1   a model gave something that is no score (NaN, a probability above one)
    ├── StoreError          1   something under runs/ is damaged or can't be written
    ├── VerificationError   1   a re-derived number or hash differs from the stored one
    ├── UsageError          2   the command is wrong
    │   ├── ConfigError     2   conf/ or an override is wrong
    │   └── DataError       2   a data file is wrong; refused before any training
    └── LockError           3   a lock is missing, stale or overridden
        └── LockTamperedError  4   a lock contradicts itself or its record

A message is one sentence: what, where, what was got, what to do. The command line prints it alone;
`--traceback` prints the rest.
"""

import difflib
from collections.abc import Iterable
from typing import ClassVar


class RigError(Exception):
    """Base of all errors that rig raises on purpose."""

    exit_code: ClassVar[int] = 1


class ModelError(RigError):
    """A model or its adapter gave something that is not a score."""


class StoreError(RigError):
    """A file under runs/ is damaged, missing or can't be written."""


class VerificationError(RigError):
    """A number or a hash that was derived again differs from the one stored."""


class UsageError(RigError):
    """The command line is wrong."""

    exit_code: ClassVar[int] = 2


class ConfigError(UsageError):
    """A config file or an override is wrong."""


class DataError(UsageError):
    """A data file is wrong."""


class LockError(RigError):
    """A lock is missing, stale or overridden."""

    exit_code: ClassVar[int] = 3


class LockTamperedError(LockError):
    """A lock contradicts itself, its curve or its sweep's record."""

    exit_code: ClassVar[int] = 4


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The tail of an error about an unknown name: the nearest known one, and all of them.

    Args:
        name: What was got.
        known: What would have been accepted.

    Returns:
        For example ``"Did you mean 'ngram'? Known: ngram, uniform."``; without a near name only the list.
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    suggestion = f"Did you mean '{near[0]}'? " if near else ""
    return f"{suggestion}Known: {', '.join(names) or 'none'}."

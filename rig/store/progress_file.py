"""How far a cell is, in a file beside its other files, for whoever shows it and whoever started it."""

import json
import os
import time
from pathlib import Path
from typing import Any

from rig.core.errors import RigError

NAME = "progress.json"
LAUNCHER_VARIABLE = "RIG_LAUNCHER_PID"
"""Environment variable with the process that waits for the cell; a cell without it answers to nobody."""
_EVERY_S = 0.25


class ProgressFile:
    """Written by a cell; read by `read_progress`."""

    def __init__(self, attempt: Path) -> None:
        self._path = attempt / NAME
        self._launcher = os.environ.get(LAUNCHER_VARIABLE)
        self._last_s = 0.0

    def training(self, *, step: int, n_steps: int, loss: float) -> None:
        """The `progress` of `fit`.

        Raises:
            RigError: The process that waits for the cell has died, so nobody would show or use it now.
        """
        if self._launcher is not None and os.getppid() != int(self._launcher):
            raise RigError("the command that started this cell is gone; run it again to finish the cell")
        if time.monotonic() - self._last_s >= _EVERY_S:
            self._last_s = time.monotonic()
            state = {"phase": "training", "step": step, "n_steps": n_steps, "loss": round(float(loss), 4)}
            self._write(state)

    def phase(self, name: str) -> None:
        """A phase after training begins."""
        self._write({"phase": name})

    def _write(self, content: dict[str, Any]) -> None:
        # Not worth an fsync: after a kill nobody reads it.
        temporary = self._path.with_suffix(".tmp")
        temporary.write_text(json.dumps(content), encoding="utf-8")
        os.replace(temporary, self._path)


def read_progress(attempt: Path) -> dict[str, Any]:
    """What a cell last said: phase, and in training step, n_steps and loss; empty before its first word."""
    try:
        content = json.loads((attempt / NAME).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        return {}
    return content if isinstance(content, dict) else {}

"""A user's program as a child process: followed while it runs, ended with us, its failure a sentence."""

import contextlib
import ctypes
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rig.core.errors import ModelError
from rig.models.base import Progress

_POLL_S = 0.2
_PR_SET_PDEATHSIG = 1


def run_program(
    arguments: Sequence[str], *, log: Path, curve: Path, n_steps: int, progress: Progress
) -> None:
    """Run a program to its end; its output goes to a file.

    Args:
        arguments: The program and its arguments; no shell reads them.
        log: Receives standard output and standard error.
        curve: Where the program may append lines `{"step": ..., "loss": ...}`; the last is shown as progress.
        n_steps: The steps that it was asked for.
        progress: Told of each new step.

    Raises:
        ModelError: It can't be started, or ends with another status than 0.
    """
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(
                list(arguments),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # so that whatever it starts can be ended with it
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
        except OSError as error:
            raise ModelError(f"the command '{arguments[0]}' can't be started: {error.strerror}") from error
        with _ended_with_us(process):
            told = 0
            while process.poll() is None:
                told = _tell(curve, told, n_steps, progress)
                time.sleep(_POLL_S)
            _tell(curve, told, n_steps, progress)
    if process.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        how = (
            f"was killed by signal {-process.returncode}"
            if process.returncode < 0
            else f"ended with status {process.returncode}"
        )
        raise ModelError(
            f"the command '{arguments[0]}' {how}; its last line: {lines[-1] if lines else '(nothing)'}; "
            f"its output: {log}"
        )


@contextlib.contextmanager
def _ended_with_us(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Leave no program behind: on an exception, an interrupt or a termination its whole session is killed."""
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _leave) if is_main else None
    try:
        yield
    finally:
        if is_main:
            signal.signal(signal.SIGTERM, before)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _leave(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def _die_with_parent() -> None:
    """In the child: be killed when the parent dies, however it dies (Linux)."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _tell(curve: Path, told: int, n_steps: int, progress: Progress) -> int:
    """Report the newest step of the program's curve; returns the step told last."""
    try:
        lines = curve.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return told
    for line in reversed(lines):
        with contextlib.suppress(ValueError, KeyError, TypeError):  # a line half written, or of another kind
            point = json.loads(line)
            step, loss = int(point["step"]), float(point["loss"])
            if step > told and math.isfinite(loss):
                progress(step=min(step, n_steps), n_steps=n_steps, loss=loss)
            return max(step, told)
    return told

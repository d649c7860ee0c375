"""A user's program as a child process: followed while it runs, ended with us, its failure a sentence."""

import contextlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rig.core.errors import ModelError
from rig.models.base import Progress
from rig.store.progress_file import LAUNCHER_VARIABLE

_POLL_S = 0.2
_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_ENDING = (signal.SIGTERM, signal.SIGHUP)


def run_program(
    arguments: Sequence[str], *, log: Path, curve: Path, n_steps: int, progress: Progress
) -> None:
    """Run a program to its end; its output goes to a file. It and all that it starts end when we do.

    Args:
        arguments: The program and its arguments; no shell reads them.
        log: Receives standard output and standard error.
        curve: Where the program may append lines `{"step": ..., "loss": ...}`; the last is shown as progress.
        n_steps: The steps that it was asked for.
        progress: Told of each new step.

    Raises:
        ModelError: It can't be started, or ends with another status than 0, or nobody waits for it any more.
    """
    if shutil.which(arguments[0]) is None:
        raise ModelError(f"the command '{arguments[0]}' can't be started: there is no such program")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, str(_SUPERVISOR), str(os.getpid()), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that whatever it starts can be ended with it
        )
        with _ended_with_us(process):
            told = 0
            while process.poll() is None:
                _check_launcher()
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


def _check_launcher() -> None:
    """Stop where the process that waits for the cell has died."""
    launcher = os.environ.get(LAUNCHER_VARIABLE)
    if launcher is not None and os.getppid() != int(launcher) and os.getpid() != int(launcher):
        raise ModelError("the command that started this cell is gone; run it again to finish the cell")


@contextlib.contextmanager
def _ended_with_us(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Leave no program behind: on an exception, an interrupt or a termination its whole session is killed."""
    is_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, _leave) for number in _ENDING} if is_main else {}
    try:
        yield
    finally:
        # First the kill: a second signal may come at any moment once the handlers are back.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


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

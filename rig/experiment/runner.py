"""The local engine: cells at once, each in a process of its own; finished cells are not run again.

A thread waits for each process, so that a cell that is killed, or fills its memory, takes no other with it.
What a cell's outcome is, its published result says, not its process. Every process has one BLAS thread: on
few cores two single-thread processes beat one with two threads, and bits are promised per thread count.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, final

from rig import cell, one_thread
from rig.core.errors import RigError, UsageError
from rig.experiment.progress import Display
from rig.store.cells import CellSpec, DoneCell, plan_cell, quarantined, read_done
from rig.store.progress_file import LAUNCHER_VARIABLE, read_progress

Engine = Literal["local", "inline"]
ENGINES: tuple[str, ...] = ("local", "inline")
_POLL_S = 0.2


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one cell ended."""

    spec: CellSpec
    done: DoneCell | None
    """The result; None if the cell failed."""
    was_cached: bool
    error: str = ""
    """One sentence, for a cell that failed."""
    log: Path | None = None
    n_quarantined: int = 0
    """Earlier results of this cell that were found damaged and set aside."""


def run_cells(
    specs: Sequence[CellSpec], *, runs: Path, jobs: int, engine: str, display: Display
) -> list[Outcome]:
    """Run every cell that is not done, `jobs` at once; a failed one does not stop the others.

    Args:
        specs: Distinct cells.
        runs: The runs directory.
        jobs: Processes at once, >= 1.
        engine: `local`, or `inline` for one after the other in this process (for a debugger).
        display: Told what happens.

    Returns:
        The outcomes, in the order of `specs`.

    Raises:
        UsageError: Unknown engine or `jobs` below 1.
        StoreError: A cell's directory holds another cell.
    """
    if engine not in ENGINES:
        raise UsageError(f"--engine must be one of {', '.join(ENGINES)}, got '{engine}'")
    if jobs < 1:
        raise UsageError(f"--jobs must be at least 1, got {jobs}")
    directories = [plan_cell(runs, spec) for spec in specs]
    cached = [read_done(directory) for directory in directories]
    display.start(specs, [done is not None for done in cached])
    local = _LocalProcesses(display)
    run_one = _run_inline if engine == "inline" else local.run
    with ThreadPoolExecutor(max_workers=1 if engine == "inline" else jobs) as pool:
        futures = [
            pool.submit(_outcome, spec, directory, done, run_one, display)
            for spec, directory, done in zip(specs, directories, cached, strict=True)
        ]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            local.stop_all()
            raise


def _outcome(
    spec: CellSpec,
    directory: Path,
    done: DoneCell | None,
    run_one: "Callable[[CellSpec, Path], _Ended]",
    display: Display,
) -> Outcome:
    n_quarantined = len(quarantined(directory))
    if done is not None:
        return Outcome(spec=spec, done=done, was_cached=True, n_quarantined=n_quarantined)
    display.begin(spec)
    ended = run_one(spec, directory)
    done = read_done(directory)
    error = "" if done is not None else ended.error or "the cell ended without a result"
    outcome = Outcome(
        spec=spec, done=done, was_cached=False, error=error, log=ended.log, n_quarantined=n_quarantined
    )
    display.end(spec, error=error, log=ended.log, seconds=_seconds(done))
    return outcome


def _seconds(done: DoneCell | None) -> float | None:
    if done is None:
        return None
    return float(sum(value for name, value in done.timing.items() if name.endswith("_s")))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class _Ended:
    error: str
    log: Path | None


def _run_inline(spec: CellSpec, directory: Path) -> _Ended:
    try:
        cell.run(directory)
    except RigError as error:
        return _Ended(error=str(error), log=None)
    return _Ended(error="", log=None)


class _LocalProcesses:
    """Runs cells as `python -m rig.cell DIR` and follows their progress files."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._guard = threading.Lock()
        self._processes: set[subprocess.Popen[str]] = set()

    def run(self, spec: CellSpec, directory: Path) -> _Ended:
        environment = {
            **os.environ,
            **dict.fromkeys(one_thread.VARIABLES, "1"),
            "TOKENIZERS_PARALLELISM": "false",
            LAUNCHER_VARIABLE: str(os.getpid()),
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "rig.cell", str(directory)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        with self._guard:
            self._processes.add(process)
        try:
            return self._follow(spec, directory, process)
        finally:
            with self._guard:
                self._processes.discard(process)

    def _follow(self, spec: CellSpec, directory: Path, process: "subprocess.Popen[str]") -> _Ended:
        if process.stdout is None or process.stderr is None:
            raise RigError(f"{directory}: the cell's process has no output to read")
        name = process.stdout.readline().strip()
        attempt = Path(name) if name else None
        while True:
            try:
                process.wait(timeout=_POLL_S)
                break
            except subprocess.TimeoutExpired:
                if attempt is not None:
                    self._display.progress(spec, read_progress(attempt))
        early = process.stderr.read().strip()
        process.stdout.close()
        process.stderr.close()
        log = attempt / "log.txt" if attempt is not None else None
        return _Ended(error=_why(process.returncode, attempt, early), log=log)

    def stop_all(self) -> None:
        """End every cell's process; their attempts stay and count for nothing."""
        with self._guard:
            processes = list(self._processes)
        for process in processes:
            process.terminate()
        for process in processes:
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()


def _why(returncode: int, attempt: Path | None, early: str) -> str:
    """One sentence on why a process gave no result; empty if it ended well."""
    if returncode == 0:
        return ""
    if returncode < 0:
        return f"the cell's process was killed by signal {-returncode}; run the command again to finish it"
    if attempt is not None and (attempt / "error.json").exists():
        return str(json.loads((attempt / "error.json").read_text(encoding="utf-8"))["message"])
    last = early.splitlines()[-1] if early else ""
    if attempt is not None and not last and (attempt / "log.txt").exists():
        lines = (attempt / "log.txt").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        last = lines[-1] if lines else ""
    return last or f"the cell's process ended with status {returncode}"

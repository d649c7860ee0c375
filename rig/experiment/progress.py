"""What a person sees while cells run: a bar each with loss and remaining time, or plain lines in a log."""

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from rig.store.cells import CellSpec


class Display(Protocol):
    """Told by the runner what happens; may be called from several threads."""

    def start(self, specs: Sequence[CellSpec], is_done: Sequence[bool]) -> None:
        """The cells of the run, and which of them are done already."""

    def begin(self, spec: CellSpec) -> None:
        """A cell's process starts."""

    def progress(self, spec: CellSpec, state: Mapping[str, Any]) -> None:
        """What the cell's progress.json says: phase, step, n_steps, loss; may be empty."""

    def end(self, spec: CellSpec, *, error: str, log: Path | None, seconds: float | None) -> None:
        """The cell ended, well if `error` is empty."""


def label(spec: CellSpec) -> str:
    """A cell as people name it: `masha_ab seed 42`."""
    return spec.kind if spec.seed is None else f"{spec.kind} seed {spec.seed}"


class TerminalDisplay:
    """Bars on a terminal, one line a finished cell elsewhere. Use as a context manager."""

    def __init__(self, console: Console, labels: Mapping[str, str] | None = None) -> None:
        """`labels` names cells, by their ids, where kind and seed don't tell them apart."""
        self._console = console
        self._labels = labels or {}
        self._is_live = console.is_terminal
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._tasks: dict[str, TaskID] = {}
        self._total: TaskID | None = None
        self._n_left = 0
        self._guard = threading.Lock()

    def __enter__(self) -> Self:
        if self._is_live:
            self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_live:
            self._bars.stop()

    def start(self, specs: Sequence[CellSpec], is_done: Sequence[bool]) -> None:
        """See `Display`."""
        n_done = sum(is_done)
        self._n_left = len(specs) - n_done
        if n_done:
            self._console.print(f"{n_done} of {len(specs)} cells are done already", highlight=False)
        if self._n_left:
            self._total = self._bars.add_task("all cells", total=len(specs), completed=n_done, note="")

    def begin(self, spec: CellSpec) -> None:
        """See `Display`."""
        self._tasks[spec.cell_id] = self._bars.add_task(self._label(spec), total=None, note="starting")

    def progress(self, spec: CellSpec, state: Mapping[str, Any]) -> None:
        """See `Display`."""
        task = self._tasks.get(spec.cell_id)
        if task is None or not state:
            return
        if "step" in state:
            note = f"loss {state['loss']:.3f}"
            self._bars.update(task, completed=state["step"], total=state["n_steps"], note=note)
        else:
            self._bars.update(task, note=str(state.get("phase", "")))

    def end(self, spec: CellSpec, *, error: str, log: Path | None, seconds: float | None) -> None:
        """See `Display`."""
        task = self._tasks.pop(spec.cell_id, None)
        if task is not None:
            self._bars.remove_task(task)
        if self._total is not None:
            self._bars.advance(self._total)
        with self._guard:
            self._n_left -= 1
        if error:
            where = f" (log: {log})" if log is not None else ""
            self._console.print(
                f"FAILED {self._label(spec)}: {error}{where}",
                style="red",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )
        else:
            took = f"{seconds:.0f} s" if seconds is not None else ""
            self._console.print(f"done {self._label(spec)}  {took}  ({self._n_left} left)", highlight=False)

    def _label(self, spec: CellSpec) -> str:
        return self._labels.get(spec.cell_id, label(spec))

"""The command line as a user meets it, for tests: run it in a folder, on a setting that takes seconds."""

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
TINY = (
    "data.options.n_train=300",
    "data.options.n_validation=40",
    "data.options.n_test=60",
    "tokenizer.vocab_size=400",
    "model.d_model=16",
    "model.n_layers=1",
    "model.context=32",
    "score.stride=16",
    "train.steps=20",
    "train.warmup_steps=5",
    "train.batch_size=4",
)
"""Overrides that make every cell a matter of seconds."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


@functools.cache
def conf_without_locks() -> str:
    """A copy of conf/ in which nothing is locked; removed when the tests end."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = shutil.copytree(ROOT / "conf", Path(folder) / "conf", ignore=shutil.ignore_patterns("locks"))
    return str(copy)


def command(*arguments: str, cwd: Path, **environment: str) -> Ended:
    """Run `python -m rig ...` as a user would."""
    result = subprocess.run(
        [sys.executable, "-m", "rig", *arguments],
        cwd=cwd,
        env={**os.environ, "RIG_CONF": conf_without_locks(), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return Ended(code=result.returncode, out=result.stdout, err=result.stderr)


def tier1(*arguments: str, cwd: Path, **environment: str) -> Ended:
    """Run the main job on the tiny setting."""
    return command("tier1", *arguments, *TINY, cwd=cwd, **environment)


@dataclass(frozen=True)
class Run:
    """A finished main job."""

    folder: Path
    ended: Ended

    @property
    def report(self) -> Path:
        """The report's folder."""
        reports = self.folder / "runs" / "reports"
        return reports / (reports / "latest").read_text().strip()

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rig.core.errors import ModelError
from rig.models.external_process import run_program


def program(folder: Path, script: str, *, n_steps: int = 10) -> list[tuple[int, int, float]]:
    """Run a Python script; returns what it was told of progress."""
    told: list[tuple[int, int, float]] = []
    run_program(
        [sys.executable, "-c", script],
        log=folder / "command.log",
        curve=folder / "training.jsonl",
        n_steps=n_steps,
        progress=lambda *, step, n_steps, loss: told.append((step, n_steps, loss)),
    )
    return told


def test_output_goes_to_the_log_and_steps_to_the_progress(tmp_path: Path) -> None:
    curve = tmp_path / "training.jsonl"
    script = f"""
import sys, time
print("hello"); print("trouble", file=sys.stderr)
with open({str(curve)!r}, "w") as file:
    file.write('{{"step": 1, "loss": 3.5}}\\n'); file.flush(); time.sleep(0.6)
    file.write('no json\\n{{"step": 9, "loss": NaN}}\\n{{"step": 12, "loss": 2.0}}\\n{{"step": 13, "lo')
"""
    assert program(tmp_path, script) == [(1, 10, 3.5), (10, 10, 2.0)]
    assert sorted((tmp_path / "command.log").read_text().split()) == ["hello", "trouble"]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("import sys; print('no memory'); sys.exit(3)", "ended with status 3; its last line: no memory; its"),
        ("import os; os.kill(os.getpid(), 9)", r"was killed by signal 9; its last line: \(nothing\)"),
    ],
)
def test_a_failure_is_one_sentence_with_the_last_line(tmp_path: Path, script: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        program(tmp_path, script)


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the command 'no-such-program' can't be started: there is no such"):
        run_program(
            ["no-such-program"],
            log=tmp_path / "log",
            curve=tmp_path / "curve",
            n_steps=1,
            progress=lambda **_: None,
        )


PARENT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
from pathlib import Path
from rig.models.external_process import run_program
folder = Path(sys.argv[1])
child = (
    "import os, sys, time, subprocess; sleep = [sys.executable, '-c', 'import time; time.sleep(60)'];"
    "p = subprocess.Popen(sleep);"
    "open(sys.argv[1], 'w').write(f'{os.getpid()} {p.pid}'); time.sleep(60)"
)
run_program([sys.executable, "-c", child, str(folder / "pid")], log=folder / "log", curve=folder / "curve",
            n_steps=1, progress=lambda **_: None)
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return state != "Z"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
def test_however_we_end_the_program_and_its_children_end_with_us(tmp_path: Path, how: signal.Signals) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], stderr=subprocess.DEVNULL)
    written = tmp_path / "pid"
    for _ in range(300):
        if written.exists() and written.read_text():
            break
        time.sleep(0.1)
    started = [int(pid) for pid in written.read_text().split()]
    assert all(map(is_running, started))
    parent.send_signal(how)
    assert parent.wait(timeout=20) != 0
    for _ in range(100):
        if not any(map(is_running, started)):
            break
        time.sleep(0.1)
    assert not any(map(is_running, started))

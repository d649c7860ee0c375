"""Runs a program and ends everything that it started when the process that asked for it dies.

`python supervisor.py PARENT_PID PROGRAM [ARGUMENT ...]`, as the leader of a session of its own. It ends as
the program ended: with its status, or by its signal. Only the standard library: Python runs it as a file.
"""

import os
import signal
import subprocess
import sys
import time

_POLL_S = 0.2


def main() -> int:
    """Follow the program; returns its exit status."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    program = subprocess.Popen(command)
    while program.poll() is None:
        if os.getppid() != parent:
            os.killpg(0, signal.SIGKILL)
        time.sleep(_POLL_S)
    if program.returncode < 0:
        if program.returncode != -signal.SIGKILL:
            signal.signal(-program.returncode, signal.SIG_DFL)
        os.kill(os.getpid(), -program.returncode)
    return program.returncode


if __name__ == "__main__":
    sys.exit(main())

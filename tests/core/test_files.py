import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rig.core.files import atomic_path, publish_once, readable_json, write_json, write_text


def test_a_file_is_whole_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.txt"
    write_text(path, "ação\n")
    assert path.read_bytes() == "ação\n".encode()

    def write_half() -> None:
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        write_half()
    assert path.read_text(encoding="utf-8") == "ação\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["a.txt"]


def test_a_writer_killed_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"version": 1})
    script = (
        "import sys, time; from pathlib import Path; from rig.core.files import atomic_path\n"
        "with atomic_path(Path(sys.argv[1])) as temporary:\n"
        "    temporary.write_text('half'); print('writing', flush=True); time.sleep(60)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "writing\n"
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    assert json.loads(path.read_text()) == {"version": 1}


def test_the_first_publisher_wins_and_the_others_are_told(tmp_path: Path) -> None:
    path = tmp_path / "DONE.json"
    script = (
        "import sys; from pathlib import Path; from rig.core.files import publish_once\n"
        "sys.stdin.readline(); print(publish_once(Path(sys.argv[1]), sys.argv[2]))\n"
    )
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(path), f"writer {index}\n"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for index in range(4)
    ]
    time.sleep(0.5)
    outputs = [writer.communicate("go\n")[0].strip() for writer in writers]
    assert sorted(outputs) == ["False", "False", "False", "True"]
    assert path.read_text() == f"writer {outputs.index('True')}\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["DONE.json"]
    assert publish_once(path, "late") is False


def test_json_is_sorted_exact_and_ends_in_a_line_feed(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"b": 0.1 + 0.2, "a": "ção"})
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert (
        text
        == '{\n "a": "ção",\n "b": 0.30000000000000004\n}\n'
        == readable_json({"a": "ção", "b": 0.1 + 0.2})
    )

import shlex
from pathlib import Path

import pytest

from rig.models.command_files import files_on_line


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    scripts = {"prog": "#!/bin/sh\n", "binary": "\x7fELF"}
    others = (
        "train.py", "a folder/tr ain.py", "config.yaml", "dirapp/__main__.py",
        "pkg/__init__.py", "pkg/go.py", "pkg/sub/more.py", "pkg/data.bin",
    )  # fmt: skip
    for name, text in {**scripts, **dict.fromkeys(others, "")}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("python train.py --lr {lr} --out {out}", ["train.py"]),
        ("python 'a folder/tr ain.py' train.py train.py", ["a folder/tr ain.py", "train.py"]),
        ("python -m pkg.go --x", ["pkg/__init__.py", "pkg/go.py", "pkg/sub/more.py"]),
        ("python -m train", ["train.py"]),
        ("python -m json.tool", []),
        ("./prog --config=config.yaml", ["prog", "config.yaml"]),
        ("./binary --lr {lr}", []),
        ("python dirapp", ["dirapp/__main__.py"]),
        ("sh -c 'exec python train.py \"$@\"' x", ["train.py"]),
        ('sh -c "it is \' odd" none.py', []),
        ("trainer {out}/train.py --none=none.yaml", []),
    ],
)
def test_the_files_that_a_line_names(folder: Path, line: str, names: list[str]) -> None:
    assert [path.as_posix() for path in files_on_line(shlex.split(line))] == names

"""A small project to run real commands in: conf/, twenty short documents, a model that trains in a blink."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import pytest

from rig.cli.main import rig
from rig.cli.run import run
from rig.core.fingerprint import fingerprint
from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.data.annotations import DocumentRecord, Metadata, write_annotations

ROOT = Path(__file__).parents[1]
FORMS = ("o", "gato", "vê", "casas", "bonitas")


def sentence(index: int) -> Sentence:
    """Two to five words, drawn from five by a rule."""
    forms = [FORMS[(index * 3 + place) % 5] for place in range(2 + index % 4)]
    return Sentence(
        sent_id=f"s{index}",
        text=" ".join(forms),
        words=tuple(
            Word(form=form, upos="NOUN" if place else "VERB", head=1 if place else 0,
                 deprel="obj" if place else "root", lemma=form)
            for place, form in enumerate(forms)
        ),
        units=tuple(
            SurfaceUnit(form=form, first_word=place, last_word=place, space_after=place < len(forms))
            for place, form in enumerate(forms, start=1)
        ),
    )  # fmt: skip


def write_data(folder: Path, *, extra: int = 0) -> None:
    """The annotations; `extra` more training documents make other data."""
    documents = [
        DocumentRecord(
            doc_id=f"{split}{number}", split=split, source="made", licence="CC0-1.0",
            sentences=tuple(sentence(100 * start + 4 * number + place) for place in range(4)),
        )
        for start, (split, n) in enumerate({"train": 12 + extra, "validation": 4, "test": 4}.items())
        for number in range(n)
    ]  # fmt: skip
    metadata = Metadata(
        name="tiny", language="pt", annotator="manual", annotator_version="1", model_sha256="",
        ud_version="2.0", source="made", licence="CC0-1.0",
    )  # fmt: skip
    write_annotations(folder, documents, metadata, overwrite=extra > 0)


@final
@dataclass(frozen=True)
class Project:
    """A folder with conf/ and data/, and the settings that every command in it gets."""

    root: Path
    capsys: "pytest.CaptureFixture[str] | None" = None

    @property
    def settings(self) -> list[str]:
        """What makes the model tiny and the data these."""
        return [
            "data=parquet", "data.name=tiny", f"data.path={self.root / 'data'}", "data.prompts=null",
            "model.d_model=8", "model.n_layers=1", "model.n_heads=2", "model.context=16",
            "tokenizer.type=word", "tokenizer.vocab_size=16", "score.stride=8", "train.warmup_steps=2",
        ]  # fmt: skip

    @property
    def sweep_settings(self) -> list[str]:
        """The same for a sweep."""
        return [*self.settings, "sweep.steps=20"]

    def rig(self, *arguments: str) -> tuple[int, str]:
        """Run `rig ...` here in this process; the exit code, and all that it said on one line."""
        if self.capsys is None:
            return run(rig, list(arguments)), ""
        self.capsys.readouterr()
        status = run(rig, list(arguments))
        said = self.capsys.readouterr()
        return status, " ".join((said.out + said.err).split())

    def sweep(self, *arguments: str, name: str = "lr", kinds: str = "baseline") -> tuple[int, str]:
        """`rig sweep`; for `lr` over four values unless told otherwise."""
        grid = {"sweep.low": "0.001", "sweep.high": "1.0", "sweep.points": "4"} if name == "lr" else {}
        for argument in arguments:
            grid.pop(argument.partition("=")[0], None)
        given = [f"{key}={value}" for key, value in grid.items()]
        return self.rig(
            "sweep", name, "--kinds", kinds, "--engine", "inline", *given, *arguments, *self.sweep_settings
        )

    def tier1(self, *arguments: str, kinds: str = "baseline") -> tuple[int, str]:
        """The main job up to its plan: every check, locks included."""
        return self.rig(
            "tier1", "--kinds", kinds, "--seeds", "41,42", "--dry-run", *self.settings, "tasks=[]",
            *self.steps(arguments),
        )  # fmt: skip

    def steps(self, arguments: tuple[str, ...]) -> list[str]:
        """The arguments with the sweep's number of steps, unless they give another."""
        is_given = any(argument.startswith("train.steps=") for argument in arguments)
        return [*arguments] if is_given else ["train.steps=20", *arguments]

    def process(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start `rig ...` here in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "rig", *arguments], cwd=self.root, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip

    def change_data(self) -> None:
        """Add a training document."""
        write_data(self.root / "data", extra=1)

    def lock(self, name: str = "lr", kind: str = "baseline") -> Path:
        """Where a lock lies."""
        return self.root / "conf" / "locks" / name / "tiny" / f"{kind}.json"

    def edit_lock(self, edit: Callable[[dict[str, Any]], None], *, reseal: bool = False) -> None:
        """Change the lock by hand; `reseal` gives it a fitting hash, as a forger would."""
        content = json.loads(self.lock().read_text(encoding="utf-8"))
        edit(content)
        if reseal:
            sealed = {key: value for key, value in content.items() if key not in ("created", "self_sha256")}
            content["self_sha256"] = fingerprint(sealed)
        self.lock().write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")

    def records(self) -> list[Path]:
        """The records of all sweeps."""
        return sorted((self.root / "runs" / "sweeps").glob("*/sweep.json"))


def new_project(root: Path) -> Path:
    """conf/ without locks, and the annotations."""
    shutil.copytree(ROOT / "conf", root / "conf", ignore=shutil.ignore_patterns("locks"))
    write_data(root / "data")
    return root


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    """An empty project, the current folder."""
    root = new_project(tmp_path / "project")
    monkeypatch.chdir(root)
    monkeypatch.delenv("RIG_CONF", raising=False)
    return Project(root, capsys)


@pytest.fixture(scope="session")
def swept_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which the learning rate of the baseline was swept and locked; not to be changed."""
    root = new_project(tmp_path_factory.mktemp("swept") / "project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        patch.delenv("RIG_CONF", raising=False)
        status, _ = Project(root).sweep()
    assert status == 0
    return root


@pytest.fixture
def swept(
    swept_template: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Project:
    """A copy of it, the current folder."""
    root = tmp_path / "project"
    shutil.copytree(swept_template, root)
    monkeypatch.chdir(root)
    monkeypatch.delenv("RIG_CONF", raising=False)
    return Project(root, capsys)

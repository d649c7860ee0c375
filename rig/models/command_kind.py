"""The family `command`: a user's own training program, run once a cell, whose output is then loaded or read.

    family: command
    options:
      command: "{python} train.py --lr {lr} --seed {seed} --steps {steps} --data {data} --out {out}"
      loads: hf            # a Hugging Face checkpoint in {out}, or `scores`: {out}/scores.parquet

So a model of any making is swept, locked, resumed and compared by the machinery of the built-in kinds.

`{python}` is the interpreter that runs rig. `{data}` is a folder with train.jsonl and validation.jsonl, one
document a line, `{"doc_id": .., "text": ..}`; for `loads: scores` also held_out.jsonl, the texts to be
scored. `{out}` is an empty folder. There the program may also leave training.jsonl (lines
`{"step": 10, "loss": 3.2, "lr": 0.01}`, shown as progress and as a curve), facts.json
(`{"train_tokens": 123456, ..}`, shown in the report) and DIVERGED (a text: why it left the finite numbers,
which a sweep counts as a finding and not as a fault).
"""

import contextlib
import json
import math
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, final

from rig.core.documents import Document, json_lines
from rig.core.errors import ConfigError, ModelError, did_you_mean
from rig.core.files import write_text
from rig.core.fingerprint import file_sha256, fingerprint
from rig.models.base import AbstractKind, AbstractLanguageModel, DivergedError, Fit, Progress, TrainingText
from rig.models.command_files import files_on_line
from rig.models.external_process import run_program
from rig.models.hf.load import load_model, require_extra
from rig.models.hf.options import HfOptions
from rig.models.kind_options import checked_options
from rig.models.scores_file import NonFiniteScoresError, read_scores
from rig.models.scores_kind import PrecomputedModel, checked_base, scores_facts

_PLACEHOLDERS = ("lr", "seed", "steps", "data", "out", "python")
_LOADS = ("hf", "scores")
_OPTIONS = ("command", "loads", "files", "base", "hf")
_SCORES, _CURVE, _FACTS, _DIVERGED = "scores.parquet", "training.jsonl", "facts.json", "DIVERGED"


@final
class CommandKind(AbstractKind):
    """Runs a program and loads what it leaves.

    Options: `command`; `loads` (`hf` or `scores`); `files`, more files whose content decides the result,
    beside those on the command line; `hf`, how a checkpoint is loaded (see family `hf`); `base`, as in
    family `scores`.
    """

    reads_held_out: ClassVar[bool] = True

    def __init__(self, config: Mapping[str, Any]) -> None:
        kind = config["kind"]
        options = checked_options(kind, _OPTIONS)
        self._name = kind["name"]
        self._loads = options.get("loads")
        if self._loads not in _LOADS:
            raise ConfigError(
                f"option `loads` of kind '{self._name}' must be one of {', '.join(_LOADS)}, "
                f"got {self._loads!r}"
            )
        if self._loads == "hf":
            require_extra(f"kind '{self._name}'")
        self._arguments = _checked_command(options.get("command"), kind)
        self._files = _checked_files(options.get("files"), self._name)
        self._base = checked_base(options.get("base"), self._name)
        self._objective = kind["objective"]
        if self._loads == "scores" and self._objective != "causal":
            raise ConfigError(f"kind '{self._name}': precomputed scores are causal, got `objective: masked`")
        self._hf = HfOptions.from_mapping(options.get("hf") or {}, where=f"`hf` of kind '{self._name}'")
        self._lr, self._steps = config["train"]["lr"], config["train"]["steps"]

    def inputs(self, seed: int) -> Mapping[str, Path]:
        """The files on the command line and those of the option `files`: an edited script is another key.

        Raises:
            ConfigError: One of `files` does not exist.
        """
        for name in self._files or ():
            if not Path(name).is_file():
                raise ConfigError(
                    f"option `files` of kind '{self._name}' names {name}, but there is no such file"
                )
        found = [*files_on_line(self._arguments), *map(Path, self._files or ())]
        if not found and self._files is None:
            raise ConfigError(
                f"no file on the command line of kind '{self._name}' was found, so an edit of the program "
                "could not be noticed and old numbers would be served; name its files in the option `files`, "
                "or write `files: []`"
            )
        return {f"command.{path}": path for path in dict.fromkeys(found)}

    def fit(self, text: TrainingText, *, seed: int, out: Path, progress: Progress) -> Fit:
        """Run the command, then load what it left under `out`/model.

        Raises:
            DivergedError: The program left DIVERGED, or weights or scores that are not finite.
            ModelError: It failed, or left nothing that can be loaded.
        """
        folder = (out / "model").resolve()
        folder.mkdir()
        data = (out / "data").resolve()
        data.mkdir()
        try:
            write_text(data / "train.jsonl", json_lines(text.train))
            write_text(data / "validation.jsonl", json_lines(text.validation))
            if self._loads == "scores":
                write_text(data / "held_out.jsonl", json_lines(text.held_out))
            values = {
                "lr": repr(self._lr), "seed": str(seed), "steps": str(self._steps), "data": str(data),
                "out": str(folder), "python": sys.executable,
            }  # fmt: skip
            run_program(
                [_filled(part, values) for part in self._arguments],
                log=out / "command.log",
                curve=folder / _CURVE,
                n_steps=self._steps,
                progress=progress,
            )
        finally:
            shutil.rmtree(data)
        if (folder / _DIVERGED).is_file():
            why = (folder / _DIVERGED).read_text(encoding="utf-8", errors="replace").strip()
            raise DivergedError(why or "the command said so, without a reason")
        if curve := _own_curve(folder / _CURVE, lr=self._lr):
            write_text(out / _CURVE, curve)
        own = _own_facts(folder / _FACTS)
        train_tokens = own.pop("train_tokens", 0)
        model, facts = self._load(folder, text.held_out)
        return Fit(model=model, train_tokens=train_tokens, facts={**own, **facts, **_outputs(folder)})

    def _load(
        self, folder: Path, held_out: Sequence[Document]
    ) -> tuple[AbstractLanguageModel, dict[str, Any]]:
        if self._loads == "hf":
            model = load_model(folder, objective=self._objective, options=self._hf)
            return model, dict(model.facts)
        path = folder / _SCORES
        if not path.is_file():
            raise ModelError(f"the command of kind '{self._name}' left no {_SCORES} in its {{out}}, {folder}")
        try:
            held = read_scores(path, held_out, base=self._base)
        except NonFiniteScoresError as error:
            raise DivergedError(f"the command left scores that are not finite: {error}") from error
        # Its author can't be kept from looking, so the report says that it could.
        return PrecomputedModel(held), {**scores_facts(held), "command_saw_held_out_texts": True}


def _checked_command(command: object, kind: Mapping[str, Any]) -> list[str]:
    """The command line as arguments; no shell reads it.

    Placeholders that a claim of the report rests on must be there: a learning rate that does not reach the
    program would be swept and locked for nothing.
    """
    name = kind["name"]
    if not isinstance(command, str) or not command.strip():
        raise ConfigError(f"option `command` of kind '{name}' must be a command line, got {command!r}")
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise ConfigError(
            f"option `command` of kind '{name}' can't be split into arguments: {error}"
        ) from None
    required = {
        "data": True,
        "out": True,
        "seed": kind["seeded"],
        "lr": kind["has_lr"],
        "steps": kind["has_lr"],
    }
    for placeholder, is_required in required.items():
        if is_required and f"{{{placeholder}}}" not in command:
            why = {"seed": " (the kind is seeded)", "lr": " (`has_lr`)", "steps": " (`has_lr`)"}
            raise ConfigError(
                f"option `command` of kind '{name}' must hold {{{placeholder}}}{why.get(placeholder, '')}, "
                f"got '{command}'"
            )
    for part in arguments:
        _filled(part, dict.fromkeys(_PLACEHOLDERS, ""))
    return arguments


def _filled(part: str, values: Mapping[str, str]) -> str:
    """One argument with its placeholders replaced; doubled braces are braces, as in str.format."""
    try:
        return part.format(**values)
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        unknown = str(error).strip("'\"")
        raise ConfigError(
            f"`{{{unknown}}}` in a command is no placeholder (write {{{{ and }}}} for braces). "
            f"{did_you_mean(unknown, _PLACEHOLDERS)}"
        ) from None


def _checked_files(files: object, name: str) -> list[str] | None:
    if files is None:
        return None
    if not isinstance(files, list) or not all(isinstance(path, str) for path in files):
        raise ConfigError(f"option `files` of kind '{name}' must be a list of paths, got {files!r}")
    return files


def _own_curve(path: Path, *, lr: float) -> str:
    """The training curve as the program wrote it: its whole records, in the form of a cell's training.jsonl.

    A program may be cut off in a line, or log other things there; that is no reason to lose its results.
    """
    lines = []
    if path.is_file():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            with contextlib.suppress(ValueError, KeyError, TypeError, OverflowError):
                point = json.loads(line)
                step, loss, rate = int(point["step"]), float(point["loss"]), float(point.get("lr", lr))
                if math.isfinite(loss) and math.isfinite(rate) and 0 <= step < 2**53:
                    lines.append(json.dumps({"loss": loss, "lr": rate, "step": step}))
    return "".join(f"{line}\n" for line in lines)


def _own_facts(path: Path) -> dict[str, Any]:
    """facts.json as the program wrote it: names to numbers or texts.

    Raises:
        ModelError: It is something else, or holds a number that no table can.
    """
    if not path.is_file():
        return {}
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} must hold a JSON object of numbers and texts: {error}") from error
    if not isinstance(facts, dict):
        raise ModelError(f"{path} must hold a JSON object of numbers and texts, got {type(facts).__name__}")
    plain = {str(key): value for key, value in facts.items() if isinstance(value, str | int | float)}
    for key, value in plain.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ModelError(f"{path} holds a number that is not finite, `{key}`")
        if isinstance(value, int) and abs(value) >= 2**63:
            raise ModelError(f"{path}: `{key}` must be below 2^63, got {value}")
    tokens = plain.get("train_tokens", 0)
    if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 0:
        raise ModelError(f"{path}: `train_tokens` must be a whole number of at least 0, got {tokens!r}")
    return plain


def _outputs(folder: Path) -> dict[str, str]:
    """One hash of everything that the program left: the same scores from other weights would be seen."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {"output_sha256": fingerprint({name: file_sha256(folder / name) for name in names})}

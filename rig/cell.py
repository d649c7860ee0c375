"""One cell, whoever runs it: `python -m rig.cell DIR` trains or loads, scores, asks the tasks, publishes.

The same function serves the local runner's subprocesses, a scheduler's jobs and an inline call. It reads
cell.json and nothing of conf/; it never imports Hydra. What it leaves is described in `rig.store.cells`.

Exit status 0: a result is published (also where training diverged: that is a finding). 1: the attempt's
error.json says what went wrong. 2: the data or a setting is wrong.
"""

import itertools
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rig.audit.checks import audit
from rig.core.errors import DataError, RigError
from rig.core.files import write_json
from rig.core.fingerprint import file_sha256
from rig.core.items import Item
from rig.core.plugins import load_plugins
from rig.data.annotations import Annotations
from rig.models.base import AbstractLanguageModel, DivergedError, Fit, TrainingText
from rig.models.catalog import build_kind, family_target
from rig.models.tokenizer import tokenizer_target
from rig.parsers.catalog import parser_target
from rig.scoring import score_split
from rig.store.cells import CellSpec, DoneCell, new_attempt, publish, read_done, read_spec
from rig.store.code import code_fingerprint, forget_sources
from rig.store.progress_file import ProgressFile
from rig.store.provenance import environment
from rig.store.tables import write_items
from rig.tasks.base import AbstractTask, TaskData, TaskResult
from rig.tasks.catalog import build_task, task_target

RESULT_SCHEMA = "rig.result/1"
_AUDITED_DOCUMENTS = 8


def training_roots(config: Mapping[str, Any]) -> list[str]:
    """The modules that a kind's training and scoring start from: its family's, its tokenizer's, the scorer.

    What a config names is loaded by name and imported by nobody, so it has to be listed here.
    """
    targets = [family_target(config["kind"]["family"]), tokenizer_target(config["tokenizer"]["type"])]
    return [score_split.__module__, *(_module(target) for target in targets)]


def code_roots(config: Mapping[str, Any]) -> list[str]:
    """The modules that a cell of this config starts from: those of training, this one, its tasks'."""
    targets = [task_target(name) for name in config["tasks"]]
    targets += [parser_target(options["name"]) for options in task_parsers(config).values()]
    return ["rig.cell", *training_roots(config), *(_module(target) for target in targets)]


def _module(target: str) -> str:
    return target.partition(":")[0]


def task_parsers(config: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The parser that each task of a config names in its option `parser`, by task."""
    options = {name: config["task"].get(name, {}) for name in config["tasks"]}
    return {name: held["parser"] for name, held in options.items() if "parser" in held}


def run(directory: Path, *, on_attempt: Callable[[Path], None] = lambda attempt: None) -> DoneCell:
    """Run one cell to its published result; a finished cell is returned as it stands.

    Args:
        directory: The cell's directory, holding cell.json.
        on_attempt: Told the attempt's directory as soon as it exists.

    Raises:
        RigError: The cell can't be computed; its attempt holds error.json.
    """
    if (done := read_done(directory)) is not None:
        return done
    spec = read_spec(directory)
    attempt = new_attempt(directory)
    on_attempt(attempt)
    try:
        files = _compute(spec, attempt)
    except RigError as error:
        write_json(
            attempt / "error.json",
            {"type": type(error).__name__, "message": str(error), "exit_code": error.exit_code},
        )
        raise
    publish(directory, attempt, files)
    done = read_done(directory)
    if done is None:
        raise RigError(f"{directory}: the result just published can't be read back; is the disk failing?")
    return done


def _compute(spec: CellSpec, attempt: Path) -> tuple[str, ...]:
    config = spec.identity["config"]
    load_plugins(Path(path) for path in spec.where["plugins"])
    _check_inputs(spec, "before the cell started")
    write_json(attempt / "env.json", environment())
    annotations = Annotations.open(Path(spec.where["annotations"]))
    data = TaskData(
        annotations=Path(spec.where["annotations"]),
        files={role: Path(path) for role, path in spec.where["files"].items()},
        shared=attempt.parents[4] / "shared",  # <runs>/cells/<kind>/<key16>-s<seed>/attempts/<uuid>
    )
    # Built first, so that a wrong option or file is refused before any training.
    kind = build_kind(config)
    tasks = [build_task(name, config["task"].get(name, {}), data) for name in config["tasks"]]
    report = ProgressFile(attempt)

    text = TrainingText(
        train=tuple(annotations.documents("train")),
        validation=tuple(annotations.documents("validation")),
        held_out=tuple(annotations.documents(config["score"]["split"])) if kind.reads_held_out else (),
    )
    clock = _Clock()
    try:
        fit = kind.fit(text, seed=spec.seed or 0, out=attempt, progress=report.training)
    except DivergedError as error:
        _finish(spec, attempt, {"status": "diverged", "reason": str(error)}, {"train_s": clock.lap()})
        return "result.json", "timing.json", "env.json"
    timing: dict[str, Any] = {"train_s": clock.lap()}

    report.phase("audit")
    findings = _audit(fit.model, text, annotations, config["score"]["split"])
    timing["audit_s"] = clock.lap()
    report.phase("scoring")
    scored = score_split(fit.model, annotations, config["score"], attempt)
    result = {**scored.counts, **_description(fit), "split": config["score"]["split"], "audit": findings}
    timing["score_s"] = clock.lap()
    result["tasks"] = _ask(tasks, fit.model, spec, attempt, report)
    timing["tasks_s"] = clock.lap()
    _check_inputs(spec, "while the cell ran")
    _finish(spec, attempt, {"status": "ok", **result}, timing)
    made = ("result.json", "timing.json", "env.json", "items.parquet", *scored.files)
    optional = ("model.npz", "training.jsonl")
    return made + tuple(name for name in optional if (attempt / name).exists())


def _audit(
    model: AbstractLanguageModel, text: TrainingText, annotations: Annotations, split: str
) -> list[dict[str, Any]]:
    """The quick checks of the adapter, on text that the model should know; a fault is a finding, no error."""
    known = text.train or text.validation
    if not model.scores_any_text:
        known = tuple(itertools.islice(annotations.documents(split), _AUDITED_DOCUMENTS))
    return [finding.as_json() for finding in audit(model, known[:_AUDITED_DOCUMENTS], thorough=False)]


def _description(fit: Fit) -> dict[str, Any]:
    """What a model says of itself."""
    model = fit.model
    return {
        "objective": model.objective,
        "is_code_length": model.is_code_length,
        "unk_id": model.unk_id,
        "n_params": model.n_params,
        "train_tokens": fit.train_tokens,
        "facts": dict(fit.facts),
    }


def _check_inputs(spec: CellSpec, when: str) -> None:
    """Code and data are those that the plan hashed; a result under a wrong key would be served for years."""
    if _code_changed(spec):
        raise RigError(f"the code changed {when}; run the command again to plan with the code as it is now")
    for name, sha256 in spec.where["sha256"].items():
        path = Path(name)
        if not path.is_file():
            raise DataError(f"{path} disappeared {when}")
        if file_sha256(path) != sha256:
            raise DataError(
                f"{path} changed {when}; run the command again to plan with the file as it is now"
            )


def _code_changed(spec: CellSpec) -> bool:
    """Compare bytes first; only where they differ ask whether more than a docstring changed."""
    if all(
        Path(name).is_file() and file_sha256(Path(name)) == sha for name, sha in spec.where["code"].items()
    ):
        return False
    forget_sources()
    derived = code_fingerprint(code_roots(spec.identity["config"]))
    return derived != str(spec.identity["code"]["sha256"])


def _ask(
    tasks: list[AbstractTask],
    model: AbstractLanguageModel,
    spec: CellSpec,
    attempt: Path,
    report: ProgressFile,
) -> dict[str, Any]:
    """Run the tasks; write all items, return what each says of itself."""
    answers: dict[str, Any] = {}
    items: list[tuple[str, Item]] = []
    for task in tasks:
        report.phase(task.name)
        result = task.run(model, seed=spec.seed or 0)
        items.extend((task.name, item) for item in result.items)
        answers[task.name] = _task_summary(task, result)
    write_items(attempt / "items.parquet", items)
    return answers


def _task_summary(task: AbstractTask, result: TaskResult) -> dict[str, Any]:
    columns = []
    for column in task.columns():
        value = None if column.name in result.reasons else column.statistic(result.items)
        columns.append(
            {
                "name": column.name,
                "value": value,
                "unit": column.unit,
                "direction": column.direction,
                "definition": column.definition,
                "reason": result.reasons.get(column.name, ""),
            }
        )
    return {"columns": columns, "facts": dict(result.facts), "samples": list(result.samples)}


def _finish(spec: CellSpec, attempt: Path, result: dict[str, Any], timing: dict[str, Any]) -> None:
    timing["peak_memory_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    head = {"schema": RESULT_SCHEMA, "key": spec.key, "kind": spec.kind, "seed": spec.seed}
    write_json(attempt / "result.json", {**head, **result})
    write_json(attempt / "timing.json", timing)


class _Clock:
    def __init__(self) -> None:
        self._last = time.perf_counter()

    def lap(self) -> float:
        """Seconds since the last lap."""
        now = time.perf_counter()
        elapsed, self._last = now - self._last, now
        return round(elapsed, 3)


def main() -> int:
    """The process of one cell: names its attempt on standard output, then logs into the attempt's log.txt."""
    if len(sys.argv) != 2:
        sys.stderr.write("usage: python -m rig.cell DIR\n")
        return 2

    def announce(attempt: Path) -> None:
        sys.stdout.write(f"{attempt}\n")
        sys.stdout.flush()
        log = os.open(attempt / "log.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)

    try:
        run(Path(sys.argv[1]), on_attempt=announce)
    except RigError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())

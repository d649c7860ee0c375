"""Everything in a report derived again: hashes, the locks' choices, sums from token scores, every table cell.

What can't be derived because it is not on this machine (annotations, a sweep's cells) is said, and is no
mismatch. The first item that differs ends the verification.
"""

import itertools
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from rig import __version__
from rig.audit.finding import failed_checks
from rig.core.documents import AnnotatedDocument
from rig.core.errors import DataError, LockTamperedError, RigError, StoreError, VerificationError
from rig.core.fingerprint import fingerprint
from rig.core.masked_tokens import no_masked_tokens
from rig.core.plugins import load_plugins
from rig.core.sums import DocumentSums
from rig.core.token_scores import TokenScores
from rig.data.annotations import Annotations
from rig.experiment.lock_file import check_against_record, read_lock
from rig.experiment.sweep_record import check_sweep_cells, check_sweep_record
from rig.metrics.likelihood import document_sums
from rig.metrics.masked import masked_sums, pseudo_sums, selected_tokens
from rig.report.build import Report, build_report
from rig.report.locate import Located, kept_lineage
from rig.report.record import read_record
from rig.report.tables import AGGREGATE_COLUMNS, COMPARISON_COLUMNS, csv_text, first_difference, parquet_rows
from rig.report.write import write_folder
from rig.store.cells import CellSpec, DoneCell, check_done, read_spec
from rig.store.tables import read_items, read_masked_tokens, read_sums, read_token_scores
from rig.tasks.base import TaskData
from rig.tasks.catalog import build_task

_PICTURE = re.compile(r"<svg\b.*?</svg>", re.DOTALL)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """One thing that was derived again, or could not be."""

    what: str
    note: str = ""
    """Why it could not be derived; empty if it was, and agreed."""


def verify(folder: Path, runs: Path) -> Iterator[Verified]:
    """Derive a report again, step by step.

    Args:
        folder: The report's folder.
        runs: The runs directory that holds its cells.

    Yields:
        What agreed, or is not present here.

    Raises:
        VerificationError: The first item that differs, with what was stored and what was derived.
    """
    try:
        record = read_record(folder)
        yield from _declaration(record)
        for kind in record["kinds"]:
            for entry in kind["cells"]:
                yield from _cell(kind, entry, runs)
            yield from _lock(kind, folder, runs)
        report = build_report(record, runs)
        yield from _tables(report, folder)
        yield from _pages(report, folder, runs)
    except (StoreError, LockTamperedError) as error:
        raise VerificationError(str(error)) from error


def _declaration(record: Mapping[str, Any]) -> Iterator[Verified]:
    _same("report.json: stats_sha256", record["stats_sha256"], fingerprint(record["stats"]))
    yield Verified(what="the declared statistics hash to what the report says")


def _cell(kind: Mapping[str, Any], entry: Mapping[str, Any], runs: Path) -> Iterator[Verified]:
    cell = entry["cell"]
    if entry["status"] == "failed":
        yield Verified(what=f"cell {cell}", note="failed; it has no result")
        return
    directory = runs / "cells" / cell
    done = check_done(directory)
    spec = read_spec(directory)
    _same(f"cell {cell}: key", entry["key"], spec.key)
    _same(f"cell {cell}: result", entry["result_sha256"], fingerprint(done.result))
    _same(f"cell {cell}: checks that failed", entry.get("failed_checks", []), failed_checks(done.result))
    _same_config(kind, spec)
    yield Verified(what=f"cell {cell}: config, key and the hash of every file")
    if entry["status"] == "ok":
        yield _sums(spec, done)
        yield _task_columns(spec, done)


def _same_config(kind: Mapping[str, Any], spec: CellSpec) -> None:
    """The config that the report shows is the one that the cell ran under."""
    for group, held in spec.identity["config"].items():
        shown = kind["config"][group]
        if group == "kind":
            shown = {name: value for name, value in shown.items() if name != "description"}
        _same(f"cell {spec.cell_id}: config `{group}`", shown, held)


def _sums(spec: CellSpec, done: DoneCell) -> Verified:
    """Every sum of a cell, from what it stored of tokens and the annotations."""
    what = f"cell {spec.cell_id}: each sum from the token scores"
    try:
        annotations = Annotations.open(Path(spec.where["annotations"]))
    except DataError:
        return Verified(what=what, note="the annotations are not on this machine")
    if dict(annotations.content_sha256()) != dict(spec.identity["data"]["content"]):
        return Verified(what=what, note="the annotations on this machine are another version")
    score = spec.identity["config"]["score"]
    annotated = list(annotations.annotated(score["split"], strata=tuple(score["strata"])))
    derive = _masked_sums if done.result["objective"] == "masked" else _causal_sums
    stored = read_sums(done.attempt / "sums.parquet")
    column = {name: index for index, name in enumerate(stored.names)}
    n_documents = 0
    for row, (doc_id, derived) in enumerate(derive(spec, done, annotated)):
        _same(f"{what}: document", stored.doc_ids[row], doc_id)
        for name, (total, weight) in derived.items():
            where = f"cell {spec.cell_id}: sums.parquet, document '{doc_id}', metric '{name}'"
            _same(where, (stored.total[row, column[name]], stored.weight[row, column[name]]), (total, weight))
        n_documents += 1
    _same(f"{what}: documents", len(stored.doc_ids), n_documents)
    return Verified(what=what)


_DerivedSums = Iterator[tuple[str, DocumentSums]]


def _causal_sums(spec: CellSpec, done: DoneCell, annotated: Sequence[AnnotatedDocument]) -> _DerivedSums:
    del spec
    for scores, item in _scored(done, "token_scores.parquet", annotated):
        yield (
            scores.doc_id,
            document_sums(
                scores, item, unk_id=done.result["unk_id"], is_code_length=done.result["is_code_length"]
            ),
        )


def _masked_sums(spec: CellSpec, done: DoneCell, annotated: Sequence[AnnotatedDocument]) -> _DerivedSums:
    """The hidden tokens must be those that the data select, and their originals those of the text."""
    hidden = read_masked_tokens(done.attempt / "masked_tokens.parquet")
    if not spec.identity["config"]["score"]["pseudo_likelihood"]:
        for item in annotated:
            doc_id = item.document.doc_id
            yield doc_id, masked_sums(hidden.get(doc_id, no_masked_tokens(doc_id)))
        return
    plain_and_l2r = zip(
        _scored(done, "token_scores.parquet", annotated),
        _scored(done, "token_scores_l2r.parquet", annotated),
        strict=True,
    )
    for (plain, item), (l2r, _) in plain_and_l2r:
        doc_id = plain.doc_id
        tokens = hidden.get(doc_id, no_masked_tokens(doc_id))
        selected = selected_tokens(doc_id, plain.char_start, plain.char_end, plain.n_chars)
        where = f"cell {spec.cell_id}: masked_tokens.parquet, document '{doc_id}'"
        _same(f"{where}, positions", tokens.position.tolist(), selected.tolist())
        _same(f"{where}, originals", tokens.token_id.tolist(), plain.token_id[selected].tolist())
        sums = pseudo_sums(plain, l2r, item, unk_id=done.result["unk_id"])
        yield doc_id, {**masked_sums(tokens), **sums}


def _scored(
    done: DoneCell, file: str, annotated: Sequence[AnnotatedDocument]
) -> Iterator[tuple[TokenScores, AnnotatedDocument]]:
    n_chars = {item.document.doc_id: item.document.n_chars for item in annotated}
    return zip(read_token_scores(done.attempt / file, n_chars), annotated, strict=True)


def _task_columns(spec: CellSpec, done: DoneCell) -> Verified:
    """Every task column of a cell, from its items."""
    what = f"cell {spec.cell_id}: each task column from its items"
    config = spec.identity["config"]
    items = read_items(done.attempt / "items.parquet")
    load_plugins(Path(path) for path in spec.where.get("plugins", ()) if Path(path).is_file())
    files = {role: Path(path) for role, path in spec.where["files"].items()}
    data = TaskData(annotations=Path(spec.where["annotations"]), files=files)
    for name in config["tasks"]:
        try:
            task = build_task(name, config["task"].get(name, {}), data)
        except RigError as error:
            return Verified(what=what, note=f"task '{name}' can't be built here: {error}")
        statistics = {column.name: column.statistic for column in task.columns()}
        for column in done.result["tasks"][name]["columns"]:
            if not column["reason"]:
                derived = statistics[column["name"]](items.get(name, []))
                _same(f"cell {spec.cell_id}: {column['name']}", column["value"], derived)
    return Verified(what=what)


def _lock(kind: Mapping[str, Any], folder: Path, runs: Path) -> Iterator[Verified]:
    lock = kind["lock"]
    if not lock["lock_id"]:
        return
    path = folder / "locks" / f"{kind['name']}.json"
    held = read_lock(path)
    _same(f"{path}: lock id", lock["lock_id"], held.lock_id)
    if lock["label"] in {"OK", "STALE (code only)"}:
        _same(f"{path}: chosen value", lock["value"], held.choice.value)
    yield Verified(what=f"lock of {kind['name']}: hash, and the choice from its curve")
    sweep = folder / "sweeps" / held.sweep_id / "sweep.json"
    if not sweep.exists():
        yield Verified(what=f"sweep {held.sweep_id}", note="its record is not on this machine")
        return
    record = check_sweep_record(sweep)
    check_against_record(path, held, record)
    yield Verified(what=f"sweep {held.sweep_id}: hash, id, grid, choice and robustness")
    n_derived, n_points = check_sweep_cells(record, runs), len(record.curve)
    note = "" if n_derived == n_points else f"{n_points - n_derived} of {n_points} cells are not present here"
    yield Verified(what=f"sweep {held.sweep_id}: each loss from its cell", note=note)


def _tables(report: Report, folder: Path) -> Iterator[Verified]:
    for name, rows, columns in (
        ("per_seed", report.per_seed, report.per_seed_columns),
        ("aggregate", report.aggregate, AGGREGATE_COLUMNS),
        ("comparisons", report.comparison_rows, COMPARISON_COLUMNS),
    ):
        path = folder / f"{name}.csv"
        difference = first_difference(_read(path), csv_text(rows, columns))
        if difference:
            raise VerificationError(f"{path}: {difference}")
        for index, (held, row) in enumerate(
            zip(parquet_rows(folder / f"{name}.parquet"), rows, strict=True), start=1
        ):
            for column in columns:
                _same(
                    f"{folder / name}.parquet, row {index}, column '{column}'", held[column], row.get(column)
                )
        yield Verified(what=f"each cell of {name}.csv and {name}.parquet")


def _pages(report: Report, folder: Path, runs: Path) -> Iterator[Verified]:
    """Render the pages again and compare their text; a picture depends on the drawing library too."""
    made_by = report.record["environment"]["rig"]
    if made_by != __version__:
        yield Verified(what="the pages", note=f"rendered by rig {made_by}, this is {__version__}")
        return
    with tempfile.TemporaryDirectory() as scratch:
        again = Path(scratch) / folder.resolve().name
        write_folder(report, again, kept_lineage(Located(folder=folder, runs=runs)))
        for name in ("report.md", "report.html", "tables.tex"):
            stored, derived = (
                _PICTURE.sub("", _read(place / name)).splitlines() for place in (folder, again)
            )
            for number, (one, other) in enumerate(itertools.zip_longest(stored, derived), start=1):
                _same(f"{folder / name}, line {number}", one, other)
            yield Verified(what=f"the text of {name}")
        drawn = sorted(path.name for path in (again / "figures").glob("*.svg"))
        for name in drawn:
            same = _read(folder / "figures" / name) == _read(again / "figures" / name)
            note = "" if same else "drawn otherwise here; what it shows is in the tables"
            yield Verified(what=f"figures/{name}", note=note)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise VerificationError(f"{path} is missing") from None


def _same(where: str, stored: Any, derived: Any) -> None:
    if stored != derived:
        raise VerificationError(f"{where}: stored {stored!r}, derived {derived!r}")

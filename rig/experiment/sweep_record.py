"""A finished sweep as a record: the grid, the curve, the choice, and everything needed to derive them again.

    <runs>/sweeps/<id>/sweep.json     this record; index.md and curve.svg beside it show it

The id ends in the first digits of the record's hash, so equal sweeps have one record and unequal ones never
share an id. The hash leaves out when and on which machine it was made.
"""

import math
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from rig.core.errors import StoreError, VerificationError
from rig.core.files import publish_once, readable_json
from rig.core.fingerprint import flatten
from rig.experiment.config import at
from rig.experiment.curve import RULE, Choice, CurvePoint, check_choice, read_curve
from rig.experiment.grid import grid_values
from rig.experiment.lock_subject import Subject
from rig.experiment.robustness import robustness
from rig.experiment.sealed import check_seal, read_object, self_sha256
from rig.metrics.catalog import METRICS
from rig.store.cells import DoneCell, check_done, read_spec
from rig.store.tables import read_sums

SCHEMA = "rig.sweep/1"
ID_DIGITS = 12
_CLOSE = 1e-12
"""Relative difference within which a number derived on another machine is the same."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRecord:
    """The content of sweep.json, checked."""

    name: str
    """The sweep's name: conf/sweep/NAME.yaml."""
    variable: str
    """Dotted key of the swept setting."""
    kind: str
    data_name: str
    protocol: Mapping[str, Any]
    """low, high, points, scale, steps, seed, metric, split, robust_width: what was given beforehand."""
    curve: tuple[CurvePoint, ...]
    choice: Choice
    robustness: Mapping[str, Any]
    subject: Subject
    content: Mapping[str, Any]
    """The whole file."""

    @property
    def sha256(self) -> str:
        """The record's hash of itself."""
        return self_sha256(self.content)

    @property
    def sweep_id(self) -> str:
        """`<name>-<data>-<kind>-<first digits of the hash>`."""
        return f"{self.name}-{self.data_name}-{self.kind}-{self.sha256[:ID_DIGITS]}"


def make_record(
    *,
    name: str,
    variable: str,
    kind: str,
    data_name: str,
    protocol: Mapping[str, Any],
    curve: Sequence[CurvePoint],
    choice: Choice,
    subject: Subject,
    created: str,
    environment: Mapping[str, Any],
) -> SweepRecord:
    """The record of a sweep whose every point is finished."""
    measured = robustness(
        curve, choice, scale=protocol["scale"], threshold=protocol["robust_width"]
    ).to_json()
    sealed: dict[str, Any] = {
        "schema": SCHEMA,
        "name": name,
        "variable": variable,
        "kind": kind,
        "data": data_name,
        "protocol": dict(protocol),
        "rule": RULE,
        "curve": [point.to_json(name) for point in curve],
        "chosen": choice.to_json(name),
        "robustness": measured,
        "subject": subject.to_json(),
    }
    sha256 = self_sha256(sealed)
    content = {
        **sealed,
        "id": f"{name}-{data_name}-{kind}-{sha256[:ID_DIGITS]}",
        "created": created,
        "environment": dict(environment),
        "self_sha256": sha256,
    }
    return SweepRecord(
        name=name,
        variable=variable,
        kind=kind,
        data_name=data_name,
        protocol=dict(protocol),
        curve=tuple(curve),
        choice=choice,
        robustness=measured,
        subject=subject,
        content=content,
    )


def sweep_folder(runs: Path, sweep_id: str) -> Path:
    """Where a sweep's record lies."""
    return runs / "sweeps" / sweep_id


def publish_record(runs: Path, record: SweepRecord) -> Path:
    """Write sweep.json, unless the same sweep's stands there; a damaged one is set aside.

    Returns:
        The sweep's folder.
    """
    folder = sweep_folder(runs, record.sweep_id)
    path = folder / "sweep.json"
    if publish_once(path, readable_json(record.content)):
        return folder
    try:
        check_sweep_record(path)
    except (StoreError, VerificationError):
        os.replace(path, folder / f"quarantine-{uuid.uuid4().hex[:12]}.json")
        publish_once(path, readable_json(record.content))
    return folder


def check_sweep_record(path: Path) -> SweepRecord:
    """Read sweep.json and derive again what can be: hash, id, grid, choice, robustness.

    Raises:
        StoreError: The file is missing or no record.
        VerificationError: A derived item differs from the one stored; names the first.
    """
    content = read_object(path, SCHEMA)
    check_seal(path, content)
    try:
        name, protocol = content["name"], content["protocol"]
        curve = read_curve(content["curve"], name)
        choice = check_choice(content["chosen"], curve, name)
        _check_grid([point.value for point in curve], protocol)
        measured = robustness(
            curve, choice, scale=protocol["scale"], threshold=protocol["robust_width"]
        ).to_json()
        _check_close(content["robustness"], measured, "robustness")
        record = SweepRecord(
            name=name,
            variable=content["variable"],
            kind=content["kind"],
            data_name=content["data"],
            protocol=protocol,
            curve=curve,
            choice=choice,
            robustness=content["robustness"],
            subject=Subject.from_json(content["subject"]),
            content=content,
        )
    except VerificationError as error:
        raise VerificationError(f"{path}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"{path} is no record of a sweep: {error!r}") from error
    if content.get("id") != record.sweep_id:
        raise VerificationError(f"{path}: its id is {content.get('id')!r}, its content's {record.sweep_id!r}")
    return record


def check_sweep_cells(record: SweepRecord, runs: Path) -> int:
    """Derive every loss of the curve again from its cell's sums, where the cell is on this machine.

    Returns:
        How many points were derived; the others' cells are not here.

    Raises:
        StoreError: A cell is damaged.
        VerificationError: A cell is not the point's, or its loss differs; names the point.
    """
    n_derived = 0
    for point in record.curve:
        directory = runs / "cells" / point.cell
        if not (directory / "DONE.json").exists():
            continue
        where = f"sweep {record.sweep_id}, point {point.index}"
        _check_cell_config(record, point, directory, where)
        status, loss = measured_loss(check_done(directory), record.protocol["metric"])
        _check_close(
            {"status": point.status, "val_loss": point.loss}, {"status": status, "val_loss": loss}, where
        )
        n_derived += 1
    return n_derived


def measured_loss(done: DoneCell, metric: str) -> tuple[str, float | None]:
    """A finished cell's status and its loss, from its sums; None where training diverged.

    Raises:
        StoreError: Nothing was scored.
    """
    status = str(done.result["status"])
    if status != "ok":
        return status, None
    loss = METRICS[metric].value(read_sums(done.attempt / "sums.parquet").ratio(METRICS[metric].sums))
    if loss is None:
        raise StoreError(f"{done.directory}: the validation split has nothing to compute `{metric}` from")
    return status, loss


def _check_cell_config(record: SweepRecord, point: CurvePoint, directory: Path, where: str) -> None:
    spec = read_spec(directory)
    config = spec.identity["config"]
    for what, held, expected in (
        (record.variable, at(config, record.variable), point.value),
        ("seed", spec.seed, record.protocol["seed"]),
        ("kind", spec.kind, record.kind),
        ("train.steps", at(config, "train.steps"), record.protocol["steps"]),
        ("score.split", at(config, "score.split"), record.protocol["split"]),
    ):
        if held != expected:
            raise VerificationError(f"{where}: its cell has {what} {held!r}, the record {expected!r}")


def _check_grid(values: Sequence[float | int], protocol: Mapping[str, Any]) -> None:
    if len(values) != protocol["points"]:
        raise VerificationError(f"the curve has {len(values)} points, the protocol {protocol['points']}")
    expected = grid_values(
        protocol["low"], protocol["high"], protocol["points"], protocol["scale"], like=values[0]
    )
    for index, (value, derived) in enumerate(zip(values, expected, strict=True)):
        if not math.isclose(value, derived, rel_tol=_CLOSE, abs_tol=_CLOSE):
            raise VerificationError(f"point {index} is at {value!r}, the grid's is {derived!r}")


def _check_close(held: Mapping[str, Any], derived: Mapping[str, Any], where: str) -> None:
    """Compare field by field, numbers within `_CLOSE`."""
    flat_held, flat_derived = flatten(held), flatten(derived)
    for name in sorted({*flat_held, *flat_derived}):
        was, now = flat_held.get(name), flat_derived.get(name)
        is_close = (
            isinstance(was, float)
            and isinstance(now, float)
            and math.isclose(was, now, rel_tol=_CLOSE, abs_tol=_CLOSE)
        )
        if was != now and not is_close:
            raise VerificationError(f"{where}: {name} is {was!r}, derived again it is {now!r}")

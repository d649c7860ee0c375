from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from synthetic_reports import BASE, VARIANT, report_of, written

from rig.core.errors import LockTamperedError
from rig.core.files import write_json
from rig.experiment.curve import CurvePoint, choose
from rig.experiment.lock_file import LockFile, lock_of
from rig.experiment.lock_subject import Subject
from rig.experiment.sweep_record import make_record
from rig.report.build import Report
from rig.report.learning_rates import learning_rates_section, read_locks


def lock(kind: str, losses: Sequence[float] = (2.02, 2.0, 2.01), **protocol: Any) -> LockFile:
    """A lock on the middle of three learning rates a decade apart."""
    points = [
        CurvePoint(index=i, value=value, loss=loss, status="ok", cell=f"{kind}/{i:016x}-s7")
        for i, (value, loss) in enumerate(zip((0.001, 0.01, 0.1), losses, strict=True))
    ]
    given = {
        "low": 0.001, "high": 0.1, "points": 3, "scale": "log", "steps": 20, "seed": 7, "metric": "ce",
        "split": "validation", "robust_width": 0.5, **protocol,
    }  # fmt: skip
    choice = choose(points)
    assert choice is not None
    record = make_record(
        name="lr", variable="train.lr", kind=kind, data_name="toy", protocol=given, curve=points,
        choice=choice, subject=Subject(settings={}, data={}, code="cc"), created="now", environment={},
    )  # fmt: skip
    return lock_of(record, created="now", edge_allowed="")


def locked_report(locks: dict[str, LockFile]) -> Report:
    """A report of `base` and `new`, of which these ran on locks."""
    report = report_of({"base": BASE, "new": VARIANT})
    for kind in report.record["kinds"]:
        if kind["name"] in locks:
            held = locks[kind["name"]]
            kind["lock"] |= {
                "value": held.choice.value, "lock_id": held.lock_id, "sweep_id": held.sweep_id,
                "protocol_sha256": held.protocol_sha256,
            }  # fmt: skip
    return report


def test_each_kind_has_its_lr_its_loss_and_how_much_it_matters() -> None:
    # Within 1% (2.02) from the whole lower decade to the whole upper one: cut by the grid at both ends.
    locks = {"base": lock("base"), "new": lock("new", (3.0, 2.5, 3.0))}
    section = learning_rates_section(locked_report(locks), locks, {})
    assert section is not None
    (table,) = section.tables
    assert [[cell.text for cell in row[:5]] for row in table.rows] == [
        ["base", "1.00e-02", "2.0000 ce (nats/token)", "robust: within 1% over at least 2.00 decades", "OK"],
        # 1% of 2.5 is 0.025 of a slope of 0.5 a decade, to either side.
        ["new", "1.00e-02", "2.5000 ce (nats/token)", "fragile: within 1% over 0.10 decades", "OK"],
    ]
    lock_cell, sweep_cell = table.rows[0][5:]
    assert (lock_cell.text, lock_cell.link) == (locks["base"].lock_id, "locks/base.json")
    assert sweep_cell.link == f"sweeps/{locks['base'].sweep_id}/index.md"


def test_how_it_was_chosen_is_said_once_for_all_kinds() -> None:
    locks = {"base": lock("base"), "new": lock("new")}
    section = learning_rates_section(locked_report(locks), locks, {})
    assert section is not None
    (paragraph,) = section.paragraphs
    assert paragraph == (
        "The learning rate is not held fixed: each kind has its own. Each was chosen by a sweep of the "
        "kind's own: 3 values from 0.001 to 0.1, 20 steps, at one seed (7, not among those reported); "
        "the lowest ce on the validation split won. Another seed could have chosen another value. The column "
        "`near the best` says how much that would matter: robust if the loss stays within 1% of the best "
        "over at least 0.5 decades, else fragile."
    )


def test_kinds_tuned_on_unequal_terms_are_told_apart() -> None:
    locks = {"base": lock("base"), "new": lock("new", steps=40)}
    section = learning_rates_section(locked_report(locks), locks, {})
    assert section is not None
    assert (
        "base was chosen by a sweep of the kind's own: 3 values from 0.001 to 0.1, 20 steps"
        in (section.paragraphs[0])
    )
    assert (
        "new was chosen by a sweep of the kind's own: 3 values from 0.001 to 0.1, 40 steps"
        in (section.paragraphs[0])
    )


def test_a_kind_without_a_learning_rate_of_ours_is_excepted_by_name() -> None:
    locks = {"base": lock("base")}
    report = locked_report(locks)
    report.record["kinds"][1]["config"]["kind"]["has_lr"] = False
    report.record["kinds"][1]["lock"] |= {"label": "NOT APPLICABLE", "value": None}
    section = learning_rates_section(report, locks, {})
    assert section is not None
    assert section.paragraphs[0].startswith(
        "The learning rate is not held fixed: each kind has its own but new, to which none of this project's "
        "applies. Each was chosen by a sweep"
    )


def test_an_unlocked_kind_is_not_said_to_be_swept() -> None:
    locks = {"base": lock("base")}
    section = learning_rates_section(locked_report(locks), locks, {})
    assert section is not None
    assert "each kind has its own. base was chosen by a sweep of the kind's own" in section.paragraphs[0]


def test_without_a_lock_nothing_is_known_to_be_tuned() -> None:
    section = learning_rates_section(report_of({"base": BASE}, unlocked=["base"]), {}, {})
    assert section is not None
    assert section.paragraphs == (
        "No kind ran at a learning rate that a valid lock holds, so none is known to be tuned.",
    )
    (row,) = section.tables[0].rows
    assert [cell.text for cell in row] == [
        "base [UNLOCKED]",
        "5.00e-03",
        "–",
        "–",
        "UNLOCKED (missing)",
        "–",
        "–",
    ]


def test_kinds_without_a_learning_rate_need_no_such_section() -> None:
    report = report_of({"floor": {None: 5.0}})
    report.record["kinds"][0]["config"]["kind"]["has_lr"] = False
    assert learning_rates_section(report, {}, {}) is None


def test_the_page_reads_the_locks_that_the_folder_holds(tmp_path: Path) -> None:
    locks = {"base": lock("base")}
    write_json(tmp_path / "base.json", locks["base"].to_json())
    report = locked_report(locks)
    folder = written(report, tmp_path / "report", {"base": (tmp_path / "base.json", None)})
    assert read_locks(report.record, folder) == locks
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert text.index("## Answer") < text.index("## Learning rates") < text.index("## Kinds over seeds")
    assert "[" + locks["base"].lock_id + "](locks/base.json)" in text


def test_a_copy_that_was_edited_is_refused(tmp_path: Path) -> None:
    held = lock("base")
    (tmp_path / "locks").mkdir()
    write_json(tmp_path / "locks" / "base.json", {**held.to_json(), "kind": "new"})
    with pytest.raises(LockTamperedError, match=r"base\.json"):
        read_locks(locked_report({"base": held}).record, tmp_path)

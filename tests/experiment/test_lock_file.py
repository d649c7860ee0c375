import itertools
import json
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from rig.core.errors import ConfigError, LockError, LockTamperedError
from rig.core.files import write_json
from rig.core.fingerprint import fingerprint
from rig.experiment.curve import CurvePoint, choose
from rig.experiment.lock_file import (
    accept_changes,
    check_against_record,
    check_lock_file,
    check_place,
    lock_of,
    lock_path,
    lock_token,
    replace_lock,
)
from rig.experiment.lock_subject import Subject
from rig.experiment.sweep_record import make_record

SUBJECT = Subject(settings={"train": {"steps": 20}}, data={"words": "aa"}, code="cc")


def record(*, seed=7, losses=(3.0, 2.0, 2.5)):
    points = [
        CurvePoint(index=i, value=value, loss=loss, status="ok", cell=f"baseline/{i:016x}-s{seed}")
        for i, (value, loss) in enumerate(zip((0.001, 0.01, 0.1), losses, strict=True))
    ]
    protocol = {
        "low": 0.001, "high": 0.1, "points": 3, "scale": "log", "steps": 20, "seed": seed, "metric": "ce",
        "split": "validation", "robust_width": 0.5,
    }  # fmt: skip
    return make_record(
        name="lr", variable="train.lr", kind="baseline", data_name="tiny", protocol=protocol, curve=points,
        choice=choose(points), subject=SUBJECT, created="2026-01-01T00:00:00+00:00", environment={},
    )  # fmt: skip


def lock(**which):
    return lock_of(record(**which), created="2026-01-01T00:00:01+00:00", edge_allowed="--allow-edge")


@pytest.fixture
def path(tmp_path):
    return lock_path(tmp_path, name="lr", data_name="tiny", kind="baseline")


def test_a_lock_comes_back_as_it_was_written(path) -> None:
    replace_lock(path, lock(), seen=None)
    got = check_lock_file(path)
    assert got == lock()
    assert got.choice.value == 0.01
    # The optimum lies inside, so nothing had to be allowed.
    assert got.edge_allowed == ""
    assert lock(losses=(1.0, 2.0, 3.0)).edge_allowed == "--allow-edge"


def test_when_it_was_made_is_no_part_of_the_hash() -> None:
    assert replace(lock(), created="later").sha256 == lock().sha256
    assert lock(seed=8).sha256 != lock().sha256


def every_leaf(value, way=()):
    if isinstance(value, dict | list) and value:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from every_leaf(item, (*way, key))
    else:
        yield way


@pytest.mark.parametrize("way", [*every_leaf(lock().to_json())], ids=lambda way: ".".join(map(str, way)))
def test_a_change_anywhere_but_in_the_time_is_seen(path, way) -> None:
    content = lock().to_json()
    *outer, last = way
    inside = content
    for step in outer:
        inside = inside[step]
    inside[last] = "other"
    write_json(path, content)
    if way == ("created",):
        assert check_lock_file(path).sha256 == lock().sha256
    else:
        with pytest.raises(LockTamperedError, match="is not used, whatever the flags"):
            check_lock_file(path)


def closed_fields():
    """All but the open mappings, which are held against the sweep's record, and the hash itself."""
    is_open = {"subject", "protocol", "robustness", "self_sha256"}
    return [way for way in every_leaf(lock().to_json()) if not is_open & set(way)]


@pytest.mark.parametrize("way", closed_fields(), ids=lambda way: ".".join(map(str, way)))
def test_a_field_taken_away_is_seen_even_where_the_hash_fits(path, way) -> None:
    content = lock().to_json()
    *outer, last = way
    inside = content
    for step in outer:
        inside = inside[step]
    del inside[last]
    content["self_sha256"] = fingerprint(
        {key: value for key, value in content.items() if key not in ("self_sha256", "created")}
    )
    write_json(path, content)
    with pytest.raises(LockTamperedError):
        check_lock_file(path)


def test_a_lock_in_another_place_is_refused(tmp_path, path) -> None:
    replace_lock(path, lock(), seen=None)
    for name, data_name, kind in (
        ("lr", "tiny", "other"),
        ("lr", "big", "baseline"),
        ("x", "tiny", "baseline"),
    ):
        elsewhere = lock_path(tmp_path, name=name, data_name=data_name, kind=kind)
        elsewhere.parent.mkdir(parents=True, exist_ok=True)
        elsewhere.write_bytes(path.read_bytes())
        with pytest.raises(LockTamperedError, match="it is the lr lock of kind 'baseline' on data 'tiny'"):
            check_place(elsewhere, check_lock_file(elsewhere))
    check_place(path, check_lock_file(path))


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "a b", "a\n", "índice"])
def test_names_that_are_no_file_names_are_refused(tmp_path, name) -> None:
    with pytest.raises(ConfigError, match="must be letters, digits"):
        lock_path(tmp_path, name="lr", data_name=name, kind="k")


def test_a_sweep_cannot_have_the_name_of_a_field(tmp_path) -> None:
    with pytest.raises(ConfigError, match="can't be called 'val_loss'"):
        lock_path(tmp_path, name="val_loss", data_name="d", kind="k")


def test_the_record_is_the_locks_second_witness(path) -> None:
    check_against_record(path, lock(), record())
    for other in (record(seed=8), record(losses=(3.0, 2.0, 2.6))):
        with pytest.raises(LockTamperedError, match=r"`sweep\.\w+` differs from the sweep's record"):
            check_against_record(path, lock(), other)
    moved = replace(lock(), subject=replace(SUBJECT, code="dd"))
    with pytest.raises(LockTamperedError, match="`subject` differs"):
        check_against_record(path, moved, record())


def test_acceptances_lead_from_the_sweep_to_the_present(path) -> None:
    entry = {"who": "Ana", "when": "now", "reason": "r", "changes": []}
    once = accept_changes(lock(), replace(SUBJECT, code="dd"), entry)
    twice = accept_changes(once, replace(SUBJECT, code="ee"), entry)
    replace_lock(path, twice, seen=None)
    assert check_lock_file(path).subject.code == "ee"
    check_against_record(path, twice, record())
    assert twice.accepted[1]["lock_was"] == once.sha256
    skipped = replace(twice, accepted=twice.accepted[1:])
    with pytest.raises(LockTamperedError, match="`subject` differs"):
        check_against_record(path, skipped, record())
    write_json(path, replace(twice, accepted=twice.accepted[:1]).to_json())
    with pytest.raises(LockTamperedError, match="`accepted` does not lead"):
        check_lock_file(path)


def test_the_same_lock_is_left_as_it_stands(path) -> None:
    replace_lock(path, lock(), seen=None)
    before = path.read_bytes()
    replace_lock(path, replace(lock(), created="later"), seen=lock_token(path))
    replace_lock(path, replace(lock(), created="later"), seen=None)
    assert path.read_bytes() == before


def test_another_lock_is_replaced_only_if_it_is_the_one_that_was_seen(path) -> None:
    replace_lock(path, lock(), seen=None)
    seen = lock_token(path)
    replace_lock(path, lock(seed=8), seen=seen)
    assert check_lock_file(path) == lock(seed=8)
    for stale in (seen, None):
        with pytest.raises(LockError, match="changed while this sweep ran"):
            replace_lock(path, lock(seed=9), seen=stale)
    assert check_lock_file(path) == lock(seed=8)
    assert [entry.name for entry in path.parent.glob("[!.]*")] == ["baseline.json"]


def test_a_damaged_lock_is_replaced_by_a_new_sweep(path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("<<<<", encoding="utf-8")
    replace_lock(path, lock(), seen=lock_token(path))
    assert check_lock_file(path) == lock()


def test_a_writer_killed_while_it_was_alone_keeps_nobody_waiting(path) -> None:
    replace_lock(path, lock(), seen=None)
    script = (
        "import fcntl, os, sys, time\n"
        "fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)\n"
        "print('alone', flush=True); time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script, str(path.parent)]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "alone\n"
    writer.kill()
    writer.wait()
    writer.stdout.close()
    replace_lock(path, lock(seed=8), seen=lock_token(path))
    assert check_lock_file(path) == lock(seed=8)


@pytest.mark.parametrize("is_new", [True, False])
def test_of_many_writers_that_saw_the_same_one_wins(path, is_new) -> None:
    if not is_new:
        replace_lock(path, lock(seed=100), seen=None)
    seen = lock_token(path)
    start, refused = threading.Barrier(8), itertools.count()

    def write(seed: int) -> None:
        start.wait()
        try:
            replace_lock(path, lock(seed=seed), seen=seen)
        except LockError:
            next(refused)

    writers = [threading.Thread(target=write, args=(seed,)) for seed in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert next(refused) == 7
    assert check_lock_file(path).protocol["seed"] in range(8)


def test_numbers_are_written_exactly(path) -> None:
    replace_lock(path, lock(losses=(3.0, 2.0 + 2**-51, 2.5)), seen=None)
    assert json.loads(path.read_text(encoding="utf-8"))["chosen"]["val_loss"] == 2.0 + 2**-51

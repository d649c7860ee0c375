import json

import pytest

from rig.core.errors import StoreError, VerificationError
from rig.core.fingerprint import fingerprint
from rig.experiment.curve import CurvePoint, choose
from rig.experiment.lock_subject import Subject
from rig.experiment.sweep_record import check_sweep_record, make_record, publish_record


def record(*, created="2026-01-01T00:00:00+00:00", losses=(3.0, 2.0, None)):
    points = [
        CurvePoint(
            index=i, value=value, loss=loss, status="ok" if loss else "diverged", cell=f"baseline/{i:016x}-s7"
        )
        for i, (value, loss) in enumerate(zip((0.001, 0.01, 0.1), losses, strict=True))
    ]
    protocol = {
        "low": 0.001, "high": 0.1, "points": 3, "scale": "log", "steps": 20, "seed": 7, "metric": "ce",
        "split": "validation", "robust_width": 0.5,
    }  # fmt: skip
    return make_record(
        name="lr", variable="train.lr", kind="baseline", data_name="tiny", protocol=protocol, curve=points,
        choice=choose(points), subject=Subject(settings={}, data={}, code="cc"), created=created,
        environment={"python": "3"},
    )  # fmt: skip


def test_the_id_is_the_contents_and_not_the_times(tmp_path) -> None:
    assert record().sweep_id == record(created="later").sweep_id
    assert record().sweep_id == f"lr-tiny-baseline-{record().sha256[:12]}"
    assert record(losses=(3.0, 2.1, None)).sweep_id != record().sweep_id


def test_a_record_is_published_once(tmp_path) -> None:
    folder = publish_record(tmp_path, record())
    before = (folder / "sweep.json").read_bytes()
    assert publish_record(tmp_path, record(created="later")) == folder
    assert (folder / "sweep.json").read_bytes() == before
    assert check_sweep_record(folder / "sweep.json") == record()


def test_a_damaged_record_is_set_aside_when_the_sweep_is_made_again(tmp_path) -> None:
    folder = publish_record(tmp_path, record())
    (folder / "sweep.json").write_text("{", encoding="utf-8")
    publish_record(tmp_path, record())
    assert check_sweep_record(folder / "sweep.json") == record()
    assert [path.read_text(encoding="utf-8") for path in folder.glob("quarantine-*.json")] == ["{"]


def change(tmp_path, *way, value, reseal=True):
    content = json.loads(json.dumps(record().content))
    inside = content
    for step in way[:-1]:
        inside = inside[step]
    inside[way[-1]] = value
    if reseal:
        unsealed = ("created", "environment", "id", "self_sha256")
        content["self_sha256"] = fingerprint({k: v for k, v in content.items() if k not in unsealed})
    path = tmp_path / "sweep.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("way", "value", "message"),
    [
        (("chosen", "lr"), 0.1, r"chosen\.lr is 0\.1, but the curve says 0\.01"),
        (("curve", 0, "val_loss"), 1.0, r"chosen\.lr is 0\.01, but the curve says 0\.001"),
        (("curve", 1, "lr"), 0.011, r"chosen\.lr is 0\.01, but the curve says 0\.011"),
        (("curve", 0, "lr"), 0.002, r"point 0 is at 0\.002, the grid's is 0\.001"),
        (("protocol", "points"), 4, "the curve has 3 points, the protocol 4"),
        (("robustness", "width"), 0.7, r"robustness: width is 0\.7, derived again it is"),
        (
            ("robustness", "verdict"),
            "robust",
            "robustness: verdict is 'robust', derived again it is 'fragile'",
        ),
        (("subject", "code"), "dd", "its id is"),
        (("id",), "lr-tiny-baseline-000000000000", "its id is"),
    ],
)
def test_a_forged_record_is_derived_again_and_the_first_difference_named(
    tmp_path, way, value, message
) -> None:
    with pytest.raises(VerificationError, match=message):
        check_sweep_record(change(tmp_path, *way, value=value))


def test_an_edited_record_fails_its_hash(tmp_path) -> None:
    with pytest.raises(VerificationError, match="changed after it was written"):
        check_sweep_record(change(tmp_path, "subject", "code", value="dd", reseal=False))


@pytest.mark.parametrize(("way", "value"), [(("curve",), "x"), (("protocol",), {}), (("subject",), 3)])
def test_what_is_no_record_is_refused(tmp_path, way, value) -> None:
    with pytest.raises(StoreError, match="is no record of a sweep"):
        check_sweep_record(change(tmp_path, *way, value=value))

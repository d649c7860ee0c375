import json

import pytest

from rig.core.errors import StoreError, VerificationError
from rig.experiment.sealed import check_seal, read_object, self_sha256

SCHEMA = "rig.test/1"


def test_times_and_the_machine_lie_outside_the_hash(tmp_path) -> None:
    content = {"schema": SCHEMA, "value": 0.1}
    sealed = {**content, "self_sha256": self_sha256(content), "created": "now", "environment": {}, "id": "x"}
    check_seal(tmp_path, sealed)
    check_seal(tmp_path, {**sealed, "created": "later"})
    with pytest.raises(VerificationError, match="changed after it was written: its content hashes to"):
        check_seal(tmp_path, {**sealed, "value": 0.2})
    with pytest.raises(VerificationError, match="but it says None"):
        check_seal(tmp_path, content)


def test_floats_are_read_exactly(tmp_path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"schema": SCHEMA, "value": 1e-4 * 10 ** (1 / 3)}), encoding="utf-8")
    assert read_object(path, SCHEMA)["value"] == 1e-4 * 10 ** (1 / 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "can't be read as JSON"),
        ("{", "can't be read as JSON"),
        ("\ufeff{}", "can't be read as JSON"),
        ("[]", "must hold a JSON object, got list"),
        ("3", "must hold a JSON object, got int"),
        ('{"schema": "rig.test/1", "schema": "rig.test/1"}', "the key 'schema' is repeated"),
        ('{"schema": "rig.test/1", "a": NaN}', "NaN is not finite"),
        ('{"schema": "rig.test/1", "a": 1e999}', "must be finite"),
        ("[" * 100_000, "can't be read as JSON"),
        ('{"schema": "rig.test/2"}', "must be of schema 'rig.test/1', got 'rig.test/2'"),
        ("{}", "got None"),
    ],
)
def test_what_is_no_object_is_refused(tmp_path, text, message) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StoreError, match=message):
        read_object(path, SCHEMA)


def test_other_encodings_and_missing_files_are_refused(tmp_path) -> None:
    path = tmp_path / "a.json"
    with pytest.raises(StoreError, match="is missing"):
        read_object(path, SCHEMA)
    path.write_bytes('{"a": "é"}'.encode("latin-1"))
    with pytest.raises(StoreError, match="can't be read"):
        read_object(path, SCHEMA)
    with pytest.raises(StoreError, match="can't be read"):
        read_object(tmp_path, SCHEMA)

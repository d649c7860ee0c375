import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.core.files import write_json
from rig.core.fingerprint import canonical_json, file_sha256, fingerprint, flatten

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(JSON)
def test_canonical_json_reads_back_and_key_order_is_nothing(value: object) -> None:
    assert json.loads(canonical_json(value)) == value
    if isinstance(value, dict):
        turned = dict(reversed(list(value.items())))
        assert fingerprint(turned) == fingerprint(value)


def test_a_fingerprint_is_the_sha256_of_the_canonical_text() -> None:
    # echo -n '{"a":[1,2.5,null]}' | sha256sum
    assert canonical_json({"a": (1, 2.5, None)}) == '{"a":[1,2.5,null]}'
    assert fingerprint({"a": [1, 2.5, None]}) == (
        "d975df8927b51788b7b73ca3d967eca7ebd63be609bfebbe2a40722fcf88d4d7"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"f": len}, r"value\.f has no stable text and can't be hashed: builtin_function_or_method"),
        ([object()], r"value\[0\] has no stable text"),
        ({1: 2}, "value must have text keys to be hashed, got 1"),
        ({"a": {"b"}}, r"value\.a has no stable text and can't be hashed: set"),
    ],
)
def test_what_has_no_stable_text_is_refused(value: object, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        fingerprint(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_finite_is_refused(value: float, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"value\.x must be finite"):
        fingerprint({"x": value})
    with pytest.raises(ValueError, match="must be finite"):
        write_json(tmp_path / "a.json", {"x": value})
    assert not list(tmp_path.iterdir())


def test_flatten_keeps_empty_mappings_as_leaves() -> None:
    assert flatten({"a": {"b": 1, "c": {}}, "d": [1]}) == {"a.b": 1, "a.c": {}, "d": [1]}


def test_file_sha256_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert (
        file_sha256(tmp_path / "empty") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )


def test_fingerprints_do_not_depend_on_the_hash_seed() -> None:
    script = (
        "from rig.core.fingerprint import fingerprint; from rig.core.seeding import stream\n"
        "print(fingerprint({'b': 1, 'a': ['x', 2.0]}), stream(1, 'x').random())\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1

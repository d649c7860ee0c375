"""The small rooms of rig.core: each held to what its docstring says."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.core.documents import Document, word_class
from rig.core.errors import (
    DataError,
    LockError,
    LockTamperedError,
    ModelError,
    RigError,
    UsageError,
    did_you_mean,
)
from rig.core.files import atomic_path, publish_once, readable_json, write_json, write_text
from rig.core.fingerprint import canonical_json, file_sha256, fingerprint, flatten
from rig.core.items import Item
from rig.core.seeding import stream
from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.core.sums import collect, concatenate
from rig.core.token_scores import TokenScores
from rig.core.units import bits_to_nats, nats_to_bits

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def test_exit_codes_are_those_of_the_contract() -> None:
    codes = [
        error.exit_code
        for error in (RigError, ModelError, UsageError, DataError, LockError, LockTamperedError)
    ]
    assert codes == [1, 1, 2, 2, 3, 4]


def test_did_you_mean_names_the_nearest_and_all() -> None:
    assert did_you_mean("ngarm", ["uniform", "ngram"]) == "Did you mean 'ngram'? Known: ngram, uniform."
    assert did_you_mean("zzz", ["a"]) == "Known: a."
    assert did_you_mean("zzz", []) == "Known: none."


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


def test_streams_depend_on_seed_and_name_only() -> None:
    first = stream(41, "batches").random(4)
    stream(41, "initial weights").random(100)
    np.random.seed(0)  # noqa: NPY002  (the global generator must change nothing)
    assert stream(41, "batches").random(4).tolist() == first.tolist()
    assert stream(42, "batches").random(4).tolist() != first.tolist()
    assert stream(41, "batches", 1).random(4).tolist() != first.tolist()
    with pytest.raises(ValueError, match="`seed` must be a non-negative integer, got -1"):
        stream(-1, "batches")


def test_a_file_is_whole_or_absent(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.txt"
    write_text(path, "ação\n")
    assert path.read_bytes() == "ação\n".encode()

    def write_half() -> None:
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        write_half()
    assert path.read_text(encoding="utf-8") == "ação\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["a.txt"]


def test_a_writer_killed_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_json(path, {"version": 1})
    script = (
        "import sys, time; from pathlib import Path; from rig.core.files import atomic_path\n"
        "with atomic_path(Path(sys.argv[1])) as temporary:\n"
        "    temporary.write_text('half'); print('writing', flush=True); time.sleep(60)\n"
    )
    writer = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "writing\n"
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    assert json.loads(path.read_text()) == {"version": 1}


def test_the_first_publisher_wins_and_the_others_are_told(tmp_path: Path) -> None:
    path = tmp_path / "DONE.json"
    script = (
        "import sys; from pathlib import Path; from rig.core.files import publish_once\n"
        "sys.stdin.readline(); print(publish_once(Path(sys.argv[1]), sys.argv[2]))\n"
    )
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(path), f"writer {index}\n"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for index in range(4)
    ]
    time.sleep(0.5)
    outputs = [writer.communicate("go\n")[0].strip() for writer in writers]
    assert sorted(outputs) == ["False", "False", "False", "True"]
    assert path.read_text() == f"writer {outputs.index('True')}\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["DONE.json"]
    assert publish_once(path, "late") is False


def test_json_is_sorted_exact_and_ends_in_a_line_feed(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"b": 0.1 + 0.2, "a": "ção"})
    text = (tmp_path / "a.json").read_text(encoding="utf-8")
    assert (
        text
        == '{\n "a": "ção",\n "b": 0.30000000000000004\n}\n'
        == readable_json({"a": "ção", "b": 0.1 + 0.2})
    )


def test_file_sha256_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    assert (
        file_sha256(tmp_path / "empty") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )


def test_a_document_is_nfc() -> None:
    document = Document(doc_id="d", text="ação")
    assert (document.n_chars, document.n_bytes) == (4, 6)
    with pytest.raises(DataError, match="document 'd' must be NFC"):
        Document(doc_id="d", text="ac\u0327a\u0303o")


def test_six_classes_and_everything_else_is_outros() -> None:
    assert [word_class(tag) for tag in ("NOUN", "VERB", "ADJ", "PROPN", "ADV")] == [
        "NOUN",
        "VERB",
        "ADJ",
        "PROPN",
        "ADV",
    ]
    assert {word_class(tag) for tag in ("AUX", "ADP", "DET", "PRON", "NUM", "PUNCT", "X")} == {"OUTROS"}


def scores(**changes: object) -> TokenScores:
    fields: dict[str, object] = {
        "doc_id": "d",
        "token_id": np.array([1, 2]),
        "char_start": np.array([0, 1]),
        "char_end": np.array([1, 3]),
        "logprob": np.array([-1.0, -0.5]),
        "n_chars": 3,
    }
    return TokenScores(**{**fields, **changes})  # type: ignore[arg-type]


def test_token_scores_add_up() -> None:
    assert (scores().n_tokens, scores().total_nats) == (2, 1.5)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"token_id": np.array([1])}, "must have equal lengths"),
        ({"logprob": np.array([-1.0, -0.5], dtype=np.float32)}, "must be float64, got float32"),
        ({"logprob": np.array([-1.0, np.nan])}, r"finite and <= 0, got nan at token 1 \(1 such tokens\)"),
        ({"logprob": np.array([0.5, -np.inf])}, r"finite and <= 0, got 0.5 at token 0 \(2 such tokens\)"),
        ({"char_start": np.array([0, 2])}, "token 1 begins at 2 where 1 was due"),
        ({"char_start": np.array([1, 1])}, "token 0 begins at 1 where 0 was due"),
        ({"n_chars": 4}, "must cover all 4 characters once, but they end at 3"),
        (
            {"char_start": np.array([0, 3]), "char_end": np.array([3, 1]), "n_chars": 1},
            "must cover all 1 characters",
        ),
    ],
)
def test_what_is_no_score_is_refused(changes: dict[str, object], text: str) -> None:
    with pytest.raises(ModelError, match=f"document 'd': .*{text}"):
        scores(**changes)


@pytest.mark.parametrize("field", ["predicted", "gold"])
def test_an_item_is_finite(field: str) -> None:
    values = {"predicted": 1.0, "gold": 1.0, field: float("nan")}
    with pytest.raises(ModelError, match=f"item 'i': `{field}` must be finite, got nan"):
        Item(item_id="i", cluster_id="c", cell="", **values)


def test_concatenating_tables_is_pooling_documents() -> None:
    one = collect([("a", {"ce": (2.0, 1.0)}), ("b", {"ce": (3.0, 4.0), "bpc": (1.0, 2.0)})])
    two = collect([("c", {"ce": (5.0, 5.0)})])
    whole = concatenate([one, two])
    assert whole.doc_ids == ("a", "b", "c")
    assert whole.pooled("ce") == (10.0, 10.0)
    assert whole.ratio("ce") == 1.0
    assert whole.ratio("bpc") == 0.5
    assert collect([]).ratio("ce") is None


def test_bits_and_nats() -> None:
    assert nats_to_bits(np.log(8.0)) == pytest.approx(3.0, rel=1e-15)
    assert bits_to_nats(nats_to_bits(1.7)) == pytest.approx(1.7, rel=1e-15)


def test_a_sentence_spells_its_text() -> None:
    words = tuple(Word(form=form, upos="X", head=0, deprel="root") for form in ("de", "o", "fim", "."))
    units = (
        SurfaceUnit(form="do", first_word=1, last_word=2, is_multiword=True),
        SurfaceUnit(form="fim", first_word=3, last_word=3, space_after=False),
        SurfaceUnit(form=".", first_word=4, last_word=4),
    )
    sentence = Sentence(sent_id="s", text="do fim.", words=words, units=units)
    assert sentence.surface_text() == sentence.text


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

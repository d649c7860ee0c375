import hashlib
import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from rig.core.errors import ConfigError, DataError
from rig.data.annotations import SPLITS, Annotations, DocumentRecord
from rig.data.nano_pt import corpus, lexicon

SMALL = {"seed": 4, "n_train": 300, "n_validation": 40, "n_test": 200}

DIGEST_PROGRAM = (
    "import hashlib, sys\n"
    "from rig.data.nano_pt import corpus\n"
    f"text = repr(list(corpus.documents({SMALL!r})))\n"
    "sys.stdout.write(hashlib.sha256(text.encode()).hexdigest())\n"
)
ENSURE_PROGRAM = (
    "import sys\n"
    "from pathlib import Path\n"
    "from rig.data.nano_pt import corpus\n"
    f"sys.stdout.write(str(corpus.ensure(Path(sys.argv[1]), {SMALL!r})))\n"
)


@pytest.fixture(scope="module")
def records() -> list[DocumentRecord]:
    return list(corpus.documents(SMALL))


def test_each_split_has_its_sentences_in_documents_of_several(records: list[DocumentRecord]) -> None:
    counts: Counter[str] = Counter()
    for record in records:
        counts[record.split] += len(record.sentences)
        assert len(record.sentences) <= 16
    assert counts == {"train": 300, "validation": 40, "test": 200}
    assert [split for split in SPLITS for record in records if record.split == split] == [
        record.split for record in records
    ]
    short = [record for record in records if len(record.sentences) < 4]
    assert len(short) <= len(SPLITS)


def test_names_are_unique(records: list[DocumentRecord]) -> None:
    sent_ids = [sentence.sent_id for record in records for sentence in record.sentences]
    assert len(set(sent_ids)) == len(sent_ids) == 540
    assert len({record.doc_id for record in records}) == len(records)


def test_held_out_nouns_occur_in_test_only_and_say_so(records: list[DocumentRecord]) -> None:
    held_out = set(lexicon.HELD_OUT.split())
    seen: Counter[str] = Counter()
    for record in records:
        for sentence in record.sentences:
            for word in sentence.words:
                assert ("HeldOut=Yes" in (word.misc or "")) == (word.lemma in held_out)
                seen[record.split] += word.lemma in held_out
    assert seen["train"] == seen["validation"] == 0
    assert seen["test"] > 5


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_the_draw_does_not_depend_on_the_hash_seed(hash_seed: str, records: list[DocumentRecord]) -> None:
    run = subprocess.run(
        [sys.executable, "-c", DIGEST_PROGRAM],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == hashlib.sha256(repr(records).encode()).hexdigest()


def test_another_seed_is_another_text(records: list[DocumentRecord]) -> None:
    other = next(corpus.documents({**SMALL, "seed": 5}))
    assert other.sentences[0].text != records[0].sentences[0].text


def test_a_split_does_not_depend_on_the_size_of_another(records: list[DocumentRecord]) -> None:
    other = [record for record in corpus.documents({**SMALL, "n_train": 10}) if record.split == "test"]
    assert other == [record for record in records if record.split == "test"]


def test_ensure_writes_what_can_be_read_back(tmp_path: Path, records: list[DocumentRecord]) -> None:
    folder = corpus.ensure(tmp_path / "data", SMALL)
    annotations = Annotations.open(folder)
    for split in SPLITS:
        expected = [record for record in records if record.split == split]
        read = list(annotations.documents(split))
        assert [document.doc_id for document in read] == [record.doc_id for record in expected]
        assert [document.text for document in read] == [
            " ".join(sentence.text for sentence in record.sentences) for record in expected
        ]
    sentences = [item.sentence for split in SPLITS for item in annotations.sentences(split)]
    assert sentences == [sentence for record in records for sentence in record.sentences]


def test_ensure_keeps_what_is_there(tmp_path: Path) -> None:
    folder = corpus.ensure(tmp_path, SMALL)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert corpus.ensure(tmp_path, SMALL) == folder
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    assert corpus.ensure(tmp_path, {**SMALL, "seed": 5}) != folder


def test_two_processes_may_ask_at_once(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", ENSURE_PROGRAM, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    folders = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert folders[0] == folders[1]
    assert [path.name for path in tmp_path.iterdir()] == [Path(folders[0]).name]
    assert Annotations.open(Path(folders[0])).n_documents("test") > 0


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(corpus, "write_annotations", fail)
    with pytest.raises(OSError, match="disk full"):
        corpus.ensure(tmp_path, SMALL)
    assert list(tmp_path.iterdir()) == []


def test_unknown_and_bad_options_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"no option 'n_tests'\. Did you mean 'n_test'"):
        next(corpus.documents({"n_tests": 3}))
    with pytest.raises(ConfigError, match="`n_train` must be an integer of at least 1, got 0"):
        next(corpus.documents({"n_train": 0}))
    with pytest.raises(ConfigError, match="`seed` must be an integer of at least 0, got True"):
        next(corpus.documents({"seed": True}))


def test_cross_entropy_pools_its_documents(records: list[DocumentRecord]) -> None:
    by_document = corpus.test_cross_entropy_by_document(SMALL)
    test = [record for record in records if record.split == "test"]
    assert list(by_document) == [record.doc_id for record in test]
    for record in test:
        text = " ".join(sentence.text for sentence in record.sentences)
        entropy = by_document[record.doc_id]
        assert entropy.n_chars == len(text)
        assert entropy.n_units == sum(len(sentence.units) for sentence in record.sentences)
    pooled = corpus.test_cross_entropy(SMALL)
    assert pooled.total_nats == pytest.approx(math.fsum(e.total_nats for e in by_document.values()))
    assert pooled.n_chars == sum(entropy.n_chars for entropy in by_document.values())
    assert 3.0 < pooled.nats_per_unit < 4.0


def test_a_folder_of_the_language_is_described_with_its_exact_cross_entropy(tmp_path: Path) -> None:
    chosen = {"n_train": 20, "n_validation": 5, "n_test": 30}
    lines = corpus.describe_exactly(Annotations.open(corpus.ensure(tmp_path, chosen)))
    expected = corpus.test_cross_entropy(chosen)
    assert lines == [
        "exact cross-entropy of the test text under the test grammar: "
        f"{expected.bits_per_character:.4f} bits per character, {expected.nats_per_unit:.4f} nats per word"
    ]


def test_a_corpus_that_was_edited_is_refused(tmp_path: Path) -> None:
    chosen = {"n_train": 20, "n_validation": 5, "n_test": 5}
    folder = corpus.ensure(tmp_path, chosen)
    assert corpus.ensure(tmp_path, chosen) == folder
    words = folder / "words.parquet"
    words.write_bytes(words.read_bytes() + b"x")
    with pytest.raises(DataError, match="was changed after it was generated; delete it"):
        corpus.ensure(tmp_path, chosen)

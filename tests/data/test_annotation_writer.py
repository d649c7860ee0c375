import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rig.core.errors import DataError
from rig.core.sentences import Sentence, SurfaceUnit
from rig.data.annotations import Annotations, DocumentRecord, Metadata, write_annotations

Record = Callable[..., DocumentRecord]


def test_a_failure_leaves_nothing(tmp_path: Path, metadata: Metadata, record: Record) -> None:
    def documents() -> Iterator[DocumentRecord]:
        yield record("a", "train", "x y")
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        write_annotations(tmp_path / "set", documents(), metadata)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_folder_is_filled(tmp_path: Path, metadata: Metadata, record: Record) -> None:
    (tmp_path / "set").mkdir()
    write_annotations(tmp_path / "set", [record("a", "train", "x")], metadata)
    assert Annotations.open(tmp_path / "set").n_documents("train") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_a_data_set_is_replaced_only_when_asked_and_whole(
    tiny: Annotations, metadata: Metadata, record: Record
) -> None:
    before = tiny.content_sha256()
    with pytest.raises(
        DataError, match="is not empty; choose another --out, or replace a data set with --overwrite"
    ):
        write_annotations(tiny.folder, [record("new", "train", "x")], metadata)
    with pytest.raises(DataError, match="has no sentences"):
        write_annotations(tiny.folder, [record("new", "train")], metadata, overwrite=True)
    assert tiny.content_sha256() == before
    write_annotations(tiny.folder, [record("new", "train", "x")], metadata, overwrite=True)
    assert [d.doc_id for d in tiny.documents("train")] == ["new"]
    assert [path.name for path in tiny.folder.parent.iterdir()] == [tiny.folder.name]


def test_other_folders_are_never_replaced(
    tmp_path: Path, metadata: Metadata, record: Record, tiny: Annotations
) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").touch()
    with pytest.raises(DataError, match=r"holds other things than a data set \(chapter1.tex, ...\)"):
        write_annotations(tmp_path / "thesis", [record("a", "train", "x")], metadata, overwrite=True)
    (tiny.folder / "notes.txt").touch()
    with pytest.raises(DataError, match="holds other things"):
        write_annotations(tiny.folder, [record("a", "train", "x")], metadata, overwrite=True)
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="exists and is no folder"):
        write_annotations(tmp_path / "file", [record("a", "train", "x")], metadata, overwrite=True)


def test_a_rename_that_fails_brings_the_old_set_back(
    tiny: Annotations, metadata: Metadata, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    real, before = os.replace, tiny.content_sha256()

    def failing(source: Path, target: Path) -> None:
        if Path(source).name.endswith(".tmp"):
            raise OSError("no space")
        real(source, target)

    monkeypatch.setattr("rig.data.annotation_writer.os.replace", failing)
    with pytest.raises(OSError, match="no space"):
        write_annotations(tiny.folder, [record("new", "train", "x")], metadata, overwrite=True)
    assert tiny.content_sha256() == before
    assert [path.name for path in tiny.folder.parent.iterdir()] == [tiny.folder.name]


def test_documents_stand_once_in_one_split(tmp_path: Path, metadata: Metadata, record: Record) -> None:
    with pytest.raises(
        DataError, match="document 'a' is in both train and test; a document must stand in one split"
    ):
        write_annotations(tmp_path / "s", [record("a", "train", "x"), record("a", "test", "y")], metadata)
    with pytest.raises(DataError, match="document 'a' is twice in train"):
        write_annotations(tmp_path / "s", [record("a", "train", "x"), record("a", "train", "y")], metadata)
    with pytest.raises(DataError, match="Unknown split 'dev'"):
        write_annotations(tmp_path / "s", [record("a", "dev", "x")], metadata)
    with pytest.raises(DataError, match="`doc_id` must not be empty"):
        write_annotations(tmp_path / "s", [record("", "train", "x")], metadata)
    with pytest.raises(DataError, match="there is nothing to write"):
        write_annotations(tmp_path / "s", [], metadata)


def test_sentence_ids_are_unique_in_the_data_set(
    tmp_path: Path, metadata: Metadata, record: Record, sentence: Callable[..., Sentence]
) -> None:
    one = dataclasses.replace(record("a", "train"), sentences=(sentence("s", "x"),))
    two = dataclasses.replace(record("b", "test"), sentences=(sentence("s", "y"),))
    with pytest.raises(
        DataError, match="sentence 's' of document 'b': `sent_id` must be unique in the data set"
    ):
        write_annotations(tmp_path / "s", [one, two], metadata)


def test_faults_name_sentence_and_document(
    tmp_path: Path, metadata: Metadata, record: Record, sentence: Callable[..., Sentence]
) -> None:
    bad = dataclasses.replace(sentence("s", "x y"), text="x z")
    document = dataclasses.replace(record("a", "train"), sentences=(bad,))
    with pytest.raises(DataError, match="sentence 's' of document 'a': token 2 is 'y', but the text has 'z'"):
        write_annotations(tmp_path / "s", [document], metadata)


def test_a_multiword_token_too_large_to_store_is_refused(
    tmp_path: Path, metadata: Metadata, record: Record, sentence: Callable[..., Sentence]
) -> None:
    many = sentence("s", " ".join("x" * 200))
    unit = SurfaceUnit(form="x", first_word=1, last_word=200, is_multiword=True)
    document = dataclasses.replace(
        record("a", "train"), sentences=(dataclasses.replace(many, text="x", units=(unit,)),)
    )
    with pytest.raises(DataError, match="a value of the words table is out of range"):
        write_annotations(tmp_path / "s", [document], metadata)
    assert list(tmp_path.iterdir()) == []

from pathlib import Path

import pytest

from rig.core.errors import DataError
from rig.data.annotations import SPLITS, Annotations, Metadata
from rig.data.conllu_import import export_conllu, import_conllu


def token_lines(path: Path) -> list[str]:
    return [
        line for line in path.read_text(encoding="utf-8").split("\n") if line and not line.startswith("#")
    ]


def test_import_export_import_loses_nothing(
    conllu_files: dict[str, Path], metadata: Metadata, tmp_path: Path
) -> None:
    import_conllu(conllu_files, tmp_path / "set", metadata)
    annotations = Annotations.open(tmp_path / "set")
    paths = export_conllu(annotations, tmp_path / "out")
    assert [path.name for path in paths] == ["train.conllu", "validation.conllu", "test.conllu"]
    for split, path in zip(SPLITS, paths, strict=True):
        assert path.read_bytes() == conllu_files[split].read_bytes()
    import_conllu(dict(zip(SPLITS, paths, strict=True)), tmp_path / "again", metadata)
    assert Annotations.open(tmp_path / "again").content_sha256() == annotations.content_sha256()
    with pytest.raises(DataError, match=r"train.conllu exists; choose another --out"):
        export_conllu(annotations, tmp_path / "out")


def test_a_split_without_documents_is_not_exported(tiny: Annotations, tmp_path: Path) -> None:
    assert len(export_conllu(tiny, tmp_path / "out")) == 3


def test_documents_per_sentence_and_file(
    conllu_files: dict[str, Path], metadata: Metadata, tmp_path: Path
) -> None:
    import_conllu(conllu_files, tmp_path / "s", metadata, document_per="sentence")
    documents = [d.doc_id for d in Annotations.open(tmp_path / "s").documents("test")]
    assert documents == ["test-1", "test-2"]
    import_conllu(conllu_files, tmp_path / "f", metadata, document_per="file")
    assert [d.doc_id for d in Annotations.open(tmp_path / "f").documents("test")] == ["in-test"]


def test_marks_without_ids_are_numbered(
    conllu_files: dict[str, Path], metadata: Metadata, tmp_path: Path
) -> None:
    for path in conllu_files.values():
        text = path.read_text(encoding="utf-8").replace("# sent_id", "# newdoc\n# sent_id")
        path.write_text(
            "".join(line + "\n" for line in text.split("\n")[:-1] if "newdoc id" not in line), "utf-8"
        )
    import_conllu(conllu_files, tmp_path / "s", metadata)
    assert [d.doc_id for d in Annotations.open(tmp_path / "s").documents("test")] == [
        "in-test-1",
        "in-test-2",
    ]


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_text_without_marks_needs_a_choice(
    conllu_files: dict[str, Path], metadata: Metadata, tmp_path: Path
) -> None:
    replace(conllu_files["train"], "# newdoc id = train\n", "")
    with pytest.raises(
        DataError, match=r"in-train.conllu:4: sentence 'train-1' stands in no document; mark documents"
    ):
        import_conllu(conllu_files, tmp_path / "set", metadata)
    assert not (tmp_path / "set").exists()


def test_ids_are_unique_across_files(
    conllu_files: dict[str, Path], metadata: Metadata, tmp_path: Path
) -> None:
    replace(conllu_files["test"], "newdoc id = test", "newdoc id = train")
    with pytest.raises(
        DataError, match=r"in-test.conllu:5: document id 'train' is already used at .*in-train.conllu:5"
    ):
        import_conllu(conllu_files, tmp_path / "set", metadata)
    replace(conllu_files["test"], "newdoc id = train", "newdoc id = test")
    replace(conllu_files["test"], "sent_id = test-2", "sent_id = test-1")
    with pytest.raises(
        DataError, match=r"in-test.conllu:17: sent_id 'test-1' is already used at .*in-test.conllu:5"
    ):
        import_conllu(conllu_files, tmp_path / "set", metadata)


def test_missing_files_are_refused(conllu_files: dict[str, Path], metadata: Metadata, tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match="the test file is missing; name one file for each of train, validation, test"
    ):
        import_conllu({s: p for s, p in conllu_files.items() if s != "test"}, tmp_path / "set", metadata)
    with pytest.raises(DataError, match="is missing or no file; name the validation file"):
        import_conllu(conllu_files | {"validation": tmp_path / "no"}, tmp_path / "set", metadata)


@pytest.mark.slow
@pytest.mark.real_data
def test_bosque_comes_in_and_goes_out_whole(
    bosque: Annotations, bosque_files: dict[str, Path], tmp_path: Path
) -> None:
    sentences = [item.sentence for split in SPLITS for item in bosque.sentences(split)]
    assert len(sentences) == 9_357
    assert sum(len(sentence.words) for sentence in sentences) == 227_827
    assert sum(unit.is_multiword for sentence in sentences for unit in sentence.units) == 16_868
    paths = export_conllu(bosque, tmp_path / "out")
    for split, path in zip(SPLITS, paths, strict=True):
        assert token_lines(path) == token_lines(bosque_files[split])
    import_conllu(dict(zip(SPLITS, paths, strict=True)), tmp_path / "again", bosque.metadata)
    assert Annotations.open(tmp_path / "again").content_sha256() == bosque.content_sha256()

import unicodedata

import pytest
from click.testing import CliRunner

from rig.cli.import_text import import_text
from rig.core.errors import ConfigError, DataError
from rig.data.annotations import Annotations
from rig.tasks.text_annotation import Throughput, parse_documents, read_texts

PARSER = {"name": "udpipe", "model": "nano_pt"}
WHERE = {"split": "test", "source": "own", "licence": "CC0-1.0"}


@pytest.fixture
def files(tmp_path):
    texts = {
        "um.txt": "A menina  dorme.\nO professor viu\nas casas.\n\n \t\nEla canta.\n",
        "dois.txt": "A chave da casa caiu.",
        "três.txt": unicodedata.normalize("NFD", "O médico chegou. A máquina é nova."),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [tmp_path / name for name in texts]


def text_of(document):
    return " ".join(sentence.text for sentence in document.sentences)


def test_one_document_for_each_file_in_order(files):
    documents = list(parse_documents(files, PARSER, **WHERE))
    assert [document.doc_id for document in documents] == ["um", "dois", "três"]
    assert [text_of(document) for document in documents] == [
        "A menina dorme. O professor viu as casas. Ela canta.",
        "A chave da casa caiu.",
        "O médico chegou. A máquina é nova.",
    ]
    assert [s.sent_id for s in documents[0].sentences] == ["um-1", "um-2", "um-3"]
    assert {(d.split, d.source, d.licence) for d in documents} == {("test", "own", "CC0-1.0")}


def test_one_document_for_each_paragraph(files):
    documents = list(parse_documents(files[:1], PARSER, document_per="paragraph", **WHERE))
    assert [(d.doc_id, text_of(d)) for d in documents] == [
        ("um-1", "A menina dorme. O professor viu as casas."),
        ("um-2", "Ela canta."),
    ]


def test_jobs_change_nothing(files):
    alone = list(parse_documents(files, PARSER, document_per="paragraph", **WHERE))
    assert list(parse_documents(files, PARSER, document_per="paragraph", n_jobs=2, **WHERE)) == alone


def test_documents_stream(tmp_path, monkeypatch):
    path = tmp_path / "long.txt"
    path.write_text("Ela canta.\n\n" * 50)
    seen = []
    documents = parse_documents([path], PARSER, document_per="paragraph", progress=seen.append, **WHERE)
    next(documents)
    next(documents)
    # The second document was handed out before its progress; nothing further was parsed.
    assert seen == [Throughput(n_documents=1, n_words=3)]
    assert len(list(documents)) == 48
    assert seen[-1] == Throughput(n_documents=50, n_words=150)


def test_wrong_files_are_refused(files, tmp_path):
    empty = tmp_path / "vazio.txt"
    empty.write_text(" \n")
    with pytest.raises(DataError, match=r"'vazio.txt' has no text; remove it"):
        list(read_texts(empty, "file"))
    with pytest.raises(DataError, match=r"none.txt' is not a file"):
        list(parse_documents([*files, tmp_path / "none.txt"], PARSER, **WHERE))
    (tmp_path / "other").mkdir()
    twin = tmp_path / "other" / "um.txt"
    twin.write_text("Ela canta.")
    with pytest.raises(DataError, match=r"would both be document 'um'; rename one"):
        list(parse_documents([*files, twin], PARSER, **WHERE))
    latin = tmp_path / "latin.txt"
    latin.write_bytes("não".encode("latin1"))
    with pytest.raises(DataError, match="must be UTF-8"):
        list(parse_documents([latin], PARSER, **WHERE))


def test_a_wrong_parser_is_refused(files):
    with pytest.raises(ConfigError, match="unknown parser"):
        list(parse_documents(files, {"name": "none", "model": "x"}, **WHERE))


def test_the_command_writes_a_data_set(files, tmp_path):
    out = tmp_path / "set"
    arguments = [*map(str, files), "--out", str(out), "--model", "nano_pt", "--name", "mine"]
    done = CliRunner().invoke(import_text, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    assert "3 documents" in done.stderr
    data = Annotations.open(out)
    assert (data.metadata.name, data.metadata.annotator) == ("mine", "udpipe")
    assert len(data.metadata.model_sha256) == 64
    assert [d.text for d in data.documents("test")][1] == "A chave da casa caiu."
    (contracted,) = [
        unit for item in data.sentences("test") for unit in item.sentence.units if unit.is_multiword
    ]
    assert contracted.form == "da"

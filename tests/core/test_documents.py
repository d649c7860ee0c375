import json

import pytest

from rig.core.documents import Document, json_lines, word_class
from rig.core.errors import DataError


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


def test_json_lines_keep_every_text() -> None:
    documents = [Document(doc_id="a", text='não "é"\n\u2028fim'), Document(doc_id="b", text="")]
    lines = json_lines(documents).split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == [{"doc_id": d.doc_id, "text": d.text} for d in documents]
    assert "não" in lines[0]

import sys
from types import SimpleNamespace

import pytest

from rig.core.errors import ConfigError, DataError, ModelError
from rig.parsers.catalog import build_parser
from rig.parsers.stanza import StanzaParser, sentences_of


def word(id_, text, upos="NOUN", head=0, deprel="root", feats=None):
    return SimpleNamespace(
        id=id_, text=text, upos=upos, head=head, deprel=deprel, feats=feats, lemma=None, xpos=None
    )


def token(text, words, start=None, end=None):
    return SimpleNamespace(
        text=text, words=words, id=tuple(w.id for w in words), start_char=start, end_char=end
    )


def document(*sentences):
    return SimpleNamespace(
        sentences=[
            SimpleNamespace(tokens=list(tokens), words=[w for t in tokens for w in t.words])
            for tokens in sentences
        ]
    )


TEXT = "Quer vê-la.  A linguagem da paz"


def stanza_document(*, offsets):
    """What Stanza makes of TEXT; its clitic is the "lla" of its issue 1208."""
    spans = (
        [(0, 4), (5, 10), (10, 11), (13, 14), (15, 24), (25, 27), (28, 31)] if offsets else [(None, None)] * 7
    )
    first = [
        token("Quer", [word(1, "Quer", "VERB", feats="VerbForm=Fin")], *spans[0]),
        token("vê-la", [word(2, "vê", "VERB", 1, "xcomp"), word(3, "lla", "PRON", 2, "obj")], *spans[1]),
        token(".", [word(4, ".", "PUNCT", 1, "punct")], *spans[2]),
    ]
    second = [
        token("A", [word(1, "A", "DET", 2, "det")], *spans[3]),
        token("linguagem", [word(2, "linguagem")], *spans[4]),
        token("da", [word(3, "de", "ADP", 5, "case"), word(4, "a", "DET", 5, "det")], *spans[5]),
        token("paz", [word(5, "paz", "NOUN", 2, "nmod")], *spans[6]),
    ]
    return document(first, second)


@pytest.mark.parametrize("offsets", [True, False])
def test_the_surface_is_kept_whatever_the_words(offsets):
    first, second = sentences_of(stanza_document(offsets=offsets), TEXT)
    assert (first.text, second.text) == ("Quer vê-la.", "A linguagem da paz")
    assert [unit.form for unit in first.units] == ["Quer", "vê-la", "."]
    assert [(u.first_word, u.last_word, u.is_multiword) for u in first.units] == [
        (1, 1, False),
        (2, 3, True),
        (4, 4, False),
    ]
    assert [unit.space_after for unit in first.units] == [True, False, True]
    assert [w.form for w in first.words] == ["Quer", "vê", "lla", "."]
    assert [u.form for u in second.units] == ["A", "linguagem", "da", "paz"]
    assert [(w.head, w.deprel) for w in second.words][-1] == (2, "nmod")
    assert first.words[0].feats == "VerbForm=Fin"


def test_the_parser_takes_any_pipeline():
    parser = StanzaParser("models", pipeline=lambda text: stanza_document(offsets=False))
    assert [len(sentences) for sentences in parser.parse([TEXT, "", " \n"])] == [2, 0, 0]


def test_a_token_that_is_not_there_is_refused():
    with pytest.raises(ModelError, match=r"token 'casa' is not in the text at 0: 'A l"):
        sentences_of(document([token("casa", [word(1, "casa")])]), "A linguagem")


def test_a_lost_piece_is_refused():
    with pytest.raises(ModelError, match=r"lost a piece of a text: 'A ' before 'linguagem'"):
        sentences_of(document([token("linguagem", [word(1, "linguagem")], 2, 11)]), "A linguagem")


def test_offsets_that_run_back_are_refused():
    tokens = [token("A", [word(1, "A")], 0, 1), token("A", [word(2, "A")], 0, 1)]
    with pytest.raises(ModelError, match=r"'A' has offsets 0:1 outside its turn"):
        sentences_of(document(tokens), "A linguagem")


def test_without_the_package_the_pip_line_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "stanza", None)
    with pytest.raises(ConfigError, match=r"run `pip install 'rig\[stanza\]'`"):
        build_parser({"name": "stanza", "model": "models"})


def test_a_chain_and_a_missing_folder_are_refused(monkeypatch):
    with pytest.raises(ConfigError, match="must be one folder of models"):
        StanzaParser(["a", "b"])
    monkeypatch.setitem(sys.modules, "stanza", SimpleNamespace(__version__="1.15.0"))
    with pytest.raises(DataError, match="stanza's models 'no/where' are not a folder"):
        StanzaParser("no/where")


def test_version_and_model_hash_come_from_the_package_and_its_files(monkeypatch, tmp_path):
    (tmp_path / "pt" / "pos").mkdir(parents=True)
    (tmp_path / "pt" / "pos" / "bosque.pt").write_bytes(b"weights")
    asked = {}

    def pipeline(**options):
        asked.update(options)
        return lambda text: stanza_document(offsets=True)

    monkeypatch.setitem(sys.modules, "stanza", SimpleNamespace(__version__="1.15.0", Pipeline=pipeline))
    parser = StanzaParser(str(tmp_path))
    first = parser.model_sha256
    assert (parser.name, parser.version, len(first)) == ("stanza", "1.15.0", 64)
    assert asked["download_method"] is None
    assert asked["dir"] == str(tmp_path)
    (tmp_path / "pt" / "pos" / "bosque.pt").write_bytes(b"other weights")
    assert StanzaParser(str(tmp_path)).model_sha256 != first

import unicodedata

import pytest

from rig.core.errors import DataError
from rig.data.similarity_pairs import SentencePair, read_similarity_pairs


def assin(tmp_path, *pairs, name="pairs.xml"):
    path = tmp_path / name
    path.write_text(
        f"<?xml version='1.0' encoding='utf-8'?>\n<entailment-corpus>{''.join(pairs)}</entailment-corpus>",
        "utf-8",
    )
    return path


def pair(pair_id="1", score="3.6", first="O menino dorme", second="A menina dorme"):
    return (
        f'<pair entailment="None" id="{pair_id}" similarity="{score}"><t> {first}\n</t><h>{second}</h></pair>'
    )


def stsb(tmp_path, text):
    path = tmp_path / "pairs.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_assin(tmp_path):
    path = assin(tmp_path, pair("0", "1.0"), pair("7", "5", "Gato &amp; cão", "😀 é"))
    assert read_similarity_pairs(path) == (
        SentencePair(pair_id="0", first="O menino dorme", second="A menina dorme", score=1.0),
        SentencePair(pair_id="7", first="Gato & cão", second="😀 é", score=5.0),
    )


def test_stsb_with_quoted_commas_and_line_ends(tmp_path):
    path = stsb(tmp_path, '"Ela disse ""sim"", e foi.","Foi,\r\nela.",0.0\r\nUm.,Dois.,4.75\r\n')
    assert read_similarity_pairs(path) == (
        SentencePair(pair_id="1", first='Ela disse "sim", e foi.', second="Foi,\r\nela.", score=0.0),
        SentencePair(pair_id="2", first="Um.", second="Dois.", score=4.75),
    )


def test_sentences_are_nfc(tmp_path):
    (only,) = read_similarity_pairs(assin(tmp_path, pair(first=unicodedata.normalize("NFD", "irmã"))))
    assert only.first == "irmã"


def test_the_bytes_decide_the_encoding_not_the_declaration(tmp_path):
    path = assin(tmp_path, pair(first="irmã"))
    path.write_text(path.read_text("utf-8").replace("utf-8", "iso-8859-1"), "utf-8")
    assert read_similarity_pairs(path)[0].first == "irmã"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (pair(score="2,5"), r"pair id 1: `similarity` is '2,5' with a decimal comma; write 2\.5"),
        (pair(score=""), "`similarity` is missing; every pair needs a human score from 1 to 5"),
        ('<pair id="1"><t>a</t><h>b</h></pair>', "`similarity` is missing"),
        (pair(score="0.5"), r"`similarity` must lie from 1 to 5, got 0\.5"),
        (pair(score="5.1"), "must lie from 1 to 5"),
        (pair(score="-2"), "must be a number from 1 to 5, got '-2'"),
        (pair(score="nan"), "must be a number from 1 to 5, got 'nan'"),
        (pair(score="inf"), "must be a number"),
        (pair(score="three"), "must be a number from 1 to 5, got 'three'"),
        (pair(score="３"), "must be a number"),
        (pair(first="  "), "pair id 1: <t> must be a sentence, got ''"),
        (pair(second="..."), r"<h> must be a sentence, got '\.\.\.'"),
        ('<pair id="1" similarity="3"><t>a</t></pair>', "<h> must be a sentence"),
        (pair() + pair(), "has the pair id 1 twice"),
        ('<pair similarity="3"><t>a</t><h>b</h></pair>', "pair 1 has no `id`"),
        ("", "has no sentence pairs"),
        ("<pair>", "is not XML .*; an ASSIN file was due"),
    ],
)
def test_a_wrong_assin_pair_is_refused(tmp_path, wrong, message):
    with pytest.raises(DataError, match=message):
        read_similarity_pairs(assin(tmp_path, wrong))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('a,b,"2,5"\n', r"line 1: the score is '2,5' with a decimal comma; write 2\.5"),
        ("a,b,2,5\n", r"line 1 must have three columns .*, got 4; .* write the score with a point"),
        ("a,b\n", "must have three columns"),
        ("a,b,1\n\nc,d,2\n", "line 2 must have three columns .*, got 0"),
        ("a,b,\n", "the score is missing"),
        ("a,b,5.5\n", r"must lie from 0 to 5, got 5\.5"),
        ("sentence1,sentence2,score\n", "must be a number from 0 to 5, got 'score'"),
        ("a,,1\n", "column 2 must be a sentence"),
        ('"a,b,1\n', "is malformed"),
        ("", "has no sentence pairs"),
    ],
)
def test_a_wrong_stsb_row_is_refused(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_similarity_pairs(stsb(tmp_path, text))


def test_other_files_are_refused(tmp_path):
    with pytest.raises(
        DataError, match=r"must be an ASSIN file \(\.xml\) or an STSb file \(\.csv\), got the ending '\.txt'"
    ):
        read_similarity_pairs(tmp_path / "pairs.txt")
    with pytest.raises(DataError, match="does not exist"):
        read_similarity_pairs(tmp_path / "none.xml")
    path = tmp_path / "html.xml"
    path.write_text("<html/>", encoding="utf-8")
    with pytest.raises(DataError, match="must have the root <entailment-corpus> of ASSIN, got <html>"):
        read_similarity_pairs(path)


def test_latin1_is_refused(tmp_path):
    path = assin(tmp_path, pair(first="irmã"))
    path.write_bytes(path.read_text("utf-8").encode("latin1"))
    with pytest.raises(DataError, match="must be UTF-8 text"):
        read_similarity_pairs(path)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "n_pairs"), [("assin2/assin2-dev.xml", 500), ("stsb_pt/stsb-pt-dev.csv", 1500)]
)
def test_real_files(name, n_pairs, test_data):
    pairs = read_similarity_pairs(test_data / "sts" / name)
    assert len(pairs) == n_pairs

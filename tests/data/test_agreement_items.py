import unicodedata
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.core.errors import DataError
from rig.data.agreement_items import (
    CELLS,
    COLUMNS,
    AgreementPair,
    read_agreement_pairs,
    write_agreement_pairs,
)

PAIR = AgreementPair(
    source="Teste",
    licence="CC0",
    sent_id="s1",
    text='😀 A "irmã" dos reis\tcanta.',
    char_start=20,
    char_end=25,
    verb_good="canta",
    verb_bad="cantam",
    lemma="cantar",
    upos="VERB",
    tense="Pres",
    mood="Ind",
    number="Sing",
    subject="irmã",
    subj_upos="NOUN",
    distance=4,
    n_attractors=1,
    last_noun_mismatch=True,
    rel_clause=False,
    pp=True,
)


def written(tmp_path, **changes):
    """A file with one row in which some fields are replaced as text."""
    path = tmp_path / "pairs.tsv"
    write_agreement_pairs(path, [PAIR])
    header, row = path.read_text("utf-8").splitlines()
    fields = dict(
        zip(header.split("\t"), row.replace('"', "").replace("s\tc", "s c").split("\t"), strict=True)
    )
    fields |= changes
    path.write_text("\t".join(fields) + "\n" + "\t".join(fields.values()) + "\n", encoding="utf-8")
    return path


PLAIN = {"text": "O rei canta.", "char_start": "6", "char_end": "11"}


def test_offsets_count_code_points_and_the_texts_differ_in_the_verb_only():
    assert PAIR.text_bad == '😀 A "irmã" dos reis\tcantam.'
    assert PAIR.cell == "Sing|mismatch"
    assert PAIR.item_id == "Teste/s1/20"


def test_round_trip_with_quotes_tabs_and_emoji(tmp_path):
    path = tmp_path / "pairs.tsv"
    pairs = (PAIR, replace(PAIR, sent_id="s2", text="O rei canta.", char_start=6, char_end=11))
    write_agreement_pairs(path, pairs)
    assert read_agreement_pairs(path) == pairs
    first = path.read_bytes()
    write_agreement_pairs(path, read_agreement_pairs(path))
    assert path.read_bytes() == first


@given(st.text(st.characters(codec="utf-8"), max_size=30), st.text(st.characters(codec="utf-8"), min_size=1))
def test_any_text_survives(tmp_path_factory, before, subject):
    before = unicodedata.normalize("NFC", before) + " "
    pair = replace(
        PAIR, text=f"{before}canta.", char_start=len(before), char_end=len(before) + 5, subject=subject
    )
    path = tmp_path_factory.getbasetemp() / "any.tsv"
    write_agreement_pairs(path, [pair])
    assert read_agreement_pairs(path) == (pair,)


def test_reads_carriage_returns_and_a_byte_order_mark(tmp_path):
    path = written(tmp_path, **PLAIN)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert [pair.text for pair in read_agreement_pairs(path)] == ["O rei canta."]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"char_start": "5"},
            r"line 2: `verb_good` is 'canta' but characters 5 to 11 of the text are ' canta'",
        ),
        ({"char_end": "99"}, "must lie in the 12 characters of the text, got 6 and 99"),
        ({"char_start": "six"}, "`char_start` must be a whole number, got 'six'"),
        ({"char_start": "-1"}, "`char_start` must be a whole number, got '-1'"),
        ({"char_start": "³"}, "`char_start` must be a whole number"),
        ({"verb_bad": "canta"}, "`verb_good` and `verb_bad` are both 'canta'"),
        ({"verb_bad": " "}, "`verb_bad` must be a word"),
        ({"verb_bad": unicodedata.normalize("NFD", "cantão")}, "`verb_bad` must be a word in NFC"),
        ({"number": "Dual"}, "`number` must be Sing or Plur, got 'Dual'"),
        ({"distance": "0"}, "`distance` must be at least 1"),
        ({"last_noun_mismatch": "yes"}, "`last_noun_mismatch` must be 0 or 1, got 'yes'"),
        ({"lemma": ""}, "`lemma` must not be empty"),
        ({"text": unicodedata.normalize("NFD", "A irmã canta.")}, "line 2: the text must be NFC"),
        ({"pp": "0\t1"}, "line 2 must have as many fields as the header"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(tmp_path, changes, message):
    path = written(tmp_path, **PLAIN | changes)
    with pytest.raises(DataError, match=message) as caught:
        read_agreement_pairs(path)
    assert "pairs.tsv' line 2" in str(caught.value)


def test_a_short_row_is_refused(tmp_path):
    path = written(tmp_path, **PLAIN)
    path.write_text(path.read_text("utf-8").rpartition("\t")[0] + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2 must have as many fields as the header"):
        read_agreement_pairs(path)


def test_rows_that_stand_there_twice_are_refused(tmp_path):
    path = tmp_path / "pairs.tsv"
    write_agreement_pairs(path, [PAIR, PAIR])
    with pytest.raises(DataError, match=r"line 3 repeats the pair of line 2 \('Teste/s1/20', canta/cantam\)"):
        read_agreement_pairs(path)
    write_agreement_pairs(path, [PAIR, replace(PAIR, sent_id="another name")])
    with pytest.raises(DataError, match="repeats the pair of line 2"):
        read_agreement_pairs(path)


def test_missing_columns_are_named(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("text\tverb_good\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"lacks the column\(s\) source, licence, .*; got text, verb_good"):
        read_agreement_pairs(path)
    path.write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="got none"):
        read_agreement_pairs(path)


def test_a_column_twice_is_refused(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("\t".join([*COLUMNS, "text"]) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="has a column twice"):
        read_agreement_pairs(path)


def test_a_file_without_pairs_is_refused(tmp_path):
    path = tmp_path / "pairs.tsv"
    write_agreement_pairs(path, [])
    with pytest.raises(DataError, match="has a header but no pairs"):
        read_agreement_pairs(path)


def test_an_open_quote_is_refused(tmp_path):
    path = written(tmp_path, **PLAIN | {"source": '"open'})
    with pytest.raises(DataError, match="is malformed: unexpected end of data"):
        read_agreement_pairs(path)


def test_wrong_encoding_is_refused(tmp_path):
    path = written(tmp_path, **PLAIN | {"subject": "irmã"})
    path.write_bytes(path.read_text("utf-8").encode("latin1"))
    with pytest.raises(DataError, match="must be UTF-8 text"):
        read_agreement_pairs(path)


@pytest.mark.real_data
def test_the_balanced_200(tmp_path, test_data):
    pairs = read_agreement_pairs(test_data / "agreement/pt_ud_sva_200.tsv")
    assert Counter(pair.cell for pair in pairs) == dict.fromkeys(CELLS, 50)
    assert max(Counter((pair.lemma, pair.cell) for pair in pairs).values()) <= 6
    write_agreement_pairs(tmp_path / "again.tsv", pairs)
    assert read_agreement_pairs(tmp_path / "again.tsv") == pairs

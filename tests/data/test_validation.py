from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from rig.core.errors import DataError
from rig.data.annotation_rules import RULES
from rig.data.annotations import Annotations, DocumentRecord, Metadata, write_annotations
from rig.data.conllu_import import import_conllu
from rig.data.schema import SCHEMAS, table_path
from rig.data.validation import RuleViolation, check, rule_names, validate


@pytest.fixture
def valid(conllu_files: dict[str, Path], metadata: Metadata, tmp_path: Path) -> Annotations:
    import_conllu(conllu_files, tmp_path / "set", metadata)
    return Annotations.open(tmp_path / "set")


def set_value(annotations: Annotations, table: str, column: str, row: int, value: Any) -> None:
    path = table_path(annotations.folder, table)
    rows = pq.read_table(path)
    values = rows[column].to_pylist()
    values[row] = value
    field = rows.schema.field(column).with_nullable(True)
    changed = rows.set_column(rows.column_names.index(column), field, pa.array(values, field.type))
    pq.write_table(changed.replace_schema_metadata(rows.schema.metadata), path)


def test_a_written_data_set_keeps_every_rule(valid: Annotations, tiny: Annotations) -> None:
    assert validate(valid) == []
    assert validate(tiny) == []
    check(valid)


# Rows of a document's words: 0 Vi, 1 o, 2 em, 3 o, 4 mar, 5 '.', 6 É, 7 🦊. Text: `Vi-o no mar. É 🦊`.
BREACHES: list[tuple[str, str, int, Any, str]] = [
    ("documents", "text", 0, "Vi-o no mar. E\u0301 🦊", "a document's text is NFC"),
    ("documents", "sha256", 0, "0" * 64, "a document's sha256 is that of its text"),
    ("documents", "split", 0, "dev", "a document's split is train, validation or test"),
    ("documents", "split", 0, "dev", "each split has documents"),
    ("documents", "doc_id", 1, "train", "rows of all tables stand in the documents' order"),
    ("documents", "text", 0, None, "no required value of documents is missing"),
    ("documents", "text", 0, "Vi-o no mar. É 🦊 x", "everything but white space lies in units"),
    ("sentences", "char_end", 1, 99, "a sentence lies inside its document"),
    ("sentences", "char_start", 0, -1, "a sentence lies inside its document"),
    ("sentences", "text", 0, "other", "a sentence's text is its slice of the document"),
    ("sentences", "char_start", 1, 11, "sentences are numbered from 0, in order, apart"),
    ("sentences", "sent_index", 1, 2, "sentences are numbered from 0, in order, apart"),
    ("sentences", "sent_id", 1, "train-1", "sent_id is unique"),
    ("sentences", "n_words", 0, 7, "n_words and n_units count the sentence's rows"),
    ("sentences", "n_units", 0, 7, "n_words and n_units count the sentence's rows"),
    ("sentences", "text", 0, None, "no required value of sentences is missing"),
    ("words", "sent_id", 7, "nowhere", "words follow their sentences' order"),
    ("words", "word_id", 4, 9, "word_id counts from 1"),
    ("words", "unit_id", 7, 2, "unit_id counts from 0"),
    ("words", "unit_end_char", 7, 99, "a unit lies inside its sentence"),
    ("words", "unit_start_char", 6, 12, "a unit lies inside its sentence"),
    ("words", "unit_form", 4, "mer", "unit_form is the unit's slice of the document"),
    ("words", "unit_start_char", 5, 10, "units don't overlap"),
    ("words", "space_after", 4, True, "between units lies white space, just where space_after"),
    ("words", "space_after", 6, False, "between units lies white space, just where space_after"),
    ("words", "unit_end_char", 4, 10, "between units lies white space, just where space_after"),
    ("words", "mwt_size", 2, 3, "a multiword token's rows agree, and number mwt_size"),
    ("words", "mwt_pos", 3, 0, "a multiword token's rows agree, and number mwt_size"),
    ("words", "in_mwt", 3, False, "a multiword token's rows agree, and number mwt_size"),
    ("words", "unit_end_char", 3, 8, "a multiword token's rows agree, and number mwt_size"),
    ("words", "form", 4, "mer", "a plain word's form is its unit's (but CorrectForm)"),
    ("words", "upos", 4, "NOUM", "upos is one of the 17 universal tags"),
    ("words", "upos", 4, "_", "upos is one of the 17 universal tags"),
    ("words", "head", 4, 5, "head is another word of the sentence, or 0"),
    ("words", "head", 4, 7, "head is another word of the sentence, or 0"),
    ("words", "head", 4, -1, "head is another word of the sentence, or 0"),
    ("words", "head", 4, 0, "a sentence has one root"),
    ("words", "head", 0, 5, "heads don't run in a circle"),
    ("words", "deprel", 4, "", "deprel is given"),
    ("words", "deprel", 4, "root", "deprel is root exactly where head is 0"),
    ("words", "feats", 4, "Number=Sing|Gender=Masc", "feats are Name=Value pairs, sorted, each name once"),
    ("words", "head", 4, None, "no required value of words is missing"),
]


@pytest.mark.parametrize(("table", "column", "row", "value", "rule"), BREACHES)
def test_every_breach_is_found(
    valid: Annotations, table: str, column: str, row: int, value: Any, rule: str
) -> None:
    set_value(valid, table, column, row, value)
    assert rule in {violation.rule for violation in validate(valid)}
    with pytest.raises(DataError, match=r"it must hold that .*; run `rig data validate` for the whole list"):
        check(valid)


def test_every_rule_has_a_breach_that_finds_it() -> None:
    tested = {rule for *_, rule in BREACHES} | {"doc_id is unique"}
    assert set(rule_names()) == tested
    assert len(set(rule_names())) == len(rule_names())
    assert {rule.table for rule in RULES} == set(SCHEMAS)


def test_offenders_are_counted_and_named(valid: Annotations) -> None:
    for row in (4, 5, 6, 7):
        set_value(valid, "words", "upos", row, "Z")
    assert validate(valid) == [
        RuleViolation(
            rule="upos is one of the 17 universal tags",
            n_offenders=4,
            first=("sentence 'train-1' word 5", "sentence 'train-1' word 6", "sentence 'train-2' word 1"),
        )
    ]
    with pytest.raises(
        DataError, match="upos is one of the 17 universal tags, but not so for sentence 'train-1' word 5"
    ):
        check(valid)


def test_a_circle_names_all_its_words_and_those_below(valid: Annotations) -> None:
    set_value(valid, "words", "head", 0, 5)  # Vi under mar, mar under Vi: nothing reaches the root
    (circle,) = (v for v in validate(valid) if v.rule == "heads don't run in a circle")
    assert circle.n_offenders == 6


def test_a_copy_edited_form_may_differ(valid: Annotations) -> None:
    set_value(valid, "words", "form", 4, "mer")
    set_value(valid, "words", "misc", 4, "CorrectForm=mar")
    assert validate(valid) == []


def test_double_document_ids_are_found(tiny: Annotations) -> None:
    path = table_path(tiny.folder, "documents")
    rows = pq.read_table(path)
    pq.write_table(pa.concat_tables([rows, rows.slice(2, 1)]), path)
    (violation,) = (v for v in validate(tiny) if v.rule == "doc_id is unique")
    assert violation.first == ("'three'",)


def test_an_empty_split_is_a_violation(
    tmp_path: Path, metadata: Metadata, record: Callable[..., DocumentRecord]
) -> None:
    write_annotations(tmp_path / "s", [record("a", "train", "x"), record("b", "validation", "y")], metadata)
    annotations = Annotations.open(tmp_path / "s")
    assert validate(annotations) == [
        RuleViolation(rule="each split has documents", n_offenders=1, first=("test",))
    ]
    with pytest.raises(DataError, match="each split has documents, but not so for test"):
        check(annotations)


def test_a_data_set_without_words_is_survived(tiny: Annotations) -> None:
    for table in ("sentences", "words"):
        path = table_path(tiny.folder, table)
        pq.write_table(pq.read_table(path).slice(0, 0), path)
    assert {v.rule for v in validate(tiny)} == {"everything but white space lies in units"}
    path = table_path(tiny.folder, "documents")
    rows = pq.read_table(path)
    pq.write_table(rows.filter(pc.equal(rows["doc_id"], "none")), path)
    assert {v.rule for v in validate(tiny)} == {"each split has documents"}


@pytest.mark.slow
@pytest.mark.real_data
def test_bosque_is_valid(bosque: Annotations) -> None:
    assert validate(bosque) == []

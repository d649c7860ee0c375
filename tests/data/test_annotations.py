import itertools
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from rig.core.errors import DataError
from rig.data.annotations import SPLITS, Annotations, DocumentRecord, Metadata, write_annotations
from rig.data.conllu_import import import_conllu
from rig.data.schema import SCHEMAS, table_path


@pytest.fixture
def imported(conllu_files: dict[str, Path], metadata: Metadata, tmp_path: Path) -> Annotations:
    import_conllu(conllu_files, tmp_path / "set", metadata)
    return Annotations.open(tmp_path / "set")


def rewrite(folder: Path, table: str, change: Callable[[pa.Table], pa.Table], **options: object) -> None:
    """Replace a table's file, its metadata kept."""
    path = table_path(folder, table)
    rows = pq.read_table(path)
    pq.write_table(change(rows).replace_schema_metadata(rows.schema.metadata), path, **options)


def test_what_was_written_is_read_again(tiny: Annotations, record: Callable[..., DocumentRecord]) -> None:
    stored = [item.sentence for item in tiny.sentences("test")]
    assert tuple(stored) == record("three", "test", "A d", "e").sentences
    assert [item.char_start for item in tiny.sentences("test")] == [0, 4]
    assert [(d.doc_id, d.text) for d in tiny.documents("test")] == [("three", "A d e")]
    assert [tiny.n_documents(split) for split in SPLITS] == [1, 1, 1]


def test_metadata_stand_in_every_file(tiny: Annotations, metadata: Metadata) -> None:
    assert tiny.metadata == metadata
    for table in SCHEMAS:
        assert b"codepoint" in pq.read_schema(table_path(tiny.folder, table)).metadata[b"rig.annotations"]


def test_units_carry_the_tag_of_their_outermost_word(imported: Annotations) -> None:
    (document,) = imported.annotated("test", ("upos", "deprel", "feats.Number", "xpos"))
    text, units = document.document.text, document.units
    forms = [text[start:end] for start, end in zip(units.char_start, units.char_end, strict=True)]
    assert forms == ["Vi-o", "no", "mar", ".", "É", "🦊"]
    # `o` of Vi-o hangs on Vi, inside: the unit is VERB. Both words of `no` hang on mar: the first counts.
    assert units.upos == ("VERB", "ADP", "NOUN", "PUNCT", "AUX", "SYM")
    assert units.strata["upos"] == ("VERB+PRON", "ADP+DET", "NOUN", "PUNCT", "AUX", "SYM")
    assert units.strata["deprel"] == ("root", "case", "obl", "punct", "cop", "root")
    assert units.strata["feats.Number"] == ("Sing", "none", "Sing", "none", "Sing", "none")
    assert units.strata["xpos"] == ("V", "none", "none", "none", "none", "none")


def test_the_outermost_word_need_not_be_the_first(imported: Annotations) -> None:
    # Turn the tree of Vi-o round: Vi hangs on o, o is the root.
    def turned(rows: pa.Table) -> pa.Table:
        heads = rows["head"].to_pylist()
        for row in [i for i, form in enumerate(rows["unit_form"].to_pylist()) if form == "Vi-o"][::2]:
            heads[row], heads[row + 1] = 2, 0
        return rows.set_column(rows.column_names.index("head"), "head", pa.array(heads, pa.int16()))

    rewrite(imported.folder, "words", turned)
    (document,) = imported.annotated("test")
    assert document.units.upos[0] == "PRON"
    assert document.units.strata["upos"][0] == "VERB+PRON"


def test_a_unit_whose_heads_never_leave_it_is_refused(imported: Annotations) -> None:
    def circled(rows: pa.Table) -> pa.Table:
        heads = pc.if_else(pc.equal(rows["unit_form"], "no"), pc.subtract(7, rows["word_id"]), rows["head"])
        return rows.set_column(rows.column_names.index("head"), "head", heads.cast(pa.int16()))

    rewrite(imported.folder, "words", circled)
    with pytest.raises(DataError, match="'train-1': the heads of a multiword token's words never leave it"):
        list(imported.annotated("train"))


def test_seen_is_about_casefolded_forms_of_the_train_split(tiny: Annotations) -> None:
    (document,) = tiny.annotated("test", ("seen",))
    assert document.units.strata["seen"] == ("seen", "unseen", "unseen")  # A d e against a b c


def test_unknown_names_get_a_suggestion_before_anything_is_read(tiny: Annotations) -> None:
    with pytest.raises(DataError, match=r"Unknown split 'tset'. Did you mean 'test'\?"):
        tiny.annotated("tset")
    with pytest.raises(DataError, match=r"Unknown split 'dev'. Known: test, train, validation\."):
        tiny.sentences("dev")
    with pytest.raises(DataError, match="Unknown split"):
        tiny.documents("")
    with pytest.raises(DataError, match="Unknown split"):
        tiny.n_documents("all")
    with pytest.raises(DataError, match=r"Unknown stratum 'deprell'. Did you mean 'deprel'\?"):
        tiny.annotated("test", ("deprell",))
    with pytest.raises(DataError, match=r"Unknown stratum 'feats\.'"):
        tiny.annotated("test", ("feats.",))
    with pytest.raises(DataError, match="name each stratum once"):
        tiny.annotated("test", ("upos", "upos"))
    with pytest.raises(DataError, match=r"Unknown column 'formm' of the words table. Did you mean 'form'"):
        tiny.blocks(word_columns=["formm"])


@pytest.mark.parametrize("options", [{"row_group_size": 1}, {"row_group_size": 4, "compression": "none"}, {}])
def test_the_hash_is_of_the_rows_not_of_the_file(tiny: Annotations, options: dict[str, object]) -> None:
    before, readings = tiny.content_sha256(), next(iter(tiny.annotated("test"))).units.strata

    def widened(rows: pa.Table) -> pa.Table:
        kinds = {pa.int16(): pa.int64(), pa.string(): pa.large_string(), pa.int8(): pa.int32()}
        fields = [pa.field(f.name, kinds.get(f.type, f.type)) for f in rows.schema]
        return rows.cast(pa.schema(fields))

    for table in SCHEMAS:
        rewrite(tiny.folder, table, widened, **options)
    again = Annotations.open(tiny.folder)
    assert again.content_sha256() == before
    assert next(iter(again.annotated("test"))).units.strata == readings
    assert [i.sentence for i in again.sentences("train")] == [i.sentence for i in tiny.sentences("train")]


def test_the_hash_sees_every_column(imported: Annotations) -> None:
    before = imported.content_sha256()["words"]
    hashes = {before}
    for name in SCHEMAS["words"].names:
        rows = pq.read_table(table_path(imported.folder, "words"))
        column = rows[name].to_pylist()
        column[0] = {str: "other", int: 77, bool: not column[0], type(None): "other"}[type(column[0])]
        changed = rows.set_column(
            rows.column_names.index(name),
            rows.schema.field(name),
            pa.array(column, rows.schema.field(name).type),
        )
        pq.write_table(
            changed.replace_schema_metadata(rows.schema.metadata), imported.folder / "words.parquet"
        )
        hashes.add(imported.content_sha256()["words"])
        pq.write_table(rows, imported.folder / "words.parquet")
    assert len(hashes) == len(SCHEMAS["words"].names) + 1
    assert imported.content_sha256()["words"] == before


def test_rows_out_of_document_order_are_refused(tiny: Annotations) -> None:
    rewrite(tiny.folder, "words", lambda rows: rows.take(list(reversed(range(rows.num_rows)))))
    with pytest.raises(
        DataError, match=r"words.parquet: rows of document 'two' are out of the documents' order"
    ):
        list(tiny.annotated("test"))


def test_rows_of_an_unknown_document_are_refused(tiny: Annotations) -> None:
    rewrite(tiny.folder, "documents", lambda rows: rows.slice(0, 2))
    with pytest.raises(DataError, match=r"words.parquet: rows of document 'three' are out"):
        list(tiny.annotated("train"))


def test_incomplete_sentences_are_refused(tiny: Annotations) -> None:
    rewrite(tiny.folder, "words", lambda rows: rows.filter(pc.not_equal(rows["form"], "d")))
    with pytest.raises(DataError, match=r"rows in words.parquet are incomplete"):
        list(tiny.sentences("test"))


def test_open_says_what_is_wrong(tiny: Annotations, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is no folder"):
        Annotations.open(tmp_path / "nowhere")
    path = table_path(tiny.folder, "sentences")
    rows, original = pq.read_table(path), path.read_bytes()

    pq.write_table(rows.drop_columns(["text"]), path)
    with pytest.raises(DataError, match=r"sentences.parquet: column 'text' is missing"):
        Annotations.open(tiny.folder)
    pq.write_table(rows.set_column(4, "char_end", rows["char_end"].cast(pa.float64())), path)
    with pytest.raises(DataError, match="column 'char_end' must hold whole numbers, got double"):
        Annotations.open(tiny.folder)
    newer = rows.schema.metadata[b"rig.annotations"].replace(b'"schema_version": 1', b'"schema_version": 2')
    pq.write_table(rows.replace_schema_metadata({b"rig.annotations": newer}), path)
    with pytest.raises(DataError, match="has schema version 2, but this rig reads up to 1; upgrade rig"):
        Annotations.open(tiny.folder)
    other = rows.schema.metadata[b"rig.annotations"].replace(b'"tiny"', b'"huge"')
    pq.write_table(rows.replace_schema_metadata({b"rig.annotations": other}), path)
    with pytest.raises(DataError, match="belongs to another data set"):
        Annotations.open(tiny.folder)
    pq.write_table(rows.replace_schema_metadata({b"rig.annotations": b"{}"}), path)
    with pytest.raises(DataError, match="metadata are damaged"):
        Annotations.open(tiny.folder)
    pq.write_table(rows.replace_schema_metadata({}), path)
    with pytest.raises(DataError, match="doesn't say that it holds rig's annotations"):
        Annotations.open(tiny.folder)
    path.write_bytes(original[: len(original) // 2])
    with pytest.raises(DataError, match="can't be read as parquet"):
        Annotations.open(tiny.folder)
    path.unlink()
    with pytest.raises(DataError, match=r"sentences.parquet is missing; a data set is a folder with"):
        Annotations.open(tiny.folder)


def test_a_number_too_large_for_its_column_is_refused(tiny: Annotations) -> None:
    def outsized(rows: pa.Table) -> pa.Table:
        return rows.set_column(rows.column_names.index("head"), "head", pa.array([1 << 40] * rows.num_rows))

    rewrite(tiny.folder, "words", outsized)
    with pytest.raises(DataError, match="a value doesn't fit its column"):
        list(tiny.annotated("test"))


def test_many_documents_span_row_groups(
    tmp_path: Path, metadata: Metadata, record: Callable[..., DocumentRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rig.data.annotation_writer._WORDS_PER_ROW_GROUP", 5)
    monkeypatch.setattr("rig.data.blocks._MAX_BLOCK_CHARS", 7)
    monkeypatch.setattr("rig.data.blocks._BATCH_ROWS", 3)
    documents = [record(f"d{i}", SPLITS[i % 3], *["a b"] * (i % 4 + 1)) for i in range(40)]
    write_annotations(tmp_path / "set", iter(documents), metadata)
    annotations = Annotations.open(tmp_path / "set")
    assert pq.ParquetFile(table_path(tmp_path / "set", "words")).num_row_groups > 5
    for split in SPLITS:
        wanted = [d for d in documents if d.split == split]
        assert [d.doc_id for d in annotations.documents(split)] == [d.doc_id for d in wanted]
        assert [len(d.units) for d in annotations.annotated(split)] == [2 * len(d.sentences) for d in wanted]
        stored = [item.sentence for item in annotations.sentences(split)]
        assert stored == list(itertools.chain.from_iterable(d.sentences for d in wanted))


@pytest.mark.slow
@pytest.mark.real_data
def test_bosque_is_annotated_fast(bosque: Annotations) -> None:
    started = time.process_time()
    n_units = sum(len(document.units) for split in SPLITS for document in bosque.annotated(split))
    assert n_units == 210_958
    assert time.process_time() - started < 2.0

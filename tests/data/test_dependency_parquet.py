import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rig.core.errors import DataError
from rig.core.sentences import Sentence
from rig.data.annotations import SPLITS, Annotations, Metadata
from rig.data.conllu_import import import_conllu
from rig.data.dependency_parquet import import_parquet
from rig.data.schema import table_path

# `names` as Hugging Face orders them: not the alphabet, and never to be assumed.
UPOS = [
    "NOUN", "PUNCT", "ADP", "NUM", "SYM", "SCONJ", "ADJ", "PART", "DET",
    "CCONJ", "PROPN", "PRON", "X", "_", "ADV", "INTJ", "VERB", "AUX",
]  # fmt: skip
FEATURES = {
    "info": {"features": {"upos": {"feature": {"names": UPOS, "_type": "ClassLabel"}, "_type": "Sequence"}}}
}

Rows = list[dict[str, Any]]


@pytest.fixture
def original(conllu_files: dict[str, Path], metadata: Metadata, tmp_path: Path) -> Annotations:
    import_conllu(conllu_files, tmp_path / "original", metadata)
    return Annotations.open(tmp_path / "original")


def sentence_row(sentence: Sentence, doc_id: str, first: bool) -> dict[str, Any]:
    """A row as ud-hf-parquet-tools writes it."""
    no_space = {u.first_word for u in sentence.units if not u.space_after and not u.is_multiword}

    def misc(number: int, own: str | None) -> str:
        return "|".join(filter(None, [own, "SpaceAfter=No" if number in no_space else None])) or "_"

    columns = zip(*(dataclasses.astuple(word) for word in sentence.words), strict=True)
    form, upos, head, deprel, lemma, xpos, feats, deps, own_misc = columns
    node_fields = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
    return {
        "sent_id": sentence.sent_id,
        "text": sentence.text,
        "comments": ([f"# newdoc id = {doc_id}"] if first else []) + [f"# {c}" for c in sentence.comments],
        "tokens": form,
        "lemmas": lemma,
        "upos": [UPOS.index(tag) for tag in upos],
        "xpos": [tag or "_" for tag in xpos],
        "feats": feats,
        "head": [str(number) for number in head],
        "deprel": deprel,
        "deps": deps,
        "misc": [misc(number, own) for number, own in enumerate(own_misc, start=1)],
        "mwt": [
            {
                "id": f"{u.first_word}-{u.last_word}",
                "form": u.form,
                "feats": u.feats or "_",
                "misc": u.misc or "_",
            }
            for u in sentence.units
            if u.is_multiword
        ],
        "empty_nodes": [
            dict(zip(node_fields, line.split("\t"), strict=True)) for line in sentence.empty_nodes
        ],
    }


@pytest.fixture
def sentence_rows(original: Annotations) -> dict[str, Rows]:
    """Rows of each split, a sentence each."""
    return {
        split: [
            sentence_row(item.sentence, item.doc_id, item.char_start == 0)
            for item in original.sentences(split)
        ]
        for split in SPLITS
    }


@pytest.fixture
def word_rows(original: Annotations) -> Rows:
    """Rows of all splits, a word each, as the original stores them, with the split of their document."""
    rows: Rows = pq.read_table(table_path(original.folder, "words")).to_pylist()
    return [row | {"split": row["doc_id"]} for row in rows]


@pytest.fixture
def import_rows(tmp_path: Path, metadata: Metadata) -> Callable[..., Annotations]:
    """Writes rows to a parquet file (or one for each split) and imports it."""

    def run(rows: Rows | dict[str, Rows], *, features: Any = FEATURES, **options: Any) -> Annotations:
        files: Any = {}
        for split, its_rows in (rows if isinstance(rows, dict) else {"all": rows}).items():
            table = pa.Table.from_pylist(its_rows)
            files[split] = tmp_path / f"{split}.parquet"
            pq.write_table(table.replace_schema_metadata({"huggingface": json.dumps(features)}), files[split])
        out = tmp_path / "imported"
        import_parquet(files.get("all", files), out, metadata, **options)
        return Annotations.open(out)

    return run


def test_sentence_rows_come_in_whole(
    original: Annotations, sentence_rows: dict[str, Rows], import_rows: Callable[..., Annotations]
) -> None:
    assert import_rows(sentence_rows).content_sha256() == original.content_sha256()


def test_sentence_rows_need_no_space_information_beside_the_text(
    original: Annotations, sentence_rows: dict[str, Rows], import_rows: Callable[..., Annotations]
) -> None:
    for rows in sentence_rows.values():
        for row in rows:
            del row["misc"]
    imported = [item.sentence.units for item in import_rows(sentence_rows).sentences("test")]
    stored = [item.sentence.units for item in original.sentences("test")]
    # Only what the last token says about the space after it is not in the text.
    assert imported[0] == stored[0]
    assert imported[1][0] == stored[1][0]


def test_word_rows_come_in_whole(
    original: Annotations, word_rows: Rows, import_rows: Callable[..., Annotations]
) -> None:
    imported = import_rows(word_rows).content_sha256()
    assert imported["documents"] == original.content_sha256()["documents"]
    assert imported["words"] == original.content_sha256()["words"]


def test_word_rows_may_have_ranges_and_other_names(
    original: Annotations, word_rows: Rows, import_rows: Callable[..., Annotations]
) -> None:
    rows: Rows = []
    for row in word_rows:
        text = "Vi-o no mar." if row["sent_id"].endswith("1") else "É 🦊"
        shared = {name: row[name] for name in ("doc_id", "sent_id", "split")} | {"text": text}
        if row["in_mwt"] and row["mwt_pos"] == 0:
            span = f"{row['word_id']}-{row['word_id'] + row['mwt_size'] - 1}"
            rows.append(
                shared | {"nr": span, "token": row["unit_form"], "pos": "_", "gov": None, "rel": None}
            )
        word = {"nr": str(row["word_id"]), "token": row["form"], "pos": row["upos"]}
        rows.append(shared | word | {"gov": str(row["head"]), "rel": row["deprel"]})
    names = {"word_id": "nr", "form": "token", "upos": "pos", "head": "gov", "deprel": "rel"}
    imported = import_rows(rows, columns=names)
    texts = [document.text for document in imported.documents("test")]
    assert texts == [document.text for document in original.documents("test")]
    units, stored = (next(iter(a.annotated("test"))).units for a in (imported, original))
    assert units.strata == stored.strata
    assert units.char_start.tolist() == stored.char_start.tolist()


def test_ids_that_are_numbers_are_unique_by_document(
    word_rows: Rows, import_rows: Callable[..., Annotations]
) -> None:
    numbered = [row | {"sent_id": int(row["sent_id"][-1])} for row in word_rows]
    ids = [item.sentence.sent_id for item in import_rows(numbered).sentences("test")]
    assert ids == ["test-1", "test-2"]


def test_dicts_as_text_are_read(word_rows: Rows, import_rows: Callable[..., Annotations]) -> None:
    row = word_rows[4]
    assert row["form"] == "mar"
    row |= {"feats": "{'Number': 'Sing', 'Gender': 'Masc'}", "misc": "{'Gloss': 'sea', 'Flag': None}"}
    row["deps"] = "None"
    first = next(iter(import_rows(word_rows).sentences("train"))).sentence
    assert first.words[4].feats == "Gender=Masc|Number=Sing"
    assert first.words[4].misc == "Flag|Gloss=sea"
    assert first.words[4].deps is None


def test_dev_is_validation_and_other_splits_are_refused(
    word_rows: Rows, import_rows: Callable[..., Annotations]
) -> None:
    dev = [row | {"split": "dev" if row["split"] == "validation" else row["split"]} for row in word_rows]
    assert import_rows(dev).n_documents("validation") == 1
    bad = [row | {"split": "tset"} for row in word_rows]
    with pytest.raises(DataError, match=r"row 1: unknown split 'tset'. Did you mean 'test'\?"):
        import_rows(bad, overwrite=True)


def given(**values: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Sets values of a row."""
    return lambda row: row | values


def without(*columns: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Takes columns of a row away."""
    return lambda row: {name: value for name, value in row.items() if name not in columns}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (given(head=0.0), r"column 'head' \(head\) must hold text or whole numbers, got double"),
        (given(form=1), r"column 'form' \(form\) must hold text, got int64"),
        (given(upos=3), "column 'upos' holds numbers, but the file's metadata have no ClassLabel names"),
        (given(feats={"A": "x"}), r"column 'feats' \(feats\) must hold text, got struct"),
        (given(space_after="No"), r"column 'space_after' .* must hold true or false, got string"),
        (given(unit_start_char=0.0), r"column 'unit_start_char' .* must hold whole numbers, got double"),
        (without("head"), r"no column for 'head' among .* with --map head=NAME"),
        (without("sent_id"), "no column for 'sent_id'"),
        (without("split"), "no column for 'split'"),
        (without("misc", "space_after"), "where spaces stand is not known; give one of the columns text"),
        (without("doc_id"), "sentence 'train-1' stands in no document"),
        (given(upos="_"), "row 1, word 1: 'Vi' has no upos; if it is a multiword token's own row"),
        (given(head=None), "sentence 'train-1': HEAD of word 1 'Vi' must be a word number or 0, got '_'"),
        (given(form="a\tb"), "column 'form' holds a tab or line break"),
        (given(deps="[('a', 1)]"), "`deps` must be text as in CoNLL-U"),
        (given(feats="{'a'"), r"`feats` is .* neither Name=Value pairs nor a dict"),
        (given(unit_end_char=5), "word 'Vi' is given at 0 to 5, but lies at 0 to 4"),
    ],
)
def test_word_rows_that_are_wrong(
    word_rows: Rows, import_rows: Callable[..., Annotations], change: Callable[[Any], Any], fault: str
) -> None:
    with pytest.raises(DataError, match=fault):
        import_rows([change(row) for row in word_rows], features={})


def test_offsets_that_are_missing_for_some_words(
    word_rows: Rows, import_rows: Callable[..., Annotations]
) -> None:
    word_rows[0]["unit_end_char"] = None
    with pytest.raises(DataError, match="offsets must be there for all words of a sentence or for none"):
        import_rows(word_rows)


def test_offsets_in_bytes_are_refused(word_rows: Rows, import_rows: Callable[..., Annotations]) -> None:
    for row in word_rows:
        if row["unit_form"] == "🦊":
            row["unit_start_char"], row["unit_end_char"] = (
                row["unit_start_char"] + 1,
                row["unit_end_char"] + 4,
            )
    with pytest.raises(
        DataError, match="word '🦊' is given at 16 to 20, but lies at 15 to 16; offsets are those"
    ):
        import_rows(word_rows)


def test_offsets_may_count_from_another_place(
    original: Annotations, word_rows: Rows, import_rows: Callable[..., Annotations]
) -> None:
    for row in word_rows:
        row["unit_start_char"] += 100
        row["unit_end_char"] += 100
    assert import_rows(word_rows).content_sha256()["words"] == original.content_sha256()["words"]


def test_shuffled_rows_are_refused(word_rows: Rows, import_rows: Callable[..., Annotations]) -> None:
    word_rows[4], word_rows[5] = word_rows[5], word_rows[4]
    with pytest.raises(DataError, match="sentence 'train-1': word number 5 was due, got '6'"):
        import_rows(word_rows)


def test_space_columns_must_agree(word_rows: Rows, import_rows: Callable[..., Annotations]) -> None:
    word_rows[5]["misc"] = "SpaceAfter=No"
    with pytest.raises(DataError, match="`space_after` is True and MISC is 'SpaceAfter=No'; they must agree"):
        import_rows(word_rows)
    word_rows[5] |= {"misc": None, "space_after": None}
    with pytest.raises(DataError, match="`space_after` is None"):
        import_rows(word_rows)


def test_words_of_a_unit_must_agree_on_it(word_rows: Rows, import_rows: Callable[..., Annotations]) -> None:
    word_rows[1]["unit_form"] = "other"
    with pytest.raises(DataError, match="'unit_form' must be the same for all words of one unit"):
        import_rows(word_rows)


def test_texts_of_a_sentence_must_agree(word_rows: Rows, import_rows: Callable[..., Annotations]) -> None:
    rows = [row | {"text": str(index)} for index, row in enumerate(word_rows)]
    with pytest.raises(DataError, match="`text` must be the same in all rows of sentence 'train-1'"):
        import_rows(rows)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"head": ["0"]}, "row 1: 'head' must have 2 items, as many as there are tokens"),
        ({"tokens": [], "head": []}, "row 1: the sentence has no tokens"),
        ({"upos": [99, 1]}, "column 'upos' has class 99 of 18"),
        ({"upos": [UPOS.index("_"), 1]}, "'É' has no upos"),
        ({"head": ["None", "0"]}, "HEAD of word 1 'É' must be a word number or 0, got 'None'"),
        (
            {"mwt": [{"id": "7-8", "form": "x", "feats": "_", "misc": "_"}]},
            "multiword token '7-8' has no words",
        ),
        ({"text": "É 🐺"}, "`# text` is not what the tokens spell"),
    ],
)
def test_sentence_rows_that_are_wrong(
    sentence_rows: dict[str, Rows],
    import_rows: Callable[..., Annotations],
    change: dict[str, Any],
    fault: str,
) -> None:
    row = sentence_rows["train"][1] | {"comments": ["newdoc id = train"]} | change
    with pytest.raises(DataError, match=fault):
        import_rows(sentence_rows | {"train": [row]})


def test_merged_tokens_ask_for_their_parts(
    sentence_rows: dict[str, Rows], import_rows: Callable[..., Annotations]
) -> None:
    rows = {
        split: [{k: v for k, v in row.items() if k not in ("misc", "mwt")} for row in its]
        for split, its in sentence_rows.items()
    }
    with pytest.raises(
        DataError, match=r"`text` has 'Vi-o no ma.*' where token 'o' was due|if it is in a multiword"
    ):
        import_rows(rows)


def test_text_can_be_normalised(
    sentence_rows: dict[str, Rows], import_rows: Callable[..., Annotations]
) -> None:
    row = sentence_rows["train"][1]
    row |= {"text": "E\u0301 🦊", "tokens": ["E\u0301", "🦊"], "comments": ["newdoc id = train"]}
    with pytest.raises(DataError, match="is not NFC text"):
        import_rows(sentence_rows | {"train": [row]})
    imported = import_rows(sentence_rows | {"train": [row]}, normalise=True)
    assert next(iter(imported.documents("train"))).text == "É 🦊"


def test_files_and_columns_that_are_not_there(
    word_rows: Rows, import_rows: Callable[..., Annotations], tmp_path: Path, metadata: Metadata
) -> None:
    with pytest.raises(DataError, match=r"--map: unknown column 'frm'. Did you mean 'form'\?"):
        import_rows(word_rows, columns={"frm": "form"})
    with pytest.raises(DataError, match=r"no column 'fom' for 'form'. Did you mean 'form'\?"):
        import_rows(word_rows, columns={"form": "fom"})
    with pytest.raises(DataError, match="a document per file needs one file for each split"):
        import_rows(word_rows, document_per="file")
    with pytest.raises(DataError, match="the validation file is missing"):
        import_rows({"train": word_rows})
    with pytest.raises(DataError, match="is missing or no file; name a parquet file"):
        import_parquet(tmp_path, tmp_path / "x", metadata)
    (tmp_path / "bad.parquet").write_bytes(b"no")
    with pytest.raises(DataError, match="can't be read as parquet"):
        import_parquet(tmp_path / "bad.parquet", tmp_path / "x", metadata)
    pq.write_table(pa.Table.from_pylist(word_rows).slice(0, 0), tmp_path / "train.parquet")
    with pytest.raises(DataError, match=r"train.parquet has no sentences"):
        import_parquet(dict.fromkeys(SPLITS, tmp_path / "train.parquet"), tmp_path / "x", metadata)

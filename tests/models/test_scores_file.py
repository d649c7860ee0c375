import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rig.core.documents import Document
from rig.core.errors import DataError, ModelError
from rig.models.scores_file import UNKNOWN, example_scores, read_scores, write_scores

DOCUMENTS = [Document(doc_id="a", text="não é"), Document(doc_id="b", text="pão")]
# `não é` in three tokens: não, space, é; `pão` in pieces of bytes: p, first of ã, rest of ã, o.
ROWS: list[tuple[str, int, int, int, float]] = [
    ("a", 0, 0, 3, -1.0), ("a", 1, 3, 4, -0.25), ("a", 2, 4, 5, -2.0),
    ("b", 0, 0, 1, -1.0), ("b", 1, 1, 2, -0.5), ("b", 2, 2, 2, 0.0), ("b", 3, 2, 3, -3.0),
]  # fmt: skip
NAMES = ("doc_id", "token_index", "char_start", "char_end", "logprob")


def write(folder: Path, rows=ROWS, *, base: str | None = "e", **more: Any) -> Path:
    columns = {name: list(values) for name, values in zip(NAMES, zip(*rows, strict=True), strict=True)}
    table = pa.table({**columns, **more})
    path = folder / "scores.parquet"
    pq.write_table(table.replace_schema_metadata({"rig.logprob_base": base} if base else {}), path)
    return path


def changed(index: int, column: int, value: Any) -> list[Any]:
    rows: list[Any] = [list(row) for row in ROWS]
    rows[index][column] = value
    return rows


def read(path: Path, base: str | None = None):
    return read_scores(path, DOCUMENTS, base=base)


def test_scores_are_read_whatever_the_order_of_the_rows(tmp_path: Path) -> None:
    held = read(write(tmp_path, ROWS[::-1]))
    assert held.scores["a"].logprob.tolist() == [-1.0, -0.25, -2.0]
    assert held.scores["b"].char_end.tolist() == [1, 2, 2, 3]
    assert held.scores["b"].total_nats == 4.5
    assert (held.base, held.has_unk, held.n_other_documents) == ("e", False, 0)
    assert read(write(tmp_path)).segmentation_sha256 == held.segmentation_sha256


@pytest.mark.parametrize(("base", "nats"), [("2", math.log(2)), ("10", math.log(10)), ("e", 1.0)])
def test_a_declared_base_is_converted_to_nats(tmp_path: Path, base: str, nats: float) -> None:
    for held in (read(write(tmp_path, base=base)), read(write(tmp_path, base=None), base=base)):
        assert held.scores["a"].total_nats == pytest.approx(3.25 * nats, rel=1e-15)


def test_the_base_must_be_declared_once(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not say the base of its logarithms"):
        read(write(tmp_path, base=None))
    with pytest.raises(DataError, match="says base 2, the option `base` e"):
        read(write(tmp_path, base="2"), base="e")
    path = write(tmp_path)
    pq.write_table(pq.read_table(path).replace_schema_metadata({"rig.logprob_base": b"\xff"}), path)
    with pytest.raises(DataError, match=r"the base of the logarithms in .* is '.'\. Known: 10, 2, e"):
        read(path)
    with pytest.raises(DataError, match="is '3'"):
        read(write(tmp_path, base="3"))


def test_other_documents_are_ignored_and_counted(tmp_path: Path) -> None:
    held = read(write(tmp_path, [*ROWS, ("c", 0, 0, 1, -9.0), ("d", 7, 0, 1, 5.0)]))
    assert held.n_other_documents == 2
    assert sorted(held.scores) == ["a", "b"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS[:3], "lacks 1 of 2 documents to be scored, first 'b'"),
        (ROWS[:-1], "spans must cover all 3 characters"),
        (ROWS[:4] + ROWS[5:], "1 is missing"),
        ([*ROWS, ROWS[-1]], "3 stands twice"),
        (ROWS[1:], "0 is missing"),
        (changed(1, 2, 2), "spans must tile the text, but token 1 begins at 2 where 3 was due"),
        (changed(0, 4, math.nan), "a `logprob` of document 'a' is not finite"),
        (changed(0, 4, -math.inf), "a `logprob` of document 'a' is not finite"),
        ([(*row[:4], 0.0) for row in ROWS], "every `logprob` is 0, which is a probability of 1"),
        (changed(0, 4, 0.5), "must be finite and <= 0, got 0.5"),
        ([(*row[:4], -row[4]) for row in ROWS], "every `logprob` is positive, so these are surprisals"),
        (changed(6, 3, 4), "they end at 4"),
    ],
)
def test_scores_that_are_not_of_these_texts_are_refused(tmp_path: Path, rows, message: str) -> None:
    with pytest.raises((DataError, ModelError), match=message):
        read(write(tmp_path, rows))


def test_wrong_columns_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path)
    table = pq.read_table(path)
    for change, message in (
        (table.rename_columns(["doc", *NAMES[1:]]), "lacks the column 'doc_id' .text.*Known: char_end"),
        (table.set_column(4, "logprob", pa.array([1] * 7)), "'logprob' must hold a floating-point number"),
        (table.set_column(0, "doc_id", pa.array(range(7))), "'doc_id' must hold text a row, got int64"),
        (table.set_column(1, "token_index", pa.array([0.0] * 7)), "'token_index' must hold a whole number"),
        (table.set_column(4, "logprob", pa.array([None] + [-1.0] * 6)), "'logprob' has 1 empty cells"),
        (table.append_column("is_unk", pa.array([1] * 7)), "'is_unk' must hold true or false"),
        (table.set_column(4, "logprob", table["logprob"].cast(pa.float16())), "float16, which is too coarse"),
    ):
        pq.write_table(change, path)
        with pytest.raises(DataError, match=message):
            read(path, base="e")
    path.write_text("doc_id,logprob\n")
    with pytest.raises(DataError, match="can't be read as parquet"):
        read(path)
    with pytest.raises(DataError, match="there is no file of scores"):
        read(tmp_path / "none.parquet")


def test_unknown_tokens_are_marked(tmp_path: Path) -> None:
    held = read(write(tmp_path, is_unk=[False, False, True, False, False, False, False]))
    assert held.has_unk
    assert np.flatnonzero(held.scores["a"].token_id == UNKNOWN).tolist() == [2]


def test_large_strings_and_dictionaries_are_text_too(tmp_path: Path) -> None:
    path = write(tmp_path)
    table = pq.read_table(path)
    for kind in (pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        column = pa.array(table["doc_id"].to_pylist(), pa.string()).cast(kind)
        pq.write_table(table.set_column(0, "doc_id", column), path)
        assert read(path, base="e").scores["b"].n_tokens == 4


def test_what_is_written_is_read_and_the_example_has_its_known_answer(tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    write_scores(path, [example_scores(document) for document in DOCUMENTS])
    held = read(path)
    for document in DOCUMENTS:
        bits = held.scores[document.doc_id].total_nats / math.log(2)
        assert bits / document.n_chars == pytest.approx(math.log2(1114112), rel=1e-15)


def test_another_segmentation_has_another_hash(tmp_path: Path) -> None:
    whole = [("a", 0, 0, 5, -1.0), *ROWS[3:]]
    assert read(write(tmp_path, whole)).segmentation_sha256 != read(write(tmp_path)).segmentation_sha256

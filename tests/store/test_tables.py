from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rig.core.errors import ModelError, StoreError
from rig.core.items import Item
from rig.core.masked_tokens import MaskedTokens
from rig.core.token_scores import TokenScores
from rig.store.tables import (
    read_items,
    read_masked_tokens,
    read_sums,
    read_token_scores,
    token_scores_writer,
    write_items,
    write_masked_tokens,
    write_sums,
)


def scores(doc_id: str, n: int) -> TokenScores:
    return TokenScores(
        doc_id=doc_id,
        token_id=np.arange(n),
        char_start=np.arange(n),
        char_end=np.arange(1, n + 1),
        logprob=-np.arange(1.0, n + 1) / 3,
        n_chars=n,
    )


def test_token_scores_round_trip_bit_for_bit_across_batches(tmp_path: Path) -> None:
    path = tmp_path / "token_scores.parquet"
    documents = [scores("a", 3), scores("b", 1), scores("c", 5)]
    with token_scores_writer(path) as writer:
        writer.write(documents[:2])
        writer.write(documents[2:])
    read = list(read_token_scores(path, {"a": 3, "b": 1, "c": 5}))
    assert [document.doc_id for document in read] == ["a", "b", "c"]
    for before, after in zip(documents, read, strict=True):
        assert after.logprob.tobytes() == before.logprob.tobytes()
        assert after.token_id.tolist() == before.token_id.tolist()
    assert pq.read_table(path).column_names == [
        "doc_id", "position", "token_id", "char_start", "char_end", "logprob",
    ]  # fmt: skip
    assert pq.read_table(path)["position"].to_pylist() == [0, 1, 2, 0, 0, 1, 2, 3, 4]


def test_an_error_half_way_leaves_no_file(tmp_path: Path) -> None:
    def write_half() -> None:
        with token_scores_writer(tmp_path / "token_scores.parquet") as writer:
            writer.write([scores("a", 3)])
            raise RuntimeError("half-way")

    with pytest.raises(RuntimeError, match="half-way"):
        write_half()
    assert not list(tmp_path.iterdir())


def test_an_unknown_document_and_a_gap_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "token_scores.parquet"
    with token_scores_writer(path) as writer:
        writer.write([scores("a", 3)])
    with pytest.raises(StoreError, match="document 'a' is not in the annotations"):
        list(read_token_scores(path, {"b": 3}))
    with pytest.raises(ModelError, match="must cover all 4 characters"):
        list(read_token_scores(path, {"a": 4}))


def hidden(doc_id: str, positions: list[int]) -> MaskedTokens:
    at = np.array(positions, np.int64)
    return MaskedTokens(
        doc_id=doc_id, position=at, token_id=at + 5, predicted=at + 6, logprob=-(at + 1.0) / 3
    )


def test_hidden_tokens_round_trip_and_a_document_without_any_has_no_row(tmp_path: Path) -> None:
    path = tmp_path / "masked_tokens.parquet"
    write_masked_tokens(path, [hidden("a", [0, 4]), hidden("b", []), hidden("c", [2])])
    assert pq.read_table(path).column_names == ["doc_id", "position", "token_id", "predicted", "logprob"]
    read = read_masked_tokens(path)
    assert list(read) == ["a", "c"]
    assert read["a"].position.tolist() == [0, 4]
    assert read["c"].token_id.tolist() == [7]
    assert read["c"].predicted.tolist() == [8]
    assert read["a"].logprob.tobytes() == hidden("a", [0, 4]).logprob.tobytes()
    write_masked_tokens(path, [])
    assert read_masked_tokens(path) == {}


def test_hidden_tokens_of_another_kind_of_file_are_refused(tmp_path: Path) -> None:
    write_sums(tmp_path / "sums.parquet", [])
    with pytest.raises(StoreError, match="lacks the column 'position'; it has doc_id"):
        read_masked_tokens(tmp_path / "sums.parquet")


def test_sums_round_trip_and_a_missing_pair_is_zero(tmp_path: Path) -> None:
    path = tmp_path / "sums.parquet"
    write_sums(path, [("a", {"ce": (1.5, 2.0), "bpc": (0.1, 3.0)}), ("b", {"ce": (2.5, 4.0)})])
    sums = read_sums(path)
    assert sums.doc_ids == ("a", "b")
    assert sums.names == ("bpc", "ce")
    assert sums.total.tolist() == [[0.1, 1.5], [0.0, 2.5]]
    assert sums.weight.tolist() == [[3.0, 2.0], [0.0, 4.0]]
    write_sums(path, [])
    assert read_sums(path).doc_ids == ()


def test_items_round_trip_by_task(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    one = Item(item_id="1", cluster_id="x", cell="Sing|match", predicted=0.5, gold=1.0)
    two = Item(item_id="1", cluster_id="y", cell="", predicted=1 / 3, gold=4.0)
    write_items(path, [("agreement", one), ("similarity", two)])
    assert read_items(path) == {"agreement": [one], "similarity": [two]}
    write_items(path, [])
    assert read_items(path) == {}


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no parquet")
    with pytest.raises(StoreError, match="can't be read as parquet"):
        read_sums(tmp_path / "text")
    pq.write_table(pa.table({"doc_id": ["a"]}), tmp_path / "other")
    with pytest.raises(StoreError, match="lacks the column 'metric'; it has doc_id"):
        read_sums(tmp_path / "other")

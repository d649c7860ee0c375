import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.data.content_hash import content_sha256

TEXTS = st.lists(st.none() | st.text(max_size=3), max_size=8)


def table(values: list[str | None], lists: list[list[str]] | None = None) -> pa.Table:
    columns = {"a": pa.array(values, pa.string())}
    if lists is not None:
        columns["b"] = pa.array(lists, pa.list_(pa.string()))
    return pa.table(columns)


@settings(deadline=None)  # the first call may load a library
@given(TEXTS, st.integers(0, 8))
def test_where_rows_are_cut_makes_no_difference(values: list[str | None], cut: int) -> None:
    whole = table(values)
    assert content_sha256([whole], ["a"]) == content_sha256([whole.slice(0, cut), whole.slice(cut)], ["a"])


@settings(deadline=None)  # the first call may load a library
@given(TEXTS, TEXTS)
def test_other_values_have_another_hash(one: list[str | None], other: list[str | None]) -> None:
    assert (content_sha256([table(one)], ["a"]) == content_sha256([table(other)], ["a"])) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [([["x", "y"], []], [["x"], ["y"]]), ([["xy"]], [["x", "y"]]), ([[""]], [[]]), ([["x"]], [["y"]])],
)
def test_lists_differ_by_items_and_where_they_end(one: list[list[str]], other: list[list[str]]) -> None:
    hashes = {content_sha256([table(["-"] * len(rows), rows)], ["b"]) for rows in (one, other)}
    assert len(hashes) == 2


def test_a_slice_hashes_its_own_rows_only() -> None:
    rows = [["a", "b"], ["c"], ["d", "e"]]
    whole = table(["x", "y", "z"], rows)
    assert content_sha256([whole.slice(1)], ["a", "b"]) == content_sha256(
        [table(["y", "z"], rows[1:])], ["a", "b"]
    )


def test_widths_and_encodings_make_no_difference() -> None:
    narrow = pa.table({"a": pa.array([1, 2], pa.int8()), "b": pa.array(["x", "x"])})
    wide = pa.table({"a": pa.array([1, 2], pa.int64()), "b": pa.array(["x", "x"]).dictionary_encode()})
    assert content_sha256([narrow], ["a", "b"]) == content_sha256([wide], ["a", "b"])
    assert content_sha256([narrow], ["a", "b"]) != content_sha256([narrow], ["b", "a"])

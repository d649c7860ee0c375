from rig.core.sums import collect, concatenate


def test_concatenating_tables_is_pooling_documents() -> None:
    one = collect([("a", {"ce": (2.0, 1.0)}), ("b", {"ce": (3.0, 4.0), "bpc": (1.0, 2.0)})])
    two = collect([("c", {"ce": (5.0, 5.0)})])
    whole = concatenate([one, two])
    assert whole.doc_ids == ("a", "b", "c")
    assert whole.pooled("ce") == (10.0, 10.0)
    assert whole.ratio("ce") == 1.0
    assert whole.ratio("bpc") == 0.5
    assert collect([]).ratio("ce") is None

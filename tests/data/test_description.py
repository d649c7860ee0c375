from collections.abc import Callable
from pathlib import Path

import pytest

from rig.data.annotations import Annotations, DocumentRecord, Metadata, write_annotations
from rig.data.conllu_import import import_conllu
from rig.data.description import describe, sentence_overlap


def test_counts_of_a_hand_worked_set(
    conllu_files: dict[str, Path], metadata: Metadata, tmp_path: Path
) -> None:
    import_conllu(conllu_files, tmp_path / "set", metadata)
    annotations = Annotations.open(tmp_path / "set")
    description = describe(annotations)
    assert [counts.split for counts in description.splits] == ["train", "validation", "test"]
    test = description.splits[2]
    text = "Vi-o no mar. É 🦊"
    assert (test.n_documents, test.n_sentences, test.n_words, test.n_units, test.n_multiword) == (
        1,
        2,
        8,
        6,
        2,
    )
    assert (test.n_chars, test.n_bytes) == (len(text), len(text.encode())) == (16, 20)
    assert test.multiword_share == pytest.approx(1 / 3)
    assert test.words_by_upos == {
        "ADP": 1,
        "AUX": 1,
        "DET": 1,
        "NOUN": 1,
        "PRON": 1,
        "PUNCT": 1,
        "SYM": 1,
        "VERB": 1,
    }
    assert test.units_by_class == {"NOUN": 1, "VERB": 1, "ADJ": 0, "PROPN": 0, "ADV": 0, "OUTROS": 4}
    assert description.metadata == metadata
    assert description.content_sha256 == annotations.content_sha256()
    assert description.extra_lines == ()


def test_overlap_counts_sentences_and_characters(
    tmp_path: Path, metadata: Metadata, record: Callable[..., DocumentRecord]
) -> None:
    documents = [
        record("t", "test", "a b", "long one here", "A b", "a b"),  # before train: order doesn't matter
        record("r", "train", "a b", "c", "here"),
        record("v", "validation", "long one here"),
    ]
    write_annotations(tmp_path / "set", documents, metadata)
    overlap = sentence_overlap(Annotations.open(tmp_path / "set"))
    assert (overlap.n_test, overlap.n_overlapping, overlap.share) == (4, 2, 0.5)
    assert (overlap.n_test_chars, overlap.n_overlapping_chars) == (22, 6)
    assert overlap.share_of_chars == 6 / 22


def test_without_test_sentences_there_is_no_share(
    tmp_path: Path, metadata: Metadata, record: Callable[..., DocumentRecord]
) -> None:
    write_annotations(tmp_path / "set", [record("r", "train", "a b")], metadata)
    annotations = Annotations.open(tmp_path / "set")
    overlap = sentence_overlap(annotations)
    assert (overlap.n_test, overlap.share, overlap.share_of_chars) == (0, None, None)
    assert describe(annotations).splits[2].multiword_share is None


def test_others_can_add_lines(tiny: Annotations) -> None:
    description = describe(tiny, lambda annotations: [f"entropy of {annotations.metadata.name}: 1 nat"])
    assert description.extra_lines == ("entropy of tiny: 1 nat",)


@pytest.mark.slow
@pytest.mark.real_data
def test_bosque_counts(bosque: Annotations) -> None:
    splits = describe(bosque).splits
    assert sum(counts.n_sentences for counts in splits) == 9_357
    assert sum(counts.n_words for counts in splits) == 227_827
    assert sum(counts.n_units for counts in splits) == 210_958
    assert sum(counts.n_multiword for counts in splits) == 16_868
    assert (splits[2].n_units, splits[2].n_words, splits[2].n_multiword) == (25_589, 27_604, 2_015)
    assert (splits[2].words_by_upos["ADP"], splits[2].words_by_upos["DET"]) == (4_115, 4_203)
    assert all(sum(counts.units_by_class.values()) == counts.n_units for counts in splits)

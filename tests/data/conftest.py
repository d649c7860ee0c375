"""Small data sets, and the real treebank where there is one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.data.annotations import Annotations, DocumentRecord, write_annotations
from rig.data.conllu_import import import_conllu
from rig.data.schema import SPLITS, Metadata

CONLLU = """\
# newdoc id = {doc}
# sent_id = {doc}-1
# text = Vi-o no mar.
# source = a = b
1-2\tVi-o\t_\t_\t_\tTypo=Yes\t_\t_\t_\tNote=x
1\tVi\tver\tVERB\tV\tMood=Ind|Number=Sing\t0\troot\t0:root\t_
2\to\tele\tPRON\t_\tNumber=Sing\t1\tobj\t1:obj\t_
3-4\tno\t_\t_\t_\t_\t_\t_\t_\t_
3\tem\tem\tADP\t_\t_\t5\tcase\t5:case\t_
4\to\to\tDET\t_\tGender=Masc|Number=Sing\t5\tdet\t5:det\t_
5\tmar\tmar\tNOUN\t_\tGender=Masc|Number=Sing\t1\tobl\t1:obl\tGloss=sea|SpaceAfter=No|Zone=1
5.1\tfoi\tser\tVERB\t_\t_\t_\t_\t1:conj\t_
6\t.\t.\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_

# sent_id = {doc}-2
# text = É 🦊
1\tÉ\tser\tAUX\t_\tNumber=Sing\t2\tcop\t_\t_
2\t🦊\t_\tSYM\t_\t_\t0\troot\t_\tSpaceAfter=No

"""
"""A document with what CoNLL-U can hold: two kinds of multiword tokens, an empty node, MISC, an emoji."""


def _metadata(name: str) -> Metadata:
    return Metadata(
        name=name,
        language="pt",
        annotator="manual",
        annotator_version="",
        model_sha256="",
        ud_version="2.16",
        source="made up",
        licence="CC0-1.0",
    )


@pytest.fixture
def metadata() -> Metadata:
    return _metadata("tiny")


@pytest.fixture
def conllu_files(tmp_path: Path) -> dict[str, Path]:
    """One CoNLL-U file a split, one document each."""
    files = {}
    for split in SPLITS:
        files[split] = tmp_path / f"in-{split}.conllu"
        files[split].write_text(CONLLU.format(doc=split), encoding="utf-8")
    return files


@pytest.fixture
def sentence() -> Callable[..., Sentence]:
    """Makes a sentence of plain nouns: the first is the root, the others hang on it."""

    def make(sent_id: str, text: str) -> Sentence:
        forms = text.split(" ")
        return Sentence(
            sent_id=sent_id,
            text=text,
            words=tuple(
                Word(form=form, upos="NOUN", head=min(index, 1), deprel="dep" if index else "root")
                for index, form in enumerate(forms)
            ),
            units=tuple(
                SurfaceUnit(form=form, first_word=number, last_word=number)
                for number, form in enumerate(forms, start=1)
            ),
        )

    return make


@pytest.fixture
def record(sentence: Callable[..., Sentence]) -> Callable[..., DocumentRecord]:
    """Makes a document of sentences of plain nouns."""

    def make(doc_id: str, split: str, *texts: str) -> DocumentRecord:
        sentences = tuple(sentence(f"{doc_id}.{index}", text) for index, text in enumerate(texts))
        return DocumentRecord(doc_id=doc_id, split=split, source="", licence="", sentences=sentences)

    return make


@pytest.fixture
def tiny(tmp_path: Path, metadata: Metadata, record: Callable[..., DocumentRecord]) -> Annotations:
    """Three documents, one a split: `a b c`, `b`, `A d` and `e`."""
    documents = [
        record("one", "train", "a b c"),
        record("two", "validation", "b"),
        record("three", "test", "A d", "e"),
    ]
    write_annotations(tmp_path / "tiny", documents, metadata)
    return Annotations.open(tmp_path / "tiny")


@pytest.fixture(scope="session")
def bosque_files(test_data: Path) -> dict[str, Path]:
    """UD_Portuguese-Bosque, one file a split."""
    folder = test_data / "ud" / "Bosque"
    names = ("pt_bosque-ud-train.rebuilt.conllu", "pt_bosque-ud-dev.conllu", "pt_bosque-ud-test.conllu")
    files = dict(zip(SPLITS, (folder / name for name in names), strict=True))
    if not all(path.is_file() for path in files.values()):
        pytest.skip("RIG_TEST_DATA has no ud/Bosque")
    return files


@pytest.fixture(scope="session")
def bosque(bosque_files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Annotations:
    """The treebank, imported once; not to be changed."""
    folder = tmp_path_factory.mktemp("bosque") / "set"
    import_conllu(bosque_files, folder, _metadata("bosque"))
    return Annotations.open(folder)

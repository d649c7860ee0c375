from pathlib import Path

import pytest

from rig.core.errors import DataError
from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.data.conllu import conllu_text, read_conllu
from rig.data.conllu_sentence import ConlluSentence

ROW = "{}\t{}\t_\tX\t_\t_\t{}\t{}\t_\t_\n"
HEAD = "# newdoc id = d\n# sent_id = s1\n"
GOOD = HEAD + "# text = a b\n" + ROW.format(1, "a", 0, "root") + ROW.format(2, "b", 1, "dep") + "\n"


def read(path: Path, text: str | bytes, **options: object) -> list[ConlluSentence]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_conllu(path, **options))  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "f.conllu"


def test_every_field_is_read(conllu_files: dict[str, Path]) -> None:
    first, second = read_conllu(conllu_files["test"])
    assert (first.line, first.newdoc, second.line, second.newdoc) == (5, "test", 17, None)
    sentence = first.sentence
    assert (sentence.sent_id, sentence.text) == ("test-1", "Vi-o no mar.")
    assert sentence.comments == ("source = a = b",)
    assert sentence.empty_nodes == ("5.1\tfoi\tser\tVERB\t_\t_\t_\t_\t1:conj\t_",)
    assert sentence.words[0] == Word(
        form="Vi",
        lemma="ver",
        upos="VERB",
        xpos="V",
        feats="Mood=Ind|Number=Sing",
        head=0,
        deprel="root",
        deps="0:root",
    )
    assert sentence.words[4].misc == "Gloss=sea|Zone=1"
    assert sentence.units == (
        SurfaceUnit(
            form="Vi-o", first_word=1, last_word=2, is_multiword=True, feats="Typo=Yes", misc="Note=x"
        ),
        SurfaceUnit(form="no", first_word=3, last_word=4, is_multiword=True),
        SurfaceUnit(form="mar", first_word=5, last_word=5, space_after=False),
        SurfaceUnit(form=".", first_word=6, last_word=6),
    )
    assert second.sentence.units[1].space_after is False


def test_what_is_written_is_what_was_read(conllu_files: dict[str, Path]) -> None:
    text = "".join(
        conllu_text(item.sentence, newdoc=item.newdoc) for item in read_conllu(conllu_files["test"])
    )
    assert text == conllu_files["test"].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("mark", "newdoc"),
    [
        ("newdoc id = X", "X"),
        ("newdoc_id = X", "X"),
        ("newdoc_id=X", "X"),
        ("newdoc", ""),
        ("newdocument = X", None),
    ],
)
def test_document_marks(path: Path, mark: str, newdoc: str | None) -> None:
    (item,) = read(path, GOOD.replace("newdoc id = d", mark))
    assert item.newdoc == newdoc
    assert item.sentence.comments == (() if newdoc is not None else (mark,))


def test_a_file_may_end_without_a_blank_line_and_have_several(path: Path) -> None:
    assert len(read(path, "\n" + GOOD + "\n\n" + GOOD.rstrip("\n"))) == 2


def test_without_text_and_id_they_are_made(path: Path) -> None:
    bare = "".join(line for line in GOOD.splitlines(keepends=True) if not line.startswith("#"))
    first, second = read(path, bare + bare)
    assert (first.sentence.sent_id, second.sentence.sent_id) == ("f-1", "f-2")
    assert first.sentence.text == "a b"


def test_a_range_over_one_word_is_a_multiword_token(path: Path) -> None:
    (item,) = read(path, GOOD.replace("2\tb", "2-2\tb" + "\t_" * 8 + "\n2\tc"))
    assert item.sentence.units[1] == SurfaceUnit(form="b", first_word=2, last_word=2, is_multiword=True)
    assert item.sentence.words[1].form == "c"


def test_an_empty_node_may_stand_before_the_first_word(path: Path) -> None:
    node = "0.1\te\t_\tX\t_\t_\t_\t_\t_\t_"
    text = GOOD.replace("1\ta", f"{node}\n1\ta")
    (item,) = read(path, text)
    assert item.sentence.empty_nodes == (node,)
    assert conllu_text(item.sentence, newdoc="d") == text


def test_text_that_differs_is_refused_or_rebuilt(path: Path) -> None:
    wrong = GOOD.replace("text = a b", "text = a c")
    with pytest.raises(
        DataError, match=r"f.conllu:4: sentence 's1': `# text` is not what the tokens spell: token 2"
    ):
        read(path, wrong)
    (item,) = read(path, wrong, on_text_mismatch="rebuild")
    assert item.sentence.text == "a b"


def test_nfc_is_required_or_made(path: Path) -> None:
    decomposed = GOOD.replace("text = a b", "text = e\u0301 b").replace("1\ta", "1\te\u0301")
    with pytest.raises(DataError, match=r"f.conllu:3: .* is not NFC text; normalise it with --normalise"):
        read(path, decomposed)
    (item,) = read(path, decomposed, normalise=True)
    assert (item.sentence.text, item.sentence.words[0].form) == ("é b", "é")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("1\ta\t_", "1\ta", r"f.conllu:4: sentence 's1': a token has 10 columns separated by tabs, got 9"),
        ("1\ta\t_", "1\ta\t_\t_", "got 11"),
        ("1\ta\t_\tX", "1 a _ X", "got 7"),
        ("1\ta\t_", "1\ta\t", "column 3 is empty; an absent value is written `_`"),
        ("2\tb", "3\tb", "f.conllu:5: sentence 's1': word number 2 was due, got '3'"),
        ("2\tb", "x\tb", "word number 2 was due, got 'x'"),
        ("2\tb", "²\tb", "word number 2 was due, got '²'"),
        ("\t1\tdep", "\t_\tdep", "HEAD of word 2 'b' must be a word number or 0, got '_'"),
        ("\t1\tdep", "\t1.1\tdep", "HEAD of word 2 'b' must be a word number or 0, got '1.1'"),
        ("\t1\tdep", "\t1\t_", "DEPREL of word 2 'b' is missing"),
        ("\t1\tdep", "\t7\tdep", "f.conllu:4: sentence 's1': word 2 'b' has head 7"),
        ("\t1\tdep", "\t0\troot", "must have one root, got 2"),
        ("2\tb", "2-x\tb", "'2-x' is no range"),
        ("2\tb", "3-2\tb", "'3-2' is no range"),
        ("1\ta", "2-3\tz" + "\t_" * 8 + "\n1\ta", "the range 2-3 must stand right before its first word"),
        ("2\tb", "2-9\tb" + "\t_" * 8 + "\n2\tb", "tokens cover 9 of 2 words"),
        ("2\tb", "2.1\tb", "an empty node here must be numbered 1.1"),
        ("2\tb", "# text = late\n2\tb", "a comment must stand before the sentence's first token"),
        ("# text", "# text = a b\n# text", "`# text` is there twice"),
        ("# sent_id = s1", "# sent_id = ", "`# sent_id` must not be empty"),
        ("# newdoc", "# newdoc\n# newdoc", "`# newdoc` is there twice"),
    ],
)
def test_faults_name_file_line_and_sentence(path: Path, old: str, new: str, fault: str) -> None:
    assert old in GOOD
    with pytest.raises(DataError, match=fault):
        read(path, GOOD.replace(old, new, 1))


def test_circles_are_refused(path: Path) -> None:
    rows = [(1, "a", 0, "root"), (2, "b", 3, "dep"), (3, "c", 2, "dep")]
    with pytest.raises(DataError, match=r"f.conllu:3: sentence 's1': the heads run in a circle"):
        read(path, HEAD + "".join(ROW.format(*row) for row in rows) + "\n")


def test_space_after_inside_a_multiword_token_is_refused(path: Path) -> None:
    text = GOOD.replace("1\ta", "1-2\tab" + "\t_" * 8 + "\n1\ta").replace(
        "root\t_\t_", "root\t_\tSpaceAfter=No"
    )
    with pytest.raises(
        DataError, match=r"f.conllu:5: sentence 's1': SpaceAfter=No of a multiword token belongs on its"
    ):
        read(path, text)


def test_other_encodings_are_refused(path: Path) -> None:
    latin1 = GOOD.replace("text = a", "text = é").encode("latin-1")
    with pytest.raises(DataError, match=r"f.conllu:3: the line is not UTF-8 \(byte 0xe9\); convert the file"):
        read(path, latin1)
    with pytest.raises(DataError, match=r"f.conllu:1: the file begins with a byte order mark"):
        read(path, b"\xef\xbb\xbf" + GOOD.encode())
    with pytest.raises(DataError, match=r"f.conllu:1: .*not UTF-8"):
        read(path, GOOD.encode("utf-16"))
    with pytest.raises(
        DataError, match=r"f.conllu:1: the line holds a carriage return; save it with Unix line ends"
    ):
        read(path, GOOD.replace("\n", "\r\n"))


def test_files_without_sentences_are_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"f.conllu has no sentences"):
        read(path, "\n\n")
    with pytest.raises(DataError, match=r"f.conllu:3: sentence 's1': these comments belong to no sentence"):
        read(path, HEAD + "\n")
    with pytest.raises(DataError, match=r"f.conllu:2: sentence 's1': these comments belong to no sentence"):
        read(path, HEAD)
    with pytest.raises(DataError, match="is missing or no file"):
        list(read_conllu(tmp_path))


def test_progress_counts_every_byte(path: Path) -> None:
    sizes: list[int] = []
    read(path, GOOD * 3, advance=sizes.append)
    assert sum(sizes) == path.stat().st_size


def test_a_line_break_in_the_text_cant_be_written() -> None:
    word = Word(form="a\tb", upos="X", head=0, deprel="root")
    units = (SurfaceUnit(form="a\tb", first_word=1, last_word=1),)
    with pytest.raises(DataError, match="sentence 's' holds a tab or a line break"):
        conllu_text(Sentence(sent_id="s", text="a\tb", words=(word,), units=units))
    with pytest.raises(DataError, match="sentence 's' holds a tab or a line break"):
        conllu_text(Sentence(sent_id="s", text="a\nb", words=(), units=()))

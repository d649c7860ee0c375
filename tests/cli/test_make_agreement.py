import subprocess
import sys

import pytest
from click.testing import CliRunner

from rig.cli.make_agreement import make_agreement
from rig.core.errors import DataError, UsageError
from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.data.agreement_items import read_agreement_pairs
from rig.data.annotations import SPLITS, DocumentRecord, Metadata, write_annotations

NOUNS = {("Sing"): ("rainha", "carta"), "Plur": ("rainhas", "cartas")}
VERBS = {"Sing": ("canta", "dorme", "parte"), "Plur": ("cantam", "dormem", "partem")}


def sentence(sent_id, number, attractor, verb, determiner):
    """`A rainha de cartas canta.`"""
    feats_of_verb = f"Mood=Ind|Number={number}|Person=3|Tense=Pres|VerbForm=Fin"
    words = (
        Word(form=determiner, lemma=determiner, upos="DET", head=2, deprel="det"),
        Word(
            form=NOUNS[number][0],
            lemma="rainha",
            upos="NOUN",
            head=5,
            deprel="nsubj",
            feats=f"Number={number}",
        ),
        Word(form="de", lemma="de", upos="ADP", head=4, deprel="case"),
        Word(
            form=NOUNS[attractor][1],
            lemma="carta",
            upos="NOUN",
            head=2,
            deprel="nmod",
            feats=f"Number={attractor}",
        ),
        Word(
            form=VERBS[number][verb],
            lemma=f"verbo{verb}",
            upos="VERB",
            head=0,
            deprel="root",
            feats=feats_of_verb,
        ),
        Word(form=".", lemma=".", upos="PUNCT", head=5, deprel="punct"),
    )
    return Sentence(
        sent_id=sent_id,
        text=" ".join(word.form for word in words),
        words=words,
        units=tuple(
            SurfaceUnit(form=word.form, first_word=i + 1, last_word=i + 1) for i, word in enumerate(words)
        ),
    )


@pytest.fixture
def data_set(tmp_path):
    def write(language="pt-BR"):
        documents = [
            DocumentRecord(
                doc_id=split,
                split=split,
                source="Teste",
                licence="CC0",
                sentences=tuple(
                    sentence(f"{split}-{number}-{attractor}-{verb}-{det}", number, attractor, verb, det)
                    for number in NOUNS
                    for attractor in NOUNS
                    for verb in range(3)
                    for det in (split, "a", "uma")
                ),
            )
            for split in SPLITS
        ]
        metadata = Metadata(
            name="teste", language=language, annotator="manual", annotator_version="1", model_sha256="",
            ud_version="2.15", source="Teste", licence="CC0",
        )  # fmt: skip
        write_annotations(tmp_path / "data", documents, metadata)
        return tmp_path / "data"

    return write


def run(*arguments):
    return CliRunner().invoke(make_agreement, [str(argument) for argument in arguments])


def test_draws_from_the_test_split(data_set, tmp_path):
    out = tmp_path / "pairs.tsv"
    result = run(data_set(), "--out", out, "--n", 16)
    assert result.exit_code == 0, result.output
    assert "wrote 16 pairs of 36 to" in result.output
    assert "  Plur|mismatch: 9 found" in result.output
    pairs = read_agreement_pairs(out)
    assert len(pairs) == 16
    assert {pair.sent_id.partition("-")[0] for pair in pairs} == {"test"}
    assert {(pair.source, pair.licence) for pair in pairs} == {("teste", "CC0")}


def test_the_same_seed_gives_the_same_bytes_whatever_the_hash_seed(data_set, tmp_path):
    folder = data_set()
    texts = []
    for hash_seed in ("1", "2"):
        out = tmp_path / f"pairs{hash_seed}.tsv"
        code = "from rig.cli.make_agreement import make_agreement; make_agreement()"
        subprocess.run(
            [sys.executable, "-c", code, folder, "--out", out, "--n", "16", "--seed", "7"],
            check=True,
            capture_output=True,
            env={"PYTHONHASHSEED": hash_seed},
        )
        texts.append(out.read_bytes())
    assert texts[0] == texts[1]
    run(folder, "--out", tmp_path / "other.tsv", "--n", 16, "--seed", 8)
    assert (tmp_path / "other.tsv").read_bytes() != texts[0]


def test_splits_can_be_added(data_set, tmp_path):
    result = run(
        data_set(), "--out", tmp_path / "p.tsv", "--n", 4, "--split", "test", "--split", "validation"
    )
    assert "of 72 to" in result.output


def test_what_is_wrong_is_said(data_set, tmp_path):
    folder = data_set()
    result = run(folder, "--out", tmp_path / "p.tsv", "--n", 10)
    assert isinstance(result.exception, UsageError)
    assert "must be a multiple of 4" in str(result.exception)
    result = run(folder, "--out", tmp_path / "p.tsv")
    assert isinstance(result.exception, DataError)
    assert "has 9 pairs with at most 6 of a lemma, but 50 are needed; ask for at most --n 36" in str(
        result.exception
    )
    assert not (tmp_path / "p.tsv").exists()


def test_a_language_without_collective_nouns_is_refused(data_set, tmp_path):
    result = run(data_set("eu"), "--out", tmp_path / "p.tsv")
    assert isinstance(result.exception, DataError)
    assert "its language is 'eu', whose collective nouns" in str(result.exception)

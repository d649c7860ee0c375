import importlib.metadata

import pytest
from click.testing import CliRunner

from rig.cli.parser import parser as parser_group
from rig.core.errors import DataError, UsageError
from rig.core.fingerprint import file_sha256
from rig.data.annotations import write_annotations
from rig.data.nano_pt import corpus
from rig.parsers.model_files import SHIPPED_MODELS
from rig.parsers.plausibility import HeadAutomaton
from rig.parsers.udpipe import UDPipeParser
from rig.parsers.udpipe_training import UDPipeSettings, read_conllu, train_udpipe
from rig.tasks.parser_training import train_parser

QUICK = UDPipeSettings(
    tokenizer="epochs=1;dimension=16;batch_size=50;early_stopping=0",
    tagger=UDPipeSettings().tagger.replace("iterations=4", "iterations=1"),
    parser=UDPipeSettings().parser.replace("iterations=3", "iterations=1"),
)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    sizes = {"n_train": 200, "n_validation": 60, "n_test": 5}
    folder = tmp_path_factory.mktemp("training") / "nano"
    write_annotations(folder, corpus.documents(sizes), corpus.metadata(corpus.CorpusOptions(**sizes)))
    return folder


@pytest.mark.slow
def test_a_model_is_trained_with_its_table_and_the_same_bytes_again(data, tmp_path):
    first = train_parser(data, tmp_path / "one.udpipe", max_sentences=150, settings=QUICK)
    again = train_parser(data, tmp_path / "two.udpipe", max_sentences=150, settings=QUICK)
    assert first.n_train == 150
    assert file_sha256(first.model) == file_sha256(again.model)
    assert file_sha256(first.table) == file_sha256(again.table)
    table = HeadAutomaton.read(first.table)
    assert first.table == tmp_path / "one.plausibility.json"
    assert table.model_sha256 == UDPipeParser(str(first.model)).model_sha256 == first.model_sha256
    assert (table.n_sentences, table.threshold) == (150, first.threshold)
    assert UDPipeParser(str(first.model)).parse(["A menina dorme."])[0]


@pytest.mark.slow
def test_the_shipped_model_is_made_by_the_command_that_its_readme_names(tmp_path):
    if importlib.metadata.version("ufal.udpipe") != "1.4.0.1":
        pytest.skip("the shipped bytes are those of ufal.udpipe 1.4.0.1")
    annotations = corpus.ensure(tmp_path / "cache", {})
    out = tmp_path / "nano_pt.udpipe"
    done = CliRunner().invoke(
        parser_group, ["train", str(annotations), "--out", str(out)], catch_exceptions=False
    )
    assert done.exit_code == 0
    assert "trained on 4000 sentences" in done.output
    for name in ("nano_pt.udpipe", "nano_pt.plausibility.json"):
        assert (tmp_path / name).read_bytes() == (SHIPPED_MODELS / name).read_bytes(), name


def test_another_ending_is_refused(data, tmp_path):
    with pytest.raises(UsageError, match=r"`--out` must end in .udpipe, got 'model.bin'"):
        train_parser(data, tmp_path / "model.bin")


def test_no_sentence_and_no_conllu_are_refused():
    with pytest.raises(DataError, match="needs train sentences, got none"):
        train_udpipe("")
    with pytest.raises(DataError, match="UDPipe can't read the CoNLL-U text"):
        read_conllu("1\tA\n\n")


def test_no_annotations(tmp_path):
    with pytest.raises(DataError):
        train_parser(tmp_path / "none", tmp_path / "m.udpipe")

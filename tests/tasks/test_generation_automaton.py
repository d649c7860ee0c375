"""The table of condition E that cells share: fitted once, the same numbers, never relied on when damaged."""

import json
import multiprocessing
from collections.abc import Sequence
from pathlib import Path

import pytest

from rig.core.sentences import Sentence
from rig.data.annotations import write_annotations
from rig.data.nano_pt import corpus
from rig.parsers.plausibility import HeadAutomaton
from rig.parsers.udpipe import UDPipeParser
from rig.tasks.generation_automaton import fitted_automaton
from rig.tasks.parser_training import fit_on_parsed_text

N_DOCUMENTS = 3


class Counting(UDPipeParser):
    """The shipped parser, counting the texts that it is given."""

    def __init__(self) -> None:
        super().__init__("nano_pt")
        self.n_parsed = 0

    def parse(self, texts: Sequence[str]) -> list[tuple[Sentence, ...]]:
        self.n_parsed += len(texts)
        return super().parse(texts)


def write_data(folder: Path, *, n_train: int) -> Path:
    sizes = {"n_train": n_train, "n_validation": 40, "n_test": 40}
    write_annotations(folder, corpus.documents(sizes), corpus.metadata(corpus.CorpusOptions(**sizes)))
    return folder


@pytest.fixture(scope="module")
def annotations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("shared") / "nano", n_train=60)


def fitted(
    parser: UDPipeParser, annotations: Path, shared: Path | None, *, n_documents: int = N_DOCUMENTS
) -> HeadAutomaton:
    return fitted_automaton(parser, annotations, n_documents=n_documents, shared=shared)


def kept_files(shared: Path) -> list[Path]:
    return sorted((shared / "plausibility").glob("*.json"))


def test_the_second_cell_reads_what_the_first_fitted(annotations: Path, tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    one = fitted(first, annotations, tmp_path)
    other = fitted(second, annotations, tmp_path)
    assert first.n_parsed > 0
    assert second.n_parsed == 0
    direct = fit_on_parsed_text(UDPipeParser("nano_pt"), annotations, n_documents=N_DOCUMENTS)
    assert one == other == direct, "counts and threshold to the last bit"
    assert len(kept_files(tmp_path)) == 1


def test_without_a_shared_folder_each_cell_fits(annotations: Path) -> None:
    parser = Counting()
    assert fitted(parser, annotations, None) == fitted(parser, annotations, None)
    assert parser.n_parsed == 4 * N_DOCUMENTS


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"key": 1}', "null"])
def test_a_broken_file_is_written_again(annotations: Path, tmp_path: Path, damage: str) -> None:
    whole = fitted(Counting(), annotations, tmp_path)
    (path,) = kept_files(tmp_path)
    text = path.read_text(encoding="utf-8")
    path.write_text(damage, encoding="utf-8")
    parser = Counting()
    assert fitted(parser, annotations, tmp_path) == whole
    assert parser.n_parsed > 0
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(("field", "value"), [("threshold", -9.0), ("n_sentences", 7)])
def test_one_number_changed_is_noticed(annotations: Path, tmp_path: Path, field: str, value: float) -> None:
    whole = fitted(Counting(), annotations, tmp_path)
    (path,) = kept_files(tmp_path)
    held = json.loads(path.read_text(encoding="utf-8"))
    held["table"][field] = value
    path.write_text(json.dumps(held), encoding="utf-8")
    assert fitted(Counting(), annotations, tmp_path) == whole


def test_other_text_another_limit_and_another_parser_have_files_of_their_own(
    annotations: Path, tmp_path: Path
) -> None:
    fitted(Counting(), annotations, tmp_path)
    fitted(Counting(), annotations, tmp_path, n_documents=N_DOCUMENTS - 1)
    fitted(Counting(), write_data(tmp_path / "other", n_train=20), tmp_path)
    retrained = Counting()
    retrained.model_sha256 = "0" * 64
    fitted(retrained, annotations, tmp_path)
    assert len(kept_files(tmp_path)) == 4


def _fit_in_another_process(annotations: Path, shared: Path) -> int:
    parser = Counting()
    fitted(parser, annotations, shared)
    return parser.n_parsed


def test_cells_that_start_together_fit_once(annotations: Path, tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        n_parsed = pool.starmap(_fit_in_another_process, [(annotations, tmp_path)] * 3)
    assert sorted(n_parsed) == [0, 0, 2 * N_DOCUMENTS]

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from rig.cli.data import data
from rig.core.errors import DataError, RigError, UsageError, VerificationError

CONLLU = """\
# newdoc id = {doc}
# sent_id = {doc}-1
# text = Vi o mar
1\tVi\t_\tVERB\t_\t_\t0\troot\t_\t_
2\to\t_\tDET\t_\t_\t3\tdet\t_\t_
3\tmar\t_\tNOUN\t_\t_\t1\tobj\t_\t_

"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    arguments = []
    for split in ("train", "validation", "test"):
        path = tmp_path / f"{split}.conllu"
        path.write_text(CONLLU.format(doc=split), encoding="utf-8")
        arguments += [f"--{split}", str(path)]
    return arguments


def run(*arguments: object) -> Result:
    return CliRunner().invoke(data, [str(argument) for argument in arguments], standalone_mode=False)


def error_of(*arguments: object) -> RigError:
    result = run(*arguments)
    assert isinstance(result.exception, RigError), result.exception
    return result.exception


@pytest.fixture
def folder(files: list[str], tmp_path: Path) -> Path:
    out = tmp_path / "set"
    result = run("import-conllu", *files, "--out", out, "--language", "pt", "--licence", "CC0-1.0")
    assert result.exception is None
    assert "1 train documents, 1 validation documents, 1 test documents" in result.output
    return out


def test_import_describe_validate_export(folder: Path, tmp_path: Path) -> None:
    described = run("describe", folder)
    assert described.exception is None
    assert "set (pt), annotated by manual\nsource: not stated; licence: CC0-1.0" in described.output
    assert (
        "test sentences whose text occurs in train: 1 of 1 (100.00%); by characters 100.00%"
        in described.output
    )
    assert "words sha256 " in described.output
    validated = run("validate", folder)
    assert validated.exception is None
    assert "rules hold" in validated.output
    exported = run("export-conllu", folder, "--out", tmp_path / "out")
    assert exported.output.count(".conllu") == 3
    assert (tmp_path / "out" / "test.conllu").read_bytes() == (tmp_path / "test.conllu").read_bytes()


def test_the_same_command_twice_needs_overwrite(folder: Path, files: list[str]) -> None:
    assert isinstance(error_of("import-conllu", *files, "--out", folder), DataError)
    assert run("import-conllu", *files, "--out", folder, "--overwrite").exception is None


def test_a_violation_is_shown_and_fails(folder: Path) -> None:
    path = folder / "words.parquet"
    rows = pq.read_table(path)
    pq.write_table(rows.slice(0, 8), path)
    result = run("validate", folder)
    assert "n_words and n_units" in result.output
    assert "'test-1'" in result.output
    assert isinstance(result.exception, VerificationError)
    assert result.exception.exit_code == 1
    assert "rules; see the table" in str(result.exception)


def test_parquet_by_split_column_and_by_file(folder: Path, tmp_path: Path) -> None:
    words = pq.read_table(folder / "words.parquet").to_pandas()
    words["part"] = words["doc_id"]
    renamed = words.rename(columns={"form": "token"})
    renamed.to_parquet(tmp_path / "all.parquet")
    result = run(
        "import-parquet", tmp_path / "all.parquet", "--out", tmp_path / "one", "--split-column", "part",
        "--map", "form=token",
    )  # fmt: skip
    assert result.exception is None
    arguments = []
    for split in ("train", "validation", "test"):
        words[words["part"] == split].to_parquet(tmp_path / f"{split}.parquet")
        arguments += [f"--{split}", tmp_path / f"{split}.parquet"]
    assert run("import-parquet", *arguments, "--out", tmp_path / "three").exception is None
    first, second = ((tmp_path / name / "words.parquet") for name in ("one", "three"))
    assert pq.read_table(first).equals(pq.read_table(second))


def test_usage_of_import_parquet(tmp_path: Path) -> None:
    with_both = error_of("import-parquet", "f.parquet", "--test", "g.parquet", "--out", tmp_path / "x")
    assert isinstance(with_both, UsageError)
    assert "give either FILE with a split column, or --train" in str(with_both)
    assert "give either FILE" in str(error_of("import-parquet", "--out", tmp_path / "x"))
    unpaired = error_of("import-parquet", "f.parquet", "--out", tmp_path / "x", "--map", "form")
    assert "--map must be COLUMN=NAME, each column once, got 'form'" in str(unpaired)


def test_the_progress_bar_keeps_off_the_output(
    files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rig.cli.data._SHOW_PROGRESS_AFTER_S", -1.0)
    result = run("import-conllu", *files, "--out", tmp_path / "set")
    assert result.exception is None
    assert result.stdout.startswith(str(tmp_path / "set"))

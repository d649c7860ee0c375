"""`rig audit` and the audit of each cell, as a user meets them: a plugin that calls bits nats."""

import json
from pathlib import Path

import pytest
from commands import TINY, Ended, command, tier1

PLUGIN = '''
"""The ngram model, read in base 2."""

import dataclasses
import math

from rig.models.base import AbstractKind, AbstractLanguageModel, Fit
from rig.models.kneser_ney import KneserNey
from rig.models.ngram import NgramModel
from rig.models.tokenizer import train_tokenizer


class InBits(AbstractLanguageModel):
    def __init__(self, inner):
        self._inner = inner

    def score(self, documents):
        return [
            dataclasses.replace(scores, logprob=scores.logprob / math.log(2))
            for scores in self._inner.score(documents)
        ]

    def explain(self, document):
        right = self._inner.explain(document)
        return dataclasses.replace(right, logprob=right.logprob / math.log(2))


class InBitsKind(AbstractKind):
    def __init__(self, config):
        self._tokenizer = config["tokenizer"]

    def fit(self, text, *, seed, out, progress):
        texts = [document.text for document in text.train]
        tokenizer = train_tokenizer(self._tokenizer, texts)
        counts = KneserNey.count(
            [tokenizer.encode(one).token_id for one in texts],
            order=2, vocab_size=tokenizer.vocab_size, bos_id=tokenizer.bos_id,
        )
        return Fit(model=InBits(NgramModel(tokenizer, counts)), train_tokens=0, facts={})


class RaisesKind(AbstractKind):
    """Its model explains nothing and says so with an error of its own."""

    def __init__(self, config):
        self._right = InBitsKind(config)

    def fit(self, text, *, seed, out, progress):
        fit = self._right.fit(text, seed=seed, out=out, progress=progress)
        fit.model._inner.explain = lambda document: 1 / 0
        return fit


FAMILIES = {"in_bits": InBitsKind, "raises": RaisesKind}
KINDS = {
    name: {"family": name, "objective": "causal", "seeded": False, "has_lr": False, "options": {}}
    for name in FAMILIES
}
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    (folder / "bits.py").write_text(PLUGIN, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def main_job(folder: Path) -> Ended:
    """The right kind and the wrong one in one report."""
    return tier1(
        "--kinds", "ngram,in_bits,raises", "--seeds", "41", "--plugin", "bits.py", "tasks=[]", cwd=folder
    )


def report(folder: Path) -> Path:
    reports = folder / "runs" / "reports"
    return reports / (reports / "latest").read_text().strip()


def test_a_right_kind_passes_and_a_wrong_one_ends_with_exit_code_1(folder: Path) -> None:
    ended = command("audit", "--kinds", "ngram,in_bits", "--plugin", "bits.py", *TINY, cwd=folder)
    assert ended.code == 1, ended.err
    right, wrong = ended.out.split("\n\nin_bits, lock NOT APPLICABLE: ")
    assert right.startswith("ngram, lock NOT APPLICABLE: 14 passed, 0 failed, 0 not checked")
    assert "1 failed" in wrong.splitlines()[0]
    (line,) = (line for line in wrong.splitlines() if "FAILED" in line)
    assert line.split(maxsplit=4)[:4] == ["sum", "to", "one", "FAILED"]
    assert line.endswith("base 2: the powers of 2 sum to one, those of e don't")
    assert "effect: perplexity would be " in wrong
    assert " times too high" in wrong


def test_a_trained_kind_is_trained_in_a_temporary_folder(folder: Path) -> None:
    before = {path for path in folder.rglob("*") if "runs/data" not in str(path)}
    ended = command("audit", "--kinds", "baseline", "--seed", "5", *TINY, cwd=folder)
    assert ended.code == 0, ended.out + ended.err
    assert ended.out.startswith("baseline seed 5, lock UNLOCKED (missing): ")
    assert " 0 failed" in ended.out.splitlines()[0]
    assert {path for path in folder.rglob("*") if "runs/data" not in str(path)} - {folder / "runs"} <= before


def test_a_kind_that_is_stored_seed_by_seed_asks_for_one_of_its_seeds(folder: Path) -> None:
    (folder / "stored.py").write_text(
        "KINDS = {'stored': {'family': 'scores', 'has_lr': False, "
        "'options': {'path': 'none-{seed}.parquet'}}}",
        encoding="utf-8",
    )
    stored = ("audit", "--kinds", "stored", "--plugin", "stored.py", *TINY)
    ended = command(*stored, cwd=folder)
    assert ended.code == 2
    assert "kind 'stored' is stored seed by seed (its option `path` has {seed} in it)" in ended.err
    assert "pass --seed with one that exists" in ended.err
    ended = command(*stored, "--seed", "7", cwd=folder)
    assert ended.code != 0
    assert "none-7.parquet" in ended.err


def test_an_unknown_kind_is_one_sentence(folder: Path) -> None:
    ended = command("audit", "--kinds", "ngrams", *TINY, cwd=folder)
    assert ended.code == 2
    assert ended.err.startswith("Error: unknown kind 'ngrams'. Did you mean 'ngram'?")


def test_a_failed_audit_stops_no_cell_and_stamps_every_table(main_job: Ended, folder: Path) -> None:
    assert main_job.code == 1, main_job.err
    assert "! in_bits: AUDIT FAILED, sum to one: base 2: the powers of 2 sum to one" in main_job.out
    assert "| in_bits [AUDIT FAILED] |" in main_job.out
    page = (report(folder) / "report.md").read_text(encoding="utf-8")
    assert page.index("in_bits: AUDIT FAILED, sum to one") < page.index("## ")
    assert "**Audit of the models' adapters: FAILED** (in_bits: sum to one; raises: distributions)" in page
    captions = [line for line in page.splitlines() if line.startswith("**") and "Kinds" not in line]
    tables = [line for line in captions if "AUDIT FAILED: in_bits, raises" in line]
    assert len(tables) >= 5
    assert "[AUDIT FAILED]" not in "".join(line for line in page.splitlines() if line.startswith("| ngram "))


def test_an_adapter_that_raises_inside_a_check_has_failed_it(main_job: Ended, folder: Path) -> None:
    assert (
        "! raises: AUDIT FAILED, distributions: the model raised ZeroDivisionError: division by zero."
        in main_job.out
    )


def test_each_cell_keeps_its_findings_and_the_record_the_failures(main_job: Ended, folder: Path) -> None:
    (result,) = (folder / "runs" / "cells" / "in_bits").glob("*/attempts/*/result.json")
    findings = json.loads(result.read_text(encoding="utf-8"))["audit"]
    assert [f["check"] for f in findings if f["status"] == "failed"] == ["sum to one"]
    assert all(set(finding) == {"check", "status", "sentence", "effect"} for finding in findings)
    record = json.loads((report(folder) / "report.json").read_text(encoding="utf-8"))
    failed = {kind["name"]: kind["cells"][0]["failed_checks"] for kind in record["kinds"]}
    assert failed == {"ngram": [], "in_bits": ["sum to one"], "raises": ["distributions"]}


def test_a_record_that_hides_a_failure_is_no_match(main_job: Ended, folder: Path) -> None:
    ended = command("verify", str(report(folder)), cwd=folder)
    assert ended.code == 0, ended.err
    path = report(folder) / "report.json"
    stored = path.read_text(encoding="utf-8")
    record = json.loads(stored)
    record["kinds"][1]["cells"][0]["failed_checks"] = []
    path.write_text(json.dumps(record), encoding="utf-8")
    try:
        ended = command("verify", str(report(folder)), cwd=folder)
    finally:
        path.write_text(stored, encoding="utf-8")
    assert ended.code == 1
    assert "checks that failed" in ended.err

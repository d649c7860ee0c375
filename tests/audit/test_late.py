"""What stands late: right models of bytes pass, and each of them made wrong past a byte is named."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from rig.audit.checks import audit
from rig.audit.finding import Finding
from rig.audit.probe import Probe
from rig.core.documents import Document
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel, Explanation
from rig.models.tokenizer import Encoding

Documents = tuple[Document, ...]
Rows = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

BOS = 256


class ByteBigram(AbstractLanguageModel):
    """A right model of unlimited context, which looks one byte back."""

    def __init__(self, documents: Documents) -> None:
        counts = np.full((257, 256), 0.01)
        for document in documents:
            ids = bytes_of(document)
            np.add.at(counts, (before(ids), ids), 1.0)
        self.table: Rows = np.log(counts / counts.sum(axis=1, keepdims=True))

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        found = []
        for document in documents:
            ids = bytes_of(document)
            spans = Encoding.from_byte_pieces(document.text.encode(), ids, np.ones_like(ids))
            logprob = self.changed(self.rows(ids)[np.arange(len(ids)), ids])
            found.append(spans.scored(document, logprob))
        return found

    def rows(self, ids: Ids) -> Rows:
        """Of each byte, the distribution that it is scored by."""
        rows: Rows = self.table[before(ids)]
        return rows

    def changed(self, logprob: Rows) -> Rows:
        return logprob


class Explained(ByteBigram):
    def explain(self, document: Document) -> Explanation:
        ids = bytes_of(document)
        return Explanation(input_id=before(ids), bos_id=BOS, eos_id=None, logprob=self.rows(ids))


class NotShiftedLate(ByteBigram):
    def rows(self, ids: Ids) -> Rows:
        rows = super().rows(ids)
        rows[512:] = self.table[ids[512:]]
        return rows


class SeesItselfLate(ByteBigram):
    def rows(self, ids: Ids) -> Rows:
        rows, late = super().rows(ids), np.arange(200, len(ids))
        rows[late] -= math.log(2.0)
        rows[late, ids[late]] = np.logaddexp(rows[late, ids[late]], -math.log(2.0))
        return rows


class SeesTheEnd(ByteBigram):
    """Windows of a long text are laid from its end: where they begin depends on what follows."""

    def rows(self, ids: Ids) -> Rows:
        rows = super().rows(ids)
        if len(ids) > 512:
            rows[len(ids) % 64 :: 64] = self.table[BOS]
        return rows


class NearlyFreeLate(ByteBigram):
    def changed(self, logprob: Rows) -> Rows:
        logprob[512:] = -1e-7
        return logprob


class CheapLate(ByteBigram):
    def changed(self, logprob: Rows) -> Rows:
        logprob[512:] /= 3.0
        return logprob


class MeanLate(ByteBigram):
    def changed(self, logprob: Rows) -> Rows:
        logprob[512:] = logprob[:512].mean()
        return logprob


class ExplainedSeesItself(Explained, SeesItselfLate):
    pass


class BeginsAfresh(Explained):
    """Each window of 128 begins with BOS, without what stood before it."""

    def rows(self, ids: Ids) -> Rows:
        rows = super().rows(ids)
        rows[128::128] = self.table[BOS]
        return rows


class ExplainsOneWindow(Explained):
    def explain(self, document: Document) -> Explanation:
        if document.n_chars > 128:
            raise ValueError("longer than one window")
        return super().explain(document)


def bytes_of(document: Document) -> Ids:
    return np.frombuffer(document.text.encode(), np.uint8).astype(np.int64)


def before(ids: Ids) -> Ids:
    return np.concatenate([[BOS], ids])[:-1]


def failures(model: AbstractLanguageModel, documents: Documents, *, thorough: bool) -> list[Finding]:
    return [finding for finding in audit(model, documents, thorough=thorough) if finding.status == "failed"]


@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize("right", [ByteBigram, Explained, ExplainsOneWindow])
def test_a_right_model_passes(right: Any, documents: Documents, thorough: bool) -> None:
    findings = {finding.check: finding for finding in audit(right(documents), documents, thorough=thorough)}
    assert findings["late text"].status == "passed"
    assert not [finding for finding in findings.values() if finding.status == "failed"]


@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize(
    ("wrong", "check", "sentence"),
    [
        (NotShiftedLate, "late text", "what lies past the window is not shifted, or has lost its context: "),
        (SeesItselfLate, "late text", "what lies past the window costs too little: "),
        (SeesTheEnd, "late text", "late in a text the future leaks, or windows are counted from its end: "),
        (CheapLate, "late text", "what lies past the window costs too little: "),
        (MeanLate, "late text", "what lies past the window has one score for all tokens: "),
        (NearlyFreeLate, "windows", ""),
        (ExplainedSeesItself, "token itself", "the token itself leaks: "),
        (BeginsAfresh, "special tokens", "BOS again inside a text: "),
    ],
)
def test_a_fault_that_begins_late_is_named(
    wrong: Any, check: str, sentence: str, documents: Documents, thorough: bool
) -> None:
    (finding,) = failures(wrong(documents), documents, thorough=thorough)
    assert finding.check == check
    assert finding.sentence.startswith(sentence)
    assert finding.effect


def test_what_explain_shows_late_is_told_from_what_it_does_not(documents: Documents) -> None:
    said = {
        model: next(
            f for f in audit(model(documents), documents, thorough=False) if f.check == "distributions"
        )
        for model in (Explained, ExplainsOneWindow)
    }
    longest = Probe(Explained(documents), documents, thorough=False).late_pair
    assert longest is not None
    assert 380 <= longest.one.n_chars <= 400
    assert said[Explained].sentence.endswith(f"in texts up to {longest.one.n_chars} characters")
    assert int(said[ExplainsOneWindow].sentence.split()[-2]) <= 96


def test_the_passage_stands_in_none_of_the_texts_before_it(documents: Documents) -> None:
    texts = Probe(ByteBigram(documents), documents, thorough=False).late_texts
    assert texts is not None
    n_before = texts.n_chars_before
    assert texts.after_like.text[n_before + 1 :] == texts.passage.text
    assert texts.passage.text not in texts.after_like.text[:n_before]
    assert texts.after_noise.text == f"{texts.after_like.text[:n_before][::-1]} {texts.passage.text}"
    assert Probe(ByteBigram(documents), documents[:1], thorough=False).late_texts is None


def test_a_passage_of_few_tokens_is_not_judged(documents: Documents) -> None:
    short = tuple(Document(doc_id=str(index), text="uma casa") for index in range(3))
    findings = audit(ByteBigram(documents), short, thorough=False)
    (late,) = (finding for finding in findings if finding.check == "late text")
    assert late.status == "not checked"
    assert late.sentence.startswith("the passage is too short: ")

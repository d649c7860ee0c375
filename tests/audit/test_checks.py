"""The audit on right models of every ability: nothing fails, and what is not checked says why."""

from collections.abc import Sequence

import pytest

from rig.audit.checks import audit
from rig.audit.finding import Finding
from rig.core.documents import Document
from rig.core.errors import ModelError
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel
from rig.models.ngram import NgramModel
from rig.models.tokenizer import AbstractTokenizer
from rig.models.uniform import UniformModel

Documents = tuple[Document, ...]

CAUSAL = (
    "scores", "two calls", "own score", "batching", "windows", "distributions", "special tokens",
    "sum to one", "score of the distribution", "softmax once", "shift", "causal leak", "token itself",
    "late text",
)  # fmt: skip


def failed(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.status == "failed"]


def by_check(findings: Sequence[Finding]) -> dict[str, Finding]:
    return {finding.check: finding for finding in findings}


@pytest.mark.parametrize("thorough", [False, True])
def test_the_built_in_models_fail_nothing(
    ngram: NgramModel, tokenizer: AbstractTokenizer, documents: Documents, thorough: bool
) -> None:
    of_ngram = audit(ngram, documents, thorough=thorough)
    assert {finding.check: finding.status for finding in of_ngram} == dict.fromkeys(CAUSAL, "passed")
    of_uniform = by_check(audit(UniformModel(tokenizer), documents, thorough=thorough))
    assert {check for check in CAUSAL if of_uniform[check].status != "passed"} == {"shift", "token itself"}
    assert of_uniform["shift"].status == of_uniform["token itself"].status == "not checked"
    assert of_uniform["shift"].sentence.startswith("the model does not know the text")


class OnlyScores(AbstractLanguageModel):
    """A model without any of the optional abilities."""

    def __init__(self, inner: AbstractLanguageModel) -> None:
        self._inner = inner

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        return self._inner.score(documents)


def test_what_needs_explain_is_not_checked_and_says_what_to_implement(
    ngram: NgramModel, documents: Documents
) -> None:
    found = by_check(audit(OnlyScores(ngram), documents, thorough=False))
    assert found["causal leak"].status == found["batching"].status == "passed"
    assert found["distributions"].status == "not checked"
    assert found["distributions"].sentence == (
        "the model has no `explain`; implement rig.models.base.Explains"
    )
    assert not failed(tuple(found.values()))


class ForOwnTexts(OnlyScores):
    """Scores computed elsewhere: any other text is an error."""

    scores_any_text = False

    def __init__(self, inner: AbstractLanguageModel, documents: Documents) -> None:
        super().__init__(inner)
        self._known = set(documents)

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:
        if not set(documents) <= self._known:
            raise ModelError("no scores for this text")
        return super().score(documents)


def test_scores_of_their_own_texts_only_are_checked_on_these(ngram: NgramModel, documents: Documents) -> None:
    found = by_check(audit(ForOwnTexts(ngram, documents), documents, thorough=True))
    assert not failed(tuple(found.values()))
    assert found["scores"].status == found["own score"].status == "passed"
    for check in ("two calls", "batching", "windows", "causal leak", "late text"):
        assert found[check].status == "not checked"
    for check in ("two calls", "batching", "windows"):
        assert found[check].sentence.startswith("stored numbers: the same in every call and batch")


@pytest.mark.parametrize("texts", [(), ("",), (" \n ",)])
def test_without_text_nothing_is_checked(ngram: NgramModel, texts: tuple[str, ...]) -> None:
    documents = [Document(doc_id=str(index), text=text) for index, text in enumerate(texts)]
    findings = audit(ngram, documents, thorough=False)
    assert {finding.status for finding in findings} == {"not checked"}
    assert findings[0].sentence == "there is no text to score; give the kind training documents"


@pytest.mark.parametrize("text", ["a", "aa", "não", "ab " * 200, "😀" * 90, "日本語" * 60])
def test_a_single_text_of_any_shape_fails_nothing(ngram: NgramModel, text: str) -> None:
    assert not failed(audit(ngram, [Document(doc_id="only", text=text)], thorough=False))


def test_findings_are_the_same_every_time(ngram: NgramModel, documents: Documents) -> None:
    one, other = (audit(ngram, documents, thorough=False) for _ in range(2))
    assert [finding.as_json() for finding in one] == [finding.as_json() for finding in other]
    assert set(one[0].as_json()) == {"check", "status", "sentence", "effect"}

"""What is fed beside the text."""

from collections.abc import Callable

import numpy as np
import pytest
from toy_adapters import Ids, Toy

from rig.audit.checks import audit
from rig.core.documents import Document
from rig.models.ngram import NgramModel

Documents = tuple[Document, ...]
EOS = 399


def before(*ids: int) -> Callable[[Ids], Ids]:
    return lambda given: np.concatenate([np.array(ids, np.int64), given])


def after(*ids: int) -> Callable[[Ids], Ids]:
    return lambda given: np.concatenate([given, np.array(ids, np.int64)])


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        (before(0), "double BOS: the input of a text begins with id 0 2 times"),
        (before(0, 0), "triple BOS: the input of a text begins with id 0 3 times"),
        (lambda given: given[1:], "no BOS: BOS is declared (id 0), but the input of a text begins with id ["),
        (lambda given: given[:-3], "the input is another text: "),
        (before(7), "no BOS: BOS is declared (id 0), but the input of a text begins with id [7]"),
    ],
)
def test_a_wrong_input_is_named(
    ngram: NgramModel, documents: Documents, inputs: Callable[[Ids], Ids], sentence: str
) -> None:
    findings = audit(Toy(ngram, inputs=inputs), documents, thorough=False)
    (finding,) = (finding for finding in findings if finding.status == "failed")
    assert finding.check == "special tokens"
    assert finding.sentence.startswith(sentence)
    assert finding.effect.startswith("perplexity would be")


class FedWhole(Toy):
    """Feeds the last token too, as most libraries do, and then what `inputs` adds."""

    def explain(self, document: Document):
        explanation = super().explain(document)
        tokens = self._inner.score([document])[0].token_id
        return type(explanation)(
            input_id=self._inputs(np.concatenate([np.array([0]), tokens])),
            bos_id=explanation.bos_id,
            eos_id=self._eos_id,
            logprob=explanation.logprob,
        )


def test_the_last_token_may_be_fed(ngram: NgramModel, documents: Documents) -> None:
    findings = audit(FedWhole(ngram, eos_id=EOS), documents, thorough=False)
    assert {finding.status for finding in findings} == {"passed"}


def test_an_end_of_text_that_is_fed_is_named(ngram: NgramModel, documents: Documents) -> None:
    findings = audit(FedWhole(ngram, inputs=after(EOS), eos_id=EOS), documents, thorough=False)
    (finding,) = (finding for finding in findings if finding.status == "failed")
    assert finding.check == "special tokens"
    assert finding.sentence.startswith("EOS is fed: the input of a text of ")
    assert finding.sentence.endswith(f"ends with id {EOS}")

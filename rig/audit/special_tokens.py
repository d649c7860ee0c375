"""The check of what a model is fed beside the text: one BOS where one is declared, never two, and no EOS."""

from rig.audit.finding import Verdict, failed, passed
from rig.audit.probe import Probe
from rig.core.token_scores import TokenScores
from rig.models.base import Explanation


def special_tokens(probe: Probe) -> Verdict:
    """The input of each text is the declared BOS, once, and the text's own tokens."""
    for scores, explanation in zip(probe.scores, probe.explanations, strict=True):
        if scores.n_tokens and (verdict := _of_text(scores, explanation)) is not None:
            return verdict
    bos_id = probe.explanations[0].bos_id
    begin = "no BOS, as declared," if bos_id is None else f"one BOS (id {bos_id})"
    return passed(f"each input is {begin} and the text's tokens, without EOS")


def _of_text(scores: TokenScores, explanation: Explanation) -> Verdict | None:
    """What is wrong with one text's input, or None. The last token is scored, so it need not be fed."""
    inputs, tokens = explanation.input_id.tolist(), scores.token_id.tolist()
    bos_id, eos_id = explanation.bos_id, explanation.eos_id
    begin = [] if bos_id is None else [bos_id]
    if inputs in (begin + tokens, begin + tokens[:-1]):
        return None
    n_bos = 0 if bos_id is None else next((i for i, fed in enumerate(inputs) if fed != bos_id), len(inputs))
    if n_bos >= 2 and tokens[0] != bos_id:
        return failed(
            f"{_counted(n_bos)} BOS: the input of a text begins with id {bos_id} {n_bos} times; let either "
            "the tokenizer or the adapter add it",
            "perplexity would be wrong, usually a little too high: the first tokens stand in a context that "
            "training never showed; how far can't be told from outside",
        )
    if bos_id is not None and not n_bos:
        return failed(
            f"no BOS: BOS is declared (id {bos_id}), but the input of a text begins with id {inputs[:1]}",
            "perplexity would be wrong, usually too high: the first token of each text is predicted from "
            "nothing that training showed; how far can't be told from outside",
        )
    if eos_id is not None and inputs[-1:] == [eos_id] and tokens[-1] != eos_id:
        return failed(
            f"EOS is fed: the input of a text of {len(tokens)} tokens ends with id {eos_id}",
            "perplexity would be wrong where the model sees it, and too low where it is scored: the end of a "
            "text is easy to guess",
        )
    return failed(
        f"the input is another text: {len(inputs)} ids were fed for {len(tokens)} tokens and "
        f"{len(begin)} BOS, and they are not these; are special tokens inside, or tokens cut off?",
        "perplexity would be of another text than the one counted; how far can't be told from outside",
    )


def _counted(n: int) -> str:
    return {2: "double", 3: "triple"}.get(n, str(n))

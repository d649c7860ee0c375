"""One token before a text, by a stated rule; none by accident."""

import pytest

from rig.core.errors import ConfigError
from rig.models.hf.special_tokens import Frame, SpecialTokens, causal_frame, masked_frame

IDS = {"<s>": 1, "</s>": 2, "[CLS]": 3, "[SEP]": 4, "[MASK]": 5}
VOCABULARY = {**IDS, "a": 9}


def special(**roles: str) -> SpecialTokens:
    return SpecialTokens(by_role=roles, id_of=IDS)


@pytest.mark.parametrize(
    ("roles", "begin", "rule"),
    [
        ({"bos": "<s>", "cls": "[CLS]", "eos": "</s>"}, 1, "<s> (the tokenizer's bos)"),
        ({"cls": "[CLS]", "eos": "</s>"}, 3, "[CLS] (the tokenizer's cls)"),
        ({"eos": "</s>"}, 2, "</s> (the tokenizer's eos)"),
    ],
)
def test_auto_takes_bos_then_cls_then_eos_and_says_so(roles: dict[str, str], begin: int, rule: str) -> None:
    assert causal_frame("auto", special(**roles), VOCABULARY) == Frame(begin=begin, end=None, rule=rule)


def test_nothing_to_begin_with_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"neither a BOS, a CLS nor an EOS token .*; set the option `bos`"):
        causal_frame("auto", special(sep="[SEP]"), VOCABULARY)


def test_a_named_token_need_not_be_special_but_must_be_there() -> None:
    assert causal_frame("a", special(), VOCABULARY).begin == 9
    with pytest.raises(
        ConfigError, match=r"option `bos` names '<S>', which the tokenizer lacks\. Did you mean"
    ):
        causal_frame("<S>", special(), VOCABULARY)


def test_none_is_none_and_says_what_it_costs() -> None:
    frame = causal_frame("none", special(bos="<s>"), VOCABULARY)
    assert frame == Frame(begin=None, end=None, rule="none: the first token costs ln(vocabulary)")
    assert frame.n_inputs == 0


def test_a_masked_text_stands_between_cls_and_sep() -> None:
    frame = masked_frame("auto", special(cls="[CLS]", sep="[SEP]", bos="<s>", eos="</s>"))
    assert frame == Frame(begin=3, end=4, rule="[CLS] before the text, [SEP] after it")
    assert frame.n_inputs == 2


def test_a_masked_model_without_cls_and_sep() -> None:
    assert masked_frame("auto", special(bos="<s>", eos="</s>")).rule == "<s> before the text, </s> after it"
    assert masked_frame("none", special(cls="[CLS]")) == Frame(
        begin=None, end=None, rule="nothing before the text, nothing after it"
    )
    with pytest.raises(ConfigError, match=r"neither a CLS nor a BOS token .*set the option `bos` to `none`"):
        masked_frame("auto", special(eos="</s>"))
    with pytest.raises(
        ConfigError, match="option `bos` of a masked model must be `auto` or `none`, got '<s>'"
    ):
        masked_frame("<s>", special(cls="[CLS]"))

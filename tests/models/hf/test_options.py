"""Every option has a range, and what lies outside is refused with its name."""

from typing import Any

import pytest

from rig.core.errors import ConfigError
from rig.models.hf.options import HfOptions


def test_what_is_left_out_has_its_default() -> None:
    options = HfOptions.from_mapping({"context": 64}, where="kind 'k'")
    assert options == HfOptions(context=64)
    assert (options.bos, options.stride, options.batch_size, options.dtype) == ("auto", None, 16, "auto")


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"strid": 3}, "unknown option 'strid' of kind 'k'. Did you mean 'stride'?"),
        ({"context": 1}, "option `context` of kind 'k' must be an integer of at least 2, got 1"),
        ({"context": True}, "option `context` of kind 'k' must be an integer of at least 2, got True"),
        ({"context": "64"}, "option `context` of kind 'k' must be an integer of at least 2, got '64'"),
        ({"stride": 0}, "option `stride` of kind 'k' must be an integer of at least 1, got 0"),
        ({"context": 8, "stride": 9}, "option `stride` of kind 'k' must be at most its `context`, 8, got 9"),
        ({"batch_size": None}, "option `batch_size` of kind 'k' must be an integer of at least 1, got None"),
        ({"batch_size": 2.0}, "option `batch_size` of kind 'k' must be an integer of at least 1, got 2.0"),
        ({"bos": ""}, "option `bos` of kind 'k' must be a text that is not empty, got ''"),
        ({"bos": None}, "option `bos` of kind 'k' must be a text that is not empty, got None"),
        ({"tokenizer": 3}, "option `tokenizer` of kind 'k' must be a text that is not empty, got 3"),
        ({"dtype": "int8"}, "option `dtype` of kind 'k' must be one of auto, float32, bfloat16, float16"),
        ({"device": "cuda:1"}, "option `device` of kind 'k' must be one of auto, cpu, cuda, got 'cuda:1'"),
    ],
)
def test_each_wrong_option_is_refused(mapping: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        HfOptions.from_mapping(mapping, where="kind 'k'")
    assert message in str(caught.value)

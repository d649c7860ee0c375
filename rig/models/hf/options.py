"""How a Hugging Face checkpoint is read and scored: every choice that a user can make, with its default."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, final

from rig.core.errors import ConfigError, did_you_mean

DTYPES = ("auto", "float32", "bfloat16", "float16")
DEVICES = ("auto", "cpu", "cuda")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HfOptions:
    """The options of a checkpoint that is at hand; where it comes from is no part of them."""

    tokenizer: str | None = None
    """A local directory with the tokenizer's files; None for the checkpoint's own."""
    bos: str = "auto"
    """What begins a text: `auto` (the tokenizer's BOS, else its CLS, else its EOS), `none`, or a token.

    With `none` the first token has nothing before it and costs ln V. A masked model begins with its CLS, else
    its BOS, unless this is `none`.
    """
    context: int | None = None
    """Inputs that the model sees at once, special ones included; None for all that it can."""
    stride: int | None = None
    """Tokens from one scoring window to the next; None for half the context."""
    batch_size: int = 16
    """Windows computed at once; memory, not meaning."""
    dtype: str = "auto"
    """Of the weights, one of `DTYPES`; `auto` is as they are stored. The log-softmax is always float32."""
    device: str = "auto"
    """One of `DEVICES`; `auto` is a GPU where there is one."""

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any], *, where: str) -> Self:
        """Check the options as a config gives them.

        Args:
            mapping: Option to value; what is left out has its default.
            where: Whose options they are, for messages, such as "kind 'mine'".

        Raises:
            ConfigError: An option is unknown, of the wrong type or out of range.
        """
        known = [field.name for field in fields(cls)]
        for name in mapping:
            if name not in known:
                raise ConfigError(f"unknown option '{name}' of {where}. {did_you_mean(name, known)}")
        options = cls(**mapping)
        options._check(where)
        return options

    def _check(self, where: str) -> None:
        _check_text("bos", self.bos, where)
        if self.tokenizer is not None:
            _check_text("tokenizer", self.tokenizer, where)
        for name, value, low in (("context", self.context, 2), ("stride", self.stride, 1)):
            if value is not None:
                _check_integer(name, value, low, where)
        _check_integer("batch_size", self.batch_size, 1, where)
        for name, chosen, allowed in (("dtype", self.dtype, DTYPES), ("device", self.device, DEVICES)):
            if chosen not in allowed:
                raise ConfigError(
                    f"option `{name}` of {where} must be one of {', '.join(allowed)}, got {chosen!r}"
                )
        if self.context is not None and self.stride is not None and self.stride > self.context:
            raise ConfigError(
                f"option `stride` of {where} must be at most its `context`, {self.context}, got {self.stride}"
            )


def _check_text(name: str, value: object, where: str) -> None:
    if not isinstance(value, str) or not value:
        raise ConfigError(f"option `{name}` of {where} must be a text that is not empty, got {value!r}")


def _check_integer(name: str, value: object, low: int, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise ConfigError(f"option `{name}` of {where} must be an integer of at least {low}, got {value!r}")

"""The tokens that are no text: which ones there are, and by which rule one begins a text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from rig.core.errors import ConfigError, did_you_mean

NO_BOS = "none"
AUTO_BOS = "auto"

Role = str


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SpecialTokens:
    """The special tokens that a tokenizer has, by role, and those of them that have no role."""

    by_role: Mapping[Role, str]
    """`bos`, `eos`, `cls`, `sep`, `mask`, `pad`, `unk` to the token, where there is one."""
    id_of: Mapping[str, int]
    """Every special token to its id."""

    def role_id(self, role: Role) -> int | None:
        """The id of the token in a role."""
        token = self.by_role.get(role)
        return None if token is None else self.id_of[token]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What stands around a text when a model reads it. None of it is scored."""

    begin: int | None
    """The id before the first token."""
    end: int | None
    """The id after the last one; never for a causal model."""
    rule: str
    """How it was chosen, in words."""

    @property
    def n_inputs(self) -> int:
        """Inputs that it takes."""
        return (self.begin is not None) + (self.end is not None)


def causal_frame(bos: str, special: SpecialTokens, vocabulary: Mapping[str, int]) -> Frame:
    """Exactly one token before a text, and none after it.

    Args:
        bos: `auto`, `none` or a token.
        special: The tokenizer's.
        vocabulary: Token to id, for a `bos` that is no special token.

    Raises:
        ConfigError: `bos` names a token that is not there, or is `auto` and there is none to take.
    """
    if bos == NO_BOS:
        return Frame(begin=None, end=None, rule="none: the first token costs ln(vocabulary)")
    if bos != AUTO_BOS:
        known = {**vocabulary, **special.id_of}
        if bos not in known:
            raise ConfigError(
                f"option `bos` names {bos!r}, which the tokenizer lacks. {did_you_mean(bos, special.id_of)}"
            )
        return Frame(begin=known[bos], end=None, rule=f"{bos} (option `bos`)")
    for role in ("bos", "cls", "eos"):
        if (index := special.role_id(role)) is not None:
            return Frame(begin=index, end=None, rule=f"{special.by_role[role]} (the tokenizer's {role})")
    raise ConfigError(
        "the tokenizer has neither a BOS, a CLS nor an EOS token to begin a text with; set the option `bos` "
        "to the token that texts began with in training, or to `none`"
    )


def masked_frame(bos: str, special: SpecialTokens) -> Frame:
    """CLS, text, SEP; BOS and EOS where a tokenizer has those instead.

    Raises:
        ConfigError: `bos` is neither `auto` nor `none`, or is `auto` and there is nothing to begin with.
    """
    if bos not in (AUTO_BOS, NO_BOS):
        raise ConfigError(f"option `bos` of a masked model must be `auto` or `none`, got {bos!r}")
    first = (
        None if bos == NO_BOS else next((role for role in ("cls", "bos") if role in special.by_role), None)
    )
    if first is None and bos == AUTO_BOS:
        raise ConfigError(
            "the tokenizer has neither a CLS nor a BOS token to begin a text with; name one in its "
            "tokenizer_config.json, or set the option `bos` to `none`"
        )
    last = next((role for role in ("sep", "eos") if role in special.by_role), None)
    ends = [("nothing" if role is None else special.by_role[role]) for role in (first, last)]
    return Frame(
        begin=None if first is None else special.role_id(first),
        end=None if last is None else special.role_id(last),
        rule=f"{ends[0]} before the text, {ends[1]} after it",
    )

"""The morphemes of a vocabulary's strings, by lists of affixes.

The lists come from the config (`conf/morphology/`); nothing here knows a language. A string is split into at
most one prefix, a stem and at most one suffix; of several that fit, the longest is taken, the suffix first.
What only one token has says nothing about another, so an affix or a stem is a morpheme if at least two tokens
share it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from rig.core.errors import ConfigError, DataError, did_you_mean

_MIN_SHARED = 2


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Morphology:
    """The affixes of a language."""

    prefixes: tuple[str, ...]
    """Lower case, without hyphens, longest first."""
    suffixes: tuple[str, ...]
    """Lower case, without hyphens, longest first."""
    min_stem: int
    """Characters that a stem has at least."""

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "Morphology":
        """Read the config group `morphology`.

        Raises:
            ConfigError: A key is unknown or missing, an affix is repeated or not plain lower-case letters,
                or `min_stem` is below 1.
        """
        known = ("prefixes", "suffixes", "min_stem")
        for key in config:
            if key not in known:
                raise ConfigError(f"unknown key '{key}' in `morphology`. {did_you_mean(key, known)}")
        for key in known:
            if key not in config:
                raise ConfigError(f"`morphology.{key}` is missing; see conf/morphology/pt.yaml")
        min_stem = config["min_stem"]
        if isinstance(min_stem, bool) or not isinstance(min_stem, int) or min_stem < 1:
            raise ConfigError(f"`morphology.min_stem` must be an integer of at least 1, got {min_stem!r}")
        return cls(
            prefixes=_affixes("prefixes", config["prefixes"]),
            suffixes=_affixes("suffixes", config["suffixes"]),
            min_stem=min_stem,
        )

    def segment(self, token: str) -> tuple[str, ...]:
        """The parts of a vocabulary string, in order: `des-`, `organiz`, `-ações`.

        The string is stripped and lower-cased first. One that is nothing but an affix is that affix, if it
        stands where the affix can: a prefix begins a word (after a space), a suffix continues one. A string
        with anything but letters has no parts, and what is shorter than `min_stem` has none either.
        """
        word = token.strip().lower()
        if not word.isalpha():
            return ()
        begins_word = token[0].isspace()
        if begins_word and word in self.prefixes:
            return (f"{word}-",)
        if not begins_word and word in self.suffixes:
            return (f"-{word}",)
        suffix = next((s for s in self.suffixes if word.endswith(s) and self._leaves_stem(word, s)), "")
        word = word.removesuffix(suffix)
        prefix = next((p for p in self.prefixes if word.startswith(p) and self._leaves_stem(word, p)), "")
        stem = word.removeprefix(prefix)
        if len(stem) < self.min_stem:
            return ()
        parts = (f"{prefix}-" if prefix else "", stem, f"-{suffix}" if suffix else "")
        return tuple(part for part in parts if part)

    def _leaves_stem(self, word: str, affix: str) -> bool:
        return len(word) - len(affix) >= self.min_stem


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MorphemeTable:
    """The morphemes of each vocabulary entry."""

    morphemes: tuple[str, ...]
    """(M,) sorted; each shared by two tokens or more. A prefix ends in a hyphen, a suffix begins with one."""
    morpheme_id: npt.NDArray[np.int32]
    """(V, K) indices into `morphemes`, ascending in a row, padded on the right with -1."""


def morpheme_table(tokens: Sequence[str | None], morphology: Morphology) -> MorphemeTable:
    """The morphemes that the tokens of a vocabulary share.

    Args:
        tokens: (V,) each entry's string with its leading space, None for one without a string (BOS).
        morphology: The affixes.

    Raises:
        DataError: No two tokens share a morpheme, so a morphemic model would be the baseline.
    """
    parts = [sorted(set(morphology.segment(token))) if token else [] for token in tokens]
    n_tokens = Counter(part for token_parts in parts for part in token_parts)
    morphemes = tuple(sorted(part for part, count in n_tokens.items() if count >= _MIN_SHARED))
    if not morphemes:
        raise DataError(
            f"no two of the {len(tokens)} vocabulary entries share a morpheme, so a morphemic kind would be "
            "the baseline under another name; give `morphology` affixes of the text's language, or a "
            "tokenizer with longer tokens than bytes"
        )
    index = {morpheme: i for i, morpheme in enumerate(morphemes)}
    rows = [[index[part] for part in token_parts if part in index] for token_parts in parts]
    morpheme_id = np.full((len(rows), max(map(len, rows))), -1, np.int32)
    for row, ids in zip(morpheme_id, rows, strict=True):
        row[: len(ids)] = ids
    return MorphemeTable(morphemes=morphemes, morpheme_id=morpheme_id)


def _affixes(key: str, affixes: Any) -> tuple[str, ...]:
    if not isinstance(affixes, list | tuple):
        raise ConfigError(f"`morphology.{key}` must be a list of affixes, got {affixes!r}")
    for affix in affixes:
        if not isinstance(affix, str) or not affix.isalpha() or affix != affix.lower():
            raise ConfigError(
                f"`morphology.{key}` must hold lower-case letters without hyphens, got {affix!r}"
            )
    repeated = [affix for affix, count in Counter(affixes).items() if count > 1]
    if repeated:
        raise ConfigError(f"`morphology.{key}` holds '{repeated[0]}' twice; remove one")
    return tuple(sorted(affixes, key=lambda affix: (-len(affix), affix)))

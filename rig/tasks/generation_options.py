"""The options of the task `generation`, checked, and its file of prompts."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, final

from rig.core.errors import ConfigError, DataError, did_you_mean
from rig.data.utf8 import read_utf8
from rig.parsers.catalog import check_parser_options


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationOptions:
    """What is generated, and how it is judged."""

    parser: Mapping[str, Any]
    """`name` and `model`, as `rig.parsers.catalog.build_parser` takes them."""
    n_prompts: int = 50
    """From the first line of the file."""
    n_tokens: int = 100
    """Of each continuation."""
    temperature: float = 1.0
    """> 0; 1 samples from the model as it is."""
    top_p: float = 0.95
    """In (0, 1]; 1 samples from the whole vocabulary."""
    min_words: int = 3
    """A sentence with fewer words that aren't punctuation is unscored."""
    max_words: int = 100
    """A longer sentence fails."""
    n_reference_sentences: int = 500
    """Scored sentences of the test split's own text, at most."""

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> "GenerationOptions":
        """Check the options of `task.generation`.

        Raises:
            ConfigError: An option is unknown, missing, of the wrong type or out of range.
        """
        known = [field.name for field in fields(cls)]
        for name in options:
            if name not in known:
                raise ConfigError(
                    f"unknown option '{name}' of `task.generation`. {did_you_mean(name, known)}"
                )
        parser = options.get("parser")
        if not isinstance(parser, Mapping):
            raise ConfigError(f"`task.generation.parser` must have a name and a model, got {parser!r}")
        check_parser_options(parser)
        for name, value in options.items():
            if name in {"temperature", "top_p"}:
                _check_number(name, value)
            elif name != "parser":
                _check_count(name, value)
        chosen = cls(**options)
        if chosen.min_words > chosen.max_words:
            raise ConfigError(
                f"`task.generation.min_words` must not exceed max_words, got {chosen.min_words} "
                f"and {chosen.max_words}"
            )
        return chosen


def _check_count(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigError(f"`task.generation.{name}` must be an integer of at least 1, got {value!r}")


def _check_number(name: str, value: Any) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    highest = 1.0 if name == "top_p" else float("inf")
    if not is_number or not 0 < value <= highest or value == float("inf"):
        bounds = "in (0, 1]" if name == "top_p" else "a finite number above 0"
        raise ConfigError(f"`task.generation.{name}` must be {bounds}, got {value!r}")


def read_prompts(path: Path, n_prompts: int) -> tuple[str, ...]:
    """The first prompts of a file: UTF-8, one a line, NFC, blank lines and space at the ends dropped.

    Raises:
        DataError: The file can't be read, has too few prompts, or has one twice.
    """
    text = unicodedata.normalize("NFC", read_utf8(path))
    prompts = [line.strip() for line in text.splitlines() if line.strip()]
    if len(prompts) < n_prompts:
        raise DataError(
            f"'{path.name}' has {len(prompts)} prompts, but `task.generation.n_prompts` is {n_prompts}; "
            "add prompts, one a line, or ask for fewer"
        )
    twice = next((prompt for index, prompt in enumerate(prompts) if prompt in prompts[:index]), None)
    if twice is not None:
        raise DataError(f"'{path.name}' has the prompt '{twice}' twice; remove one")
    return tuple(prompts[:n_prompts])

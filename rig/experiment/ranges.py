"""Which values the settings of conf/ may have, beyond their types."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from rig.core.errors import ConfigError, did_you_mean

_RULES: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("rig_schema", "1", lambda value: value == 1),
    ("model.backend", "numpy or torch", lambda value: value in ("numpy", "torch")),
    ("model.d_model", "in [1, 16384]", lambda value: 1 <= value <= 16_384),
    ("model.n_layers", "in [0, 256]", lambda value: 0 <= value <= 256),
    ("model.n_heads", "at least 1", lambda value: value >= 1),
    ("model.context", "in [2, 65536]", lambda value: 2 <= value <= 65_536),
    ("tokenizer.type", "bpe, word or byte", lambda value: value in ("bpe", "word", "byte")),
    ("tokenizer.vocab_size", "in [3, 1000000]", lambda value: 3 <= value <= 1_000_000),
    ("train.steps", "in [1, 10^9]", lambda value: 1 <= value <= 10**9),
    ("train.batch_size", "in [1, 65536]", lambda value: 1 <= value <= 65_536),
    ("train.lr", "above 0 and finite", lambda value: 0 < value < math.inf),
    ("train.warmup_steps", "at least 0", lambda value: value >= 0),
    ("train.min_lr_ratio", "in [0, 1]", lambda value: 0 <= value <= 1),
    ("train.weight_decay", "at least 0 and finite", lambda value: 0 <= value < math.inf),
    ("train.beta1", "in [0, 1)", lambda value: 0 <= value < 1),
    ("train.beta2", "in [0, 1)", lambda value: 0 <= value < 1),
    ("train.eps", "above 0", lambda value: 0 < value < math.inf),
    ("train.clip_norm", "above 0", lambda value: 0 < value < math.inf),
    ("score.split", "validation or test", lambda value: value in ("validation", "test")),
    ("score.stride", "at least 1", lambda value: value >= 1),
    ("score.batch_size", "in [1, 65536]", lambda value: 1 <= value <= 65_536),
    ("stats.confidence_level", "in (0, 1)", lambda value: 0 < value < 1),
    ("stats.n_resamples", "in [100, 100000]", lambda value: 100 <= value <= 100_000),
    ("stats.boot_seed", "at least 0", lambda value: value >= 0),
    ("stats.sesoi", "null or above 0", lambda value: value is None or 0 < value < math.inf),
    ("stats.margin", "null or above 0", lambda value: value is None or 0 < value < math.inf),
    ("sweep.points", "at least 3", lambda value: value >= 3),
    ("sweep.scale", "log or linear", lambda value: value in ("log", "linear")),
    ("sweep.steps", "at least 1", lambda value: value >= 1),
    ("sweep.seed", "at least 0", lambda value: value >= 0),
    ("sweep.split", "validation: choosing on test would spoil it", lambda value: value == "validation"),
    ("sweep.edge", "refuse or allow", lambda value: value in ("refuse", "allow")),
    ("kind.objective", "causal or masked", lambda value: value in ("causal", "masked")),
)


def check_ranges(plain: Mapping[str, Any]) -> None:
    """Refuse a setting that is out of range.

    Raises:
        ConfigError: With the key, what it may be and what it is.
    """
    for key, allowed, is_allowed in _RULES:
        group, _, name = key.partition(".")
        value = plain[group][name] if name else plain[group]
        if not is_allowed(value):
            raise ConfigError(f"`{key}` must be {allowed}, got {value!r}")
    model, sweep, stats = plain["model"], plain["sweep"], plain["stats"]
    if model["d_model"] % model["n_heads"]:
        raise ConfigError(
            "`model.d_model` must be a multiple of `model.n_heads`, "
            f"got {model['d_model']} and {model['n_heads']}"
        )
    if not sweep["low"] < sweep["high"]:
        raise ConfigError(f"`sweep.low` must be below `sweep.high`, got {sweep['low']} and {sweep['high']}")
    if sweep["scale"] == "log" and sweep["low"] <= 0:
        raise ConfigError(f"`sweep.low` must be above 0 on a log scale, got {sweep['low']}")
    if plain["score"]["stride"] > model["context"]:
        raise ConfigError(
            "`score.stride` must be at most `model.context`, "
            f"got {plain['score']['stride']} and {model['context']}"
        )
    if len(set(stats["family"])) != len(stats["family"]):
        raise ConfigError(f"`stats.family` must name each metric once, got {', '.join(stats['family'])}")
    if stats["primary"] not in stats["family"]:
        raise ConfigError(
            f"`stats.primary` must be in `stats.family`. {did_you_mean(stats['primary'], stats['family'])}"
        )

"""The family `transformer`: the baseline and the MASHA kinds, trained here from random weights."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, final

from rig.core.documents import Document
from rig.core.errors import ConfigError, did_you_mean
from rig.core.files import write_text
from rig.core.seeding import stream
from rig.models.adamw import AdamWSettings
from rig.models.backend import build_stepper, check_backend
from rig.models.base import AbstractKind, AbstractLanguageModel, Fit, Progress, TrainingText
from rig.models.masha import MorphemicPrior, Switches
from rig.models.masked_prediction import predict_selected
from rig.models.morphemes import Morphology, morpheme_table
from rig.models.network import Architecture, Network
from rig.models.tokenizer import AbstractTokenizer, train_tokenizer
from rig.models.training import CurvePoint, TrainingSettings, token_stream, train
from rig.models.training_batch import MaskedBatches, Objective, causal_batch
from rig.models.transformer_lm import TransformerLanguageModel
from rig.models.transformer_masked_lm import TransformerMaskedLanguageModel

WEIGHTS_FILE = "model.npz"
CURVE_FILE = "training.jsonl"

_DEFAULT_OPTIONS: dict[str, Any] = {
    "embedding": False,
    "attention_bias": False,
    "output_logits": False,
    "bias_strength": 1.0,
}


@final
class TransformerKind(AbstractKind):
    """Trains `rig.models.transformer` with AdamW, as a causal or as a masked language model (`objective`).

    A masked one has MASK as one more id after the tokenizer's; MASK has no morphemes. It sees the same rows
    in the same order as a causal one.

    Options: `embedding`, `attention_bias`, `output_logits` and `bias_strength`, the switches of
    `rig.models.masha`. All off is the baseline. Any of them on needs the config group `morphology`.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        _check_declaration(config["kind"])
        self._is_masked = config["kind"]["objective"] == "masked"
        self._switches = _switches(config["kind"])
        self._morphology = (
            Morphology.from_config(config.get("morphology") or {}) if self._switches.any else None
        )
        self._model = _model_settings(config["model"])
        self._backend = _value(config["model"], "model.backend")
        check_backend(self._backend)
        self._training = _training_settings(config["train"])
        self._stride = _integer(config["score"], "score.stride", low=1, high=self._model["context"])
        self._batch_size = _integer(config["score"], "score.batch_size", low=1)
        self._tokenizer_config = config["tokenizer"]

    def fit(self, text: TrainingText, *, seed: int, out: Path, progress: Progress) -> Fit:
        """Train from the seed's initial weights.

        Writes `model.npz` (the weights) and `training.jsonl` (the curve, also of a training that diverged,
        and last the validation loss) under `out`.

        Raises:
            DataError: The training texts are shorter than one row, or no two tokens share a morpheme.
            DivergedError: The loss, the gradient or a weight became infinite or NaN.
        """
        tokenizer = train_tokenizer(self._tokenizer_config, [document.text for document in text.train])
        tokens = token_stream(
            [tokenizer.encode(document.text).token_id for document in text.train], tokenizer.bos_id
        )
        special = (None,) if self._is_masked else ()  # MASK
        prior = self._prior((*tokenizer.tokens, *special))
        vocab_size = tokenizer.vocab_size + len(special)
        network = Network(
            Architecture(vocab_size=vocab_size, **self._model), prior=prior, causal=not self._is_masked
        )
        network.initialise(seed)
        initial_weights_sha256 = network.parameters.sha256()
        stepper = build_stepper(self._backend, network, self._training.optimiser)

        curve: list[CurvePoint] = []
        lines: list[str] = []
        try:
            train(
                stepper,
                tokens,
                self._training,
                context=self._model["context"],
                seed=seed,
                objective=self._objective(tokenizer, seed),
                curve=curve,
                progress=progress,
            )
            network.parameters.save(out / WEIGHTS_FILE)
            model, validation_loss = self._finished(network, tokenizer, text.validation)
            if validation_loss is not None:
                lines = [json.dumps({"step": curve[-1].step, "validation_loss": validation_loss})]
        finally:
            write_text(
                out / CURVE_FILE, "".join(f"{line}\n" for line in [*(p.as_json() for p in curve), *lines])
            )
        return Fit(
            model=model,
            train_tokens=self._training.steps * self._training.batch_size * self._model["context"],
            facts={
                "vocab_size": tokenizer.vocab_size,
                "tokenizer_sha256": tokenizer.sha256,
                "initial_weights_sha256": initial_weights_sha256,
                "final_train_loss": curve[-1].loss,
                "final_validation_loss": validation_loss,
                "n_morphemes": 0 if prior is None else prior.n_morphemes,
                **stepper.facts(),
            },
        )

    def _objective(self, tokenizer: AbstractTokenizer, seed: int) -> Objective:
        if not self._is_masked:
            return causal_batch
        return MaskedBatches(
            bos_id=tokenizer.bos_id, mask_id=tokenizer.vocab_size, rng=stream(seed, "masked positions")
        )

    def _finished(
        self, network: Network, tokenizer: AbstractTokenizer, validation: Sequence[Document]
    ) -> tuple[AbstractLanguageModel, float | None]:
        """The model, and its mean loss on validation as a scorer counts it."""
        if self._is_masked:
            masked = TransformerMaskedLanguageModel(network, tokenizer, batch_size=self._batch_size)
            return masked, _mean_masked_loss(masked, validation)
        causal = TransformerLanguageModel(
            network, tokenizer, stride=self._stride, batch_size=self._batch_size
        )
        return causal, _mean_loss(causal, validation)

    def _prior(self, tokens: Sequence[str | None]) -> MorphemicPrior | None:
        if self._morphology is None:
            return None
        return MorphemicPrior(morpheme_table(tokens, self._morphology), self._switches)


def _mean_loss(model: TransformerLanguageModel, documents: Sequence[Document]) -> float | None:
    """Nats per token over the documents; None where there is no token."""
    scores = model.score(documents)
    n_tokens = sum(document.n_tokens for document in scores)
    return sum(document.total_nats for document in scores) / n_tokens if n_tokens else None


def _mean_masked_loss(model: TransformerMaskedLanguageModel, documents: Sequence[Document]) -> float | None:
    """Nats per token that masked accuracy hides; None where there is none."""
    predicted = predict_selected(model, documents)
    n_tokens = sum(len(tokens.position) for tokens in predicted)
    return sum(float(-tokens.logprob.sum()) for tokens in predicted) / n_tokens if n_tokens else None


def _check_declaration(kind: Mapping[str, Any]) -> None:
    allowed = {"objective": ("causal", "masked"), "seeded": (True,), "has_lr": (True,)}
    for key, values in allowed.items():
        if kind[key] not in values:
            raise ConfigError(
                f"`{key}` of kind '{kind['name']}' must be {' or '.join(map(repr, values))} for family "
                f"'transformer', got {kind[key]!r}"
            )


def _switches(kind: Mapping[str, Any]) -> Switches:
    given: Mapping[str, Any] = kind.get("options") or {}
    for name in given:
        if name not in _DEFAULT_OPTIONS:
            raise ConfigError(
                f"unknown option '{name}' of kind '{kind['name']}' (family 'transformer'). "
                f"{did_you_mean(name, _DEFAULT_OPTIONS)}"
            )
    options = {**_DEFAULT_OPTIONS, **given}
    for name in ("embedding", "attention_bias", "output_logits"):
        if not isinstance(options[name], bool):
            raise ConfigError(
                f"option `{name}` of kind '{kind['name']}' must be true or false, got {options[name]!r}"
            )
    strength = _number(options, "kind.options.bias_strength", low=-math.inf)
    return Switches(**{**options, "bias_strength": strength})


def _model_settings(group: Mapping[str, Any]) -> dict[str, int]:
    settings = {
        "d_model": _integer(group, "model.d_model", low=1),
        "n_layers": _integer(group, "model.n_layers", low=0),
        "n_heads": _integer(group, "model.n_heads", low=1),
        "context": _integer(group, "model.context", low=2),
    }
    if settings["d_model"] % settings["n_heads"]:
        raise ConfigError(
            "`model.d_model` must be a multiple of `model.n_heads`, "
            f"got {settings['d_model']} and {settings['n_heads']}"
        )
    return settings


def _training_settings(group: Mapping[str, Any]) -> TrainingSettings:
    steps = _integer(group, "train.steps", low=1)
    below_one = math.nextafter(1.0, 0.0)
    return TrainingSettings(
        steps=steps,
        batch_size=_integer(group, "train.batch_size", low=1),
        lr=_number(group, "train.lr", above=0),
        warmup_steps=_integer(group, "train.warmup_steps", low=0, high=steps),
        min_lr_ratio=_number(group, "train.min_lr_ratio", low=0, high=1),
        optimiser=AdamWSettings(
            weight_decay=_number(group, "train.weight_decay", low=0),
            beta1=_number(group, "train.beta1", low=0, high=below_one),
            beta2=_number(group, "train.beta2", low=0, high=below_one),
            eps=_number(group, "train.eps", above=0),
            clip_norm=_number(group, "train.clip_norm", above=0),
        ),
    )


def _integer(group: Mapping[str, Any], key: str, *, low: int, high: int | None = None) -> int:
    value = _value(group, key)
    if (
        isinstance(value, bool)
        or not isinstance(value, int)
        or value < low
        or (high is not None and value > high)
    ):
        allowed = f"of at least {low}" if high is None else f"in [{low}, {high}]"
        raise ConfigError(f"`{key}` must be an integer {allowed}, got {value!r}")
    return value


def _number(
    group: Mapping[str, Any],
    key: str,
    *,
    low: float = 0.0,
    above: float | None = None,
    high: float = math.inf,
) -> float:
    value = _value(group, key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigError(f"`{key}` must be a finite number, got {value!r}")
    if value > high or value < low or (above is not None and value <= above):
        lower = f"at least {low}" if above is None else f"above {above}"
        upper = "" if high == math.inf else f" and at most {high}"
        raise ConfigError(f"`{key}` must be {lower}{upper}, got {value!r}")
    return float(value)


def _value(group: Mapping[str, Any], key: str) -> Any:
    name = key.rpartition(".")[2]
    if name not in group:
        raise ConfigError(f"`{key}` is missing from the config. Got: {', '.join(group) or 'nothing'}.")
    return group[name]

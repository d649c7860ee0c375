"""The kinds `uniform` and `ngram`: from a config and training text to scores."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError
from rig.core.fingerprint import fingerprint
from rig.core.seeding import stream
from rig.models.base import AbstractKind, Explains, Fit, Generates, TrainingText
from rig.models.catalog import build_kind
from rig.models.ngram import NgramKind
from rig.models.tokenizer import train_tokenizer
from rig.models.uniform import UniformKind

TRAIN = ("a menina viu o cão .", "o cão viu a menina .", "o menino não viu o gato .", "a gata viu o menino .")
TEST = ("o cão viu a gata .", "não viu 😀 ninguém", "")
TOKENIZERS = (
    {"type": "bpe", "vocab_size": 290},
    {"type": "byte", "vocab_size": 257},
    {"type": "word", "vocab_size": 8},
)


def documents(texts: tuple[str, ...]) -> tuple[Document, ...]:
    return tuple(Document(doc_id=str(index), text=text) for index, text in enumerate(texts))


def config(family: str, tokenizer: dict[str, Any], **options: Any) -> dict[str, Any]:
    kind = {"name": "k", "family": family, "objective": "causal", "seeded": False, "has_lr": False}
    return {"kind": kind | {"options": options}, "tokenizer": tokenizer}


def silent(*, step: int, n_steps: int, loss: float) -> None:
    """No progress to show."""


def fitted(family: str, tokenizer: dict[str, Any], seed: int = 0, **options: Any) -> Fit:
    kind = build_kind(config(family, tokenizer, **options))
    text = TrainingText(train=documents(TRAIN), validation=())
    return kind.fit(text, seed=seed, out=Path(), progress=silent)


families = pytest.mark.parametrize("family", ["uniform", "ngram"])
every_tokenizer = pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=lambda config: config["type"])


@pytest.mark.parametrize("tokenizer", TOKENIZERS[:2], ids=lambda config: config["type"])
def test_the_uniform_perplexity_is_the_vocabulary_size(tokenizer: dict[str, Any]) -> None:
    fit = fitted("uniform", tokenizer)
    scores = fit.model.score(documents(TEST))
    ce = sum(s.total_nats for s in scores) / sum(s.n_tokens for s in scores)
    assert math.exp(ce) == pytest.approx(fit.facts["vocab_size"], rel=1e-12)


def test_the_uniform_bits_per_character_of_bytes_is_log2_257_per_byte() -> None:
    fit = fitted("uniform", TOKENIZERS[1])
    (scores,) = fit.model.score(documents(("não",)))
    assert scores.total_nats / math.log(2) / scores.n_chars == pytest.approx(math.log2(257) * 4 / 3)


@families
def test_an_unknown_word_costs_its_token_and_its_spelling(family: str) -> None:
    fit = fitted(family, TOKENIZERS[2])
    tokenizer = train_tokenizer(TOKENIZERS[2], TRAIN)
    document = documents(TEST)[1]
    (scores,) = fit.model.score([document])
    spelling = tokenizer.extra_nats(document.text, tokenizer.encode(document.text))
    unknown = scores.token_id == fit.model.unk_id
    assert unknown.any()
    assert (-scores.logprob[unknown] > spelling[unknown]).all()
    if family == "uniform":
        assert -scores.logprob == pytest.approx(math.log(tokenizer.vocab_size) + spelling)


@families
@every_tokenizer
def test_each_document_is_scored_alone(family: str, tokenizer: dict[str, Any]) -> None:
    model = fitted(family, tokenizer).model
    together = model.score(documents(TEST))
    assert [scores.doc_id for scores in together] == ["0", "1", "2"]
    assert together[2].n_tokens == 0
    for document, scores in zip(documents(TEST), together, strict=True):
        (alone,) = model.score([document])
        assert alone.logprob.tolist() == scores.logprob.tolist()
        assert scores.n_chars == document.n_chars


@families
@every_tokenizer
def test_an_explanation_holds_the_distributions_that_the_scores_were_read_from(
    family: str, tokenizer: dict[str, Any]
) -> None:
    model = fitted(family, tokenizer).model
    used = train_tokenizer(tokenizer, TRAIN)
    assert isinstance(model, Explains)
    for document, scores in zip(documents(TEST), model.score(documents(TEST)), strict=True):
        explanation = model.explain(document)
        assert explanation.logprob.shape == (scores.n_tokens, used.vocab_size)
        assert explanation.input_id.tolist() == [0, *scores.token_id.tolist()][: scores.n_tokens]
        assert np.exp(explanation.logprob).sum(axis=1) == pytest.approx(1.0, abs=1e-12)
        spelling = used.extra_nats(document.text, used.encode(document.text))
        of_tokens = explanation.logprob[np.arange(scores.n_tokens), scores.token_id]
        assert of_tokens == pytest.approx(scores.logprob + spelling, abs=1e-9)


@families
@every_tokenizer
def test_the_seed_changes_nothing(family: str, tokenizer: dict[str, Any]) -> None:
    one, other = fitted(family, tokenizer, seed=1), fitted(family, tokenizer, seed=2)
    assert fingerprint(one.facts) == fingerprint(other.facts)
    for a, b in zip(one.model.score(documents(TEST)), other.model.score(documents(TEST)), strict=True):
        assert a.logprob.tolist() == b.logprob.tolist()


@families
@every_tokenizer
def test_generation_depends_on_each_prompts_own_generator_only(
    family: str, tokenizer: dict[str, Any]
) -> None:
    model = fitted(family, tokenizer).model
    assert isinstance(model, Generates)
    settings: dict[str, Any] = {"n_tokens": 12, "temperature": 0.8, "top_p": 0.95}
    prompts = ["o cão", "", "a menina viu"]
    together = model.generate(prompts, rngs=[stream(5, p) for p in prompts], **settings)
    alone = [model.generate([p], rngs=[stream(5, p)], **settings)[0] for p in prompts]
    assert together == alone


def test_a_trigram_model_learns_what_uniform_cannot() -> None:
    seen = documents(TRAIN)
    nats = {
        name: sum(s.total_nats for s in fitted(name, TOKENIZERS[0]).model.score(seen))
        for name in ("uniform", "ngram")
    }
    assert nats["ngram"] < 0.5 * nats["uniform"]


def test_the_greedy_continuation_of_a_certain_text_is_that_text() -> None:
    kind = NgramKind(config("ngram", TOKENIZERS[1], order=4))
    text = TrainingText(train=documents(("abcdefgh",) * 5), validation=())
    model = kind.fit(text, seed=0, out=Path(), progress=silent).model
    assert isinstance(model, Generates)
    assert model.generate(["abc"], n_tokens=5, temperature=0.0, top_p=1.0, rngs=[stream(0)]) == ["defgh"]


def test_facts_of_an_ngram_model() -> None:
    fit = fitted("ngram", TOKENIZERS[1], order=2, discounts=[0.5, 0.6])
    assert fit.train_tokens == sum(len(text.encode()) for text in TRAIN)
    assert fit.facts["discounts"] == [0.5, 0.6]
    assert fit.facts["order"] == 2
    assert fit.model.n_params == sum(fit.facts["n_grams"])
    assert fit.facts["n_grams"][0] == len(set("".join(TRAIN).encode()))
    assert fit.facts["vocab_size"] == 257


@families
@pytest.mark.parametrize(("key", "value"), [("seeded", True), ("has_lr", True), ("objective", "masked")])
def test_a_kind_that_claims_a_seed_a_rate_or_a_mask_is_refused(family: str, key: str, value: object) -> None:
    wrong = config(family, TOKENIZERS[0])
    wrong["kind"][key] = value
    with pytest.raises(ConfigError, match=f"`{key}` of kind 'k' must be .* for family '{family}'"):
        build_kind(wrong)


@pytest.mark.parametrize(
    ("family", "options", "message"),
    [
        ("uniform", {"order": 2}, "unknown option 'order' of kind 'k' .family 'uniform'.. Known: none"),
        ("ngram", {"ordre": 2}, "unknown option 'ordre'.*Did you mean 'order'"),
        ("ngram", {"order": 0}, r"`order` of kind 'k' must be an integer in \[1, 10\], got 0"),
        ("ngram", {"order": 11}, "got 11"),
        ("ngram", {"order": 2.0}, r"got 2\.0"),
        ("ngram", {"order": True}, "got True"),
        ("ngram", {"order": 2, "discounts": [0.5]}, r"must be 2 numbers in \(0, 1\)"),
        ("ngram", {"order": 1, "discounts": [1.0]}, r"must be 1 numbers.*got \[1.0\]"),
        ("ngram", {"order": 1, "discounts": [float("nan")]}, "must be 1 numbers"),
        ("ngram", {"order": 1, "discounts": "x"}, "must be 1 numbers"),
        ("ngram", {"order": 1, "discounts": 0.5}, "must be 1 numbers"),
    ],
)
def test_a_wrong_option_is_refused(family: str, options: dict[str, Any], message: str) -> None:
    kinds: dict[str, type[AbstractKind]] = {"uniform": UniformKind, "ngram": NgramKind}
    with pytest.raises(ConfigError, match=message):
        kinds[family](config(family, TOKENIZERS[0], **options))


@families
def test_no_training_text_is_refused(family: str) -> None:
    kind = build_kind(config(family, TOKENIZERS[0]))
    with pytest.raises(DataError, match="can't be trained on 0 texts"):
        kind.fit(TrainingText(train=(), validation=()), seed=0, out=Path(), progress=silent)


def test_scores_are_finite_at_any_length() -> None:
    model = fitted("ngram", TOKENIZERS[0], order=5).model
    (scores,) = model.score(documents(("o cão viu a menina . " * 500,)))
    assert np.isfinite(scores.total_nats)

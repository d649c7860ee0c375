from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from rig.core.errors import ConfigError
from rig.core.seeding import stream
from rig.models.sampling import Probabilities, continue_texts, sample
from rig.models.tokenizer import train_tokenizer

N_DRAWS = 4_000


def frequencies(weights: list[float], *, temperature: float, top_p: float) -> list[int]:
    rng = stream(7, "draws")
    drawn = [sample(np.array(weights), temperature=temperature, top_p=top_p, rng=rng) for _ in range(N_DRAWS)]
    return [drawn.count(index) for index in range(len(weights))]


def refuse_if_not_drawn_from(counts: list[int], probabilities: list[float]) -> None:
    seen = [(n, p) for n, p in zip(counts, probabilities, strict=True) if p > 0]
    assert sum(n for n, _ in seen) == N_DRAWS
    assert stats.chisquare([n for n, _ in seen], [p * N_DRAWS for _, p in seen]).pvalue > 1e-3


@pytest.mark.parametrize(
    ("temperature", "top_p", "probabilities"),
    [
        (1.0, 1.0, [0.1, 0.6, 0.0, 0.3]),
        (0.5, 1.0, [0.01 / 0.46, 0.36 / 0.46, 0.0, 0.09 / 0.46]),
        (1.0, 0.89, [0.0, 2 / 3, 0.0, 1 / 3]),
        (1.0, 0.61, [0.0, 2 / 3, 0.0, 1 / 3]),
    ],
)
def test_draws_follow_their_probabilities(
    temperature: float, top_p: float, probabilities: list[float]
) -> None:
    counts = frequencies([1.0, 6.0, 0.0, 3.0], temperature=temperature, top_p=top_p)
    refuse_if_not_drawn_from(counts, probabilities)


def test_a_small_nucleus_is_the_most_probable_index() -> None:
    assert frequencies([1.0, 6.0, 0.0, 3.0], temperature=1.0, top_p=0.59) == [0, N_DRAWS, 0, 0]


def test_temperature_zero_takes_the_lowest_of_the_most_probable() -> None:
    assert frequencies([0.1, 0.4, 0.4, 0.1], temperature=0.0, top_p=1.0) == [0, N_DRAWS, 0, 0]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_one_number_is_drawn_whatever_the_settings(temperature: float) -> None:
    rng, other = stream(1, "a"), stream(1, "a")
    sample(np.array([0.5, 0.5]), temperature=temperature, top_p=0.7, rng=rng)
    other.random()
    assert rng.random() == other.random()


@pytest.mark.parametrize("temperature", [-0.1, float("nan"), float("inf")])
def test_a_wrong_temperature_is_refused(temperature: float) -> None:
    with pytest.raises(ConfigError, match="`temperature` must be finite and >= 0"):
        sample(np.ones(2), temperature=temperature, top_p=1.0, rng=stream(0))


@pytest.mark.parametrize("top_p", [0.0, 1.1, float("nan")])
def test_a_wrong_top_p_is_refused(top_p: float) -> None:
    with pytest.raises(ConfigError, match=r"`top_p` must lie in \(0, 1\]"):
        sample(np.ones(2), temperature=1.0, top_p=top_p, rng=stream(0))


def test_bos_and_unk_are_never_written() -> None:
    tokenizer = train_tokenizer({"type": "word", "vocab_size": 4}, ["a b a b a"])
    texts = continue_texts(
        lambda ids: np.array([0.5, 0.4, 0.05, 0.05]),
        tokenizer,
        ["a c"],
        n_tokens=50,
        temperature=1.0,
        top_p=1.0,
        rngs=[stream(3, "draws")],
    )
    assert set(texts[0]) <= set(" ab")
    assert len(tokenizer.encode(texts[0])) == 50


def test_the_model_is_asked_with_bos_and_all_tokens_so_far() -> None:
    tokenizer = train_tokenizer({"type": "byte", "vocab_size": 257}, ["x"])
    asked: list[list[int]] = []

    def always_x(ids: Sequence[int]) -> Probabilities:
        asked.append(list(ids))
        probabilities: Probabilities = np.zeros(257)
        probabilities[1 + ord("x")] = 1.0
        return probabilities

    assert continue_texts(
        always_x, tokenizer, ["a"], n_tokens=2, temperature=1.0, top_p=1.0, rngs=[stream(0)]
    ) == ["xx"]
    assert asked == [[0, 1 + ord("a")], [0, 1 + ord("a"), 1 + ord("x")]]


def test_one_generator_a_prompt_or_none_at_all() -> None:
    tokenizer = train_tokenizer({"type": "byte", "vocab_size": 257}, ["x"])
    with pytest.raises(ConfigError, match="got 3 tokens, 2 prompts and 1 generators"):
        continue_texts(
            lambda ids: np.ones(257),
            tokenizer,
            ["a", "b"],
            n_tokens=3,
            temperature=1.0,
            top_p=1.0,
            rngs=[stream(0)],
        )

"""Drawing text from a model that gives the probabilities of the next token."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from rig.core.errors import ConfigError
from rig.models.tokenizer import AbstractTokenizer

Probabilities = npt.NDArray[np.float64]
NextProbabilities = Callable[[Sequence[int]], Probabilities]
"""From the tokens so far, BOS first, to the probability of each next one, (vocab_size,)."""


def sample(
    probabilities: Probabilities, *, temperature: float, top_p: float, rng: np.random.Generator
) -> int:
    """Draw an index, tempered first and then cut to its nucleus (Holtzman et al. 2020).

    Args:
        probabilities: (n,) weights >= 0, of which at least one is positive; they need not sum to one.
        temperature: >= 0; weights become p ** (1 / temperature). At 0 the most probable index is taken, the
            lowest of equals.
        top_p: In (0, 1]; only the fewest most probable indices whose mass reaches it are drawn from.
        rng: One number is drawn from it, whatever the settings.

    Raises:
        ConfigError: `temperature` or `top_p` is out of range.
    """
    check_sampling(temperature=temperature, top_p=top_p)
    uniform = rng.random()
    if temperature == 0:
        return int(probabilities.argmax())
    with np.errstate(divide="ignore"):
        logits = np.log(probabilities) / temperature
    weights = np.exp(logits - logits.max())
    order = np.argsort(-weights, kind="stable")
    mass = np.cumsum(weights[order])
    n_kept = int(np.searchsorted(mass, top_p * mass[-1])) + 1
    drawn = int(np.searchsorted(mass[:n_kept], uniform * mass[n_kept - 1], side="right"))
    return int(order[min(drawn, n_kept - 1)])  # `uniform` times the mass may round up to it


def check_sampling(*, temperature: float, top_p: float) -> None:
    """Refuse settings that no token can be drawn with."""
    if not 0 <= temperature < float("inf"):
        raise ConfigError(f"`temperature` must be finite and >= 0, got {temperature}")
    if not 0 < top_p <= 1:
        raise ConfigError(f"`top_p` must lie in (0, 1], got {top_p}")


def continue_texts(
    next_probabilities: NextProbabilities,
    tokenizer: AbstractTokenizer,
    prompts: Sequence[str],
    *,
    n_tokens: int,
    temperature: float,
    top_p: float,
    rngs: Sequence[np.random.Generator],
) -> list[str]:
    """The continuation of each prompt, as `rig.models.base.Generates` defines it.

    BOS and UNK are never drawn: neither can be written. The other tokens keep their proportions.

    Raises:
        ConfigError: A setting is out of range, or there isn't one generator for each prompt.
    """
    check_sampling(temperature=temperature, top_p=top_p)
    if n_tokens < 0 or len(prompts) != len(rngs):
        raise ConfigError(
            "generation needs `n_tokens` >= 0 and one generator for each prompt, "
            f"got {n_tokens} tokens, {len(prompts)} prompts and {len(rngs)} generators"
        )
    unspeakable = [index for index in (tokenizer.bos_id, tokenizer.unk_id) if index is not None]
    texts = []
    for prompt, rng in zip(prompts, rngs, strict=True):
        ids = [tokenizer.bos_id, *tokenizer.encode(prompt).token_id.tolist()]
        n_given = len(ids)
        for _ in range(n_tokens):
            probabilities = next_probabilities(ids).copy()
            probabilities[unspeakable] = 0.0
            ids.append(sample(probabilities, temperature=temperature, top_p=top_p, rng=rng))
        texts.append(tokenizer.decode(ids[n_given:]))
    return texts

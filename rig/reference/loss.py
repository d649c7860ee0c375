"""The loss, by hand: what every fast kernel is tested against. Standard library only.

Four things go wrong silently in this number, each one line of code, each usually in the flattering
direction: when the logarithm is taken, whether labels are shifted by one, whether padding is left out, and
the base of the logarithm. Each stands here beside its wrong form. All losses are in nats.
"""

import math
from collections.abc import Sequence

VOCAB = 12
"""Vocabulary size of the example."""
PAD_ID = 0
"""The token that fills the example's tail."""
SEQ = [1, 5, 3, 8, 2, 9, 4, 11, 6, 10, 7, 3, PAD_ID, PAD_ID, PAD_ID, PAD_ID]
"""The example: a sentence of 12 tokens, no two neighbours alike, and 4 of padding."""
NEG_INF = float("-inf")
"""The log of a probability that became 0.0."""

_NEXT_TOKEN_LOGIT = 3.0
_NEXT_PADDING_LOGIT = 6.0


def dataset() -> tuple[list[list[float]], list[int]]:
    """The example that the report is computed from, without randomness.

    Returns:
        `len(SEQ)` rows of `VOCAB` logits, and the ids. Row t is highest at the token that stands at t + 1,
        higher still where that is padding; the last row, after which nothing stands, expects padding too.
        The other logits lie in [0, 1).
    """
    rows = []
    for position, following in enumerate([*SEQ[1:], PAD_ID]):
        row = [(7 * position + 5 * token) % 11 / 11 for token in range(VOCAB)]
        row[following] = _NEXT_PADDING_LOGIT if following == PAD_ID else _NEXT_TOKEN_LOGIT
        rows.append(row)
    return rows, list(SEQ)


def log_softmax(xs: Sequence[float]) -> list[float]:
    """Log-probabilities straight from logits: x_i - (max + log(sum(exp(x - max)))); finite for finite x."""
    highest = max(xs)
    log_total = highest + math.log(sum(math.exp(x - highest) for x in xs))
    return [x - log_total for x in xs]


def naive_log_softmax(xs: Sequence[float]) -> list[float]:
    """The wrong order, on purpose: probabilities first, then the log; `NEG_INF` where one is 0.0."""
    highest = max(xs)
    exponentials = [math.exp(x - highest) for x in xs]
    total = sum(exponentials)
    probabilities = [exponential / total for exponential in exponentials]
    return [math.log(probability) if probability > 0.0 else NEG_INF for probability in probabilities]


def token_loss(logits: Sequence[float], target: int) -> float:
    """-log_softmax(logits)[target], nats, >= 0.

    Raises:
        IndexError: `target` is not in the vocabulary (a negative one would count from its end).
    """
    if not 0 <= target < len(logits):
        raise IndexError(f"`target` must lie in [0, {len(logits)}), got {target}")
    return -log_softmax(logits)[target]


def cross_entropy(rows: Sequence[Sequence[float]], targets: Sequence[int]) -> float:
    """The mean token loss, nats a token; 0.0 without targets.

    Raises:
        ValueError: There isn't one row for each target.
    """
    losses = [token_loss(row, target) for row, target in zip(rows, targets, strict=True)]
    return sum(losses) / len(losses) if losses else 0.0


def perplexity(rows: Sequence[Sequence[float]], targets: Sequence[int]) -> float:
    """exp(mean loss), not the mean of exp(loss); >= 1."""
    return math.exp(cross_entropy(rows, targets))


def uniform_perplexity(vocab_size: int, length: int) -> float:
    """The perplexity of `length` rows of equal logits: `vocab_size`, for any `length` >= 1."""
    return perplexity([[0.0] * vocab_size] * length, [0] * length)


def shift_pairs(
    rows: Sequence[Sequence[float]], ids: Sequence[int]
) -> tuple[Sequence[Sequence[float]], Sequence[int]]:
    """Each row with the token after its own: (rows[:-1], ids[1:])."""
    return rows[:-1], ids[1:]


def shifted_loss(rows: Sequence[Sequence[float]], ids: Sequence[int]) -> float:
    """The cross entropy of each row against the token that follows it."""
    return cross_entropy(*shift_pairs(rows, ids))


def unshifted_loss(rows: Sequence[Sequence[float]], ids: Sequence[int]) -> float:
    """The wrong pairing, on purpose: each row against the token that it has already read."""
    return cross_entropy(rows, ids)


def kept_positions(targets: Sequence[int], pad_id: int) -> list[int]:
    """Indices whose target is not padding."""
    return [position for position, target in enumerate(targets) if target != pad_id]


def masked_cross_entropy(rows: Sequence[Sequence[float]], targets: Sequence[int], pad_id: int) -> float:
    """The sum of the losses that are kept over the number that are kept; 0.0 when none is left.

    Raises:
        ValueError: There isn't one row for each target.
    """
    if len(rows) != len(targets):
        raise ValueError(f"needs one row for each target, got {len(rows)} rows and {len(targets)} targets")
    kept = kept_positions(targets, pad_id)
    return cross_entropy([rows[position] for position in kept], [targets[position] for position in kept])


def bits_per_token(loss: float) -> float:
    """A loss in nats as bits: loss / ln 2."""
    return loss / math.log(2)


def nats_per_token(bits: float) -> float:
    """A loss in bits as nats: bits x ln 2."""
    return bits * math.log(2)

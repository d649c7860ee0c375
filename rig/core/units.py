"""Nats and bits. Everything is computed and stored in nats; bits are for showing."""

import math

NATS_PER_BIT: float = math.log(2.0)


def nats_to_bits(nats: float) -> float:
    """Information in bits: nats / ln 2."""
    return nats / NATS_PER_BIT


def bits_to_nats(bits: float) -> float:
    """Information in nats: bits x ln 2."""
    return bits * NATS_PER_BIT

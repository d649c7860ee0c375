"""Named random streams: one seed gives as many independent generators as there are names.

A stream depends on its seed and its name only, never on the order in which streams are asked for, so adding
one use of randomness does not move another. The global numpy generator is never touched.
"""

import hashlib

import numpy as np


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """A generator for one use of randomness.

    Args:
        seed: The replicate's seed, >= 0.
        names: What the randomness is for, for example ``"initial weights"``.

    Returns:
        A PCG64 generator, the same for the same arguments on every platform.

    Raises:
        ValueError: `seed` is negative.
    """
    if seed < 0:
        raise ValueError(f"`seed` must be a non-negative integer, got {seed}")
    digest = hashlib.sha256("\x1f".join(str(name) for name in names).encode()).digest()
    words = np.frombuffer(digest[:16], dtype="<u4").tolist()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *words])))

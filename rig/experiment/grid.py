"""The values that a sweep tries: evenly spaced, on a log or a linear scale."""

from typing import Literal

import numpy as np

from rig.core.errors import ConfigError

Scale = Literal["log", "linear"]


def grid_values(low: float, high: float, points: int, scale: str, *, like: float | int) -> list[float | int]:
    """The grid, ascending, both ends included exactly.

    Args:
        low: First value; above 0 on a log scale.
        high: Last value, above `low`.
        points: How many, at least 3.
        scale: `log` (numpy's geomspace) or `linear` (linspace).
        like: The setting's value in conf; where that is a whole number the grid's must be, too.

    Returns:
        Plain numbers: float, or int for a setting that is one.

    Raises:
        ConfigError: A whole-number setting would get a fraction.
    """
    spaced = np.geomspace(low, high, points) if scale == "log" else np.linspace(low, high, points)
    values = [float(value) for value in spaced]
    if isinstance(like, float):
        return values
    whole = [round(value) for value in values]
    for value, nearest in zip(values, whole, strict=True):
        if abs(value - nearest) > 1e-9 * max(1.0, abs(value)):
            raise ConfigError(
                f"the sweep's setting is a whole number, but its grid has {value!r}; "
                "choose sweep.low, sweep.high and sweep.points so that every value is whole"
            )
    return list(whole)

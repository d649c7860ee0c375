import numpy as np
import pytest

from rig.core.errors import ConfigError
from rig.experiment.grid import grid_values


def test_the_log_grid_is_geomspace_and_keeps_its_ends_exactly() -> None:
    values = grid_values(1e-4, 1e-1, 10, "log", like=0.005)
    assert values == np.geomspace(1e-4, 1e-1, 10).tolist()
    assert (values[0], values[-1]) == (1e-4, 1e-1)
    assert values[3] == pytest.approx(1e-3, rel=1e-15)
    assert all(type(value) is float for value in values)


def test_the_linear_grid_may_begin_at_zero() -> None:
    assert grid_values(0.0, 4.0, 9, "linear", like=1.0) == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]


def test_a_setting_that_is_a_whole_number_gets_whole_numbers() -> None:
    values = grid_values(2.0, 8.0, 3, "log", like=4)
    assert values == [2, 4, 8]
    assert all(type(value) is int for value in values)
    with pytest.raises(ConfigError, match=r"whole number, but its grid has 2\.5"):
        grid_values(2.0, 3.0, 3, "linear", like=4)

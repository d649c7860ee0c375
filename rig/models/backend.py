"""The backends that train the built-in network: `model.backend` to what makes its updates.

Both begin at the same weights, see the same batches and follow the same schedule. They round differently, so
the backend is part of a cell's key and of what a lock was made for.
"""

from importlib.util import find_spec

from rig.core.errors import ConfigError, did_you_mean
from rig.models.adamw import AdamWSettings
from rig.models.network import Network
from rig.models.numpy_stepper import NumpyStepper
from rig.models.training import Stepper

BACKENDS = ("numpy", "torch")


def check_backend(name: str) -> None:
    """Refuse what can't train here, without importing it.

    Raises:
        ConfigError: The backend is unknown, or torch is not installed.
    """
    if name not in BACKENDS:
        raise ConfigError(f"unknown `model.backend` {name!r}. {did_you_mean(str(name), BACKENDS)}")
    if name == "torch" and find_spec("torch") is None:
        raise ConfigError(
            "`model.backend=torch` needs a package that is not installed; run `pip install 'rig[torch]'`"
        )


def build_stepper(name: str, network: Network, settings: AdamWSettings) -> Stepper:
    """The stepper of a checked backend over a network with its initial weights."""
    if name == "numpy":
        return NumpyStepper(network, settings)
    from rig.models.torch_stepper import TorchStepper  # here, because torch is an extra and slow to import

    return TorchStepper(network, settings)

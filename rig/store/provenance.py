"""Where and with what something was computed: stored beside results, never part of a cell's key."""

import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

from rig import __version__

_PACKAGES = (
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "tokenizers",
    "ufal.udpipe",
    "hydra-core",
    "torch",
    "transformers",
)


def environment() -> dict[str, Any]:
    """Python, packages, BLAS and threads of this process. Bits are promised for the same BLAS kernel only."""
    return {
        "rig": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "packages": package_versions(),
        "blas": blas(),
    }


def package_versions() -> dict[str, str]:
    """The installed versions of the packages that numbers can depend on."""
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def blas() -> dict[str, str]:
    """The linear-algebra library that numpy was built with, and the instruction sets found at run time."""
    import numpy as np  # here, so that asking for a version does not load it

    config: Any = np.show_config(mode="dicts")
    build = config.get("Build Dependencies", {}).get("blas", {})
    simd = config.get("SIMD Extensions", {})
    return {
        "name": str(build.get("name", "unknown")),
        "version": str(build.get("version", "unknown")),
        "simd": " ".join([*simd.get("baseline", []), *simd.get("found", [])]),
    }


def git_state(folder: Path) -> dict[str, Any]:
    """Commit and cleanliness of the checkout that holds `folder`; empty where there is none."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return {}
    status = _git(folder, "status", "--porcelain", "--untracked-files=no") or ""
    return {"commit": commit.strip(), "dirty": bool(status.strip())}


def command_line() -> list[str]:
    """The command as it can be typed again: `python -m rig.tier1 ...` or `rig tier1 ...`."""
    # What `python -m` started has a spec, and its file's name alone would be no command.
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    if spec is None:
        return [Path(sys.argv[0]).name, *sys.argv[1:]]
    return ["python", "-m", spec.name.removesuffix(".__main__"), *sys.argv[1:]]


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        result = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout if result.returncode == 0 else None

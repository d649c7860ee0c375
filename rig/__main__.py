"""`python -m rig` is the `rig` command."""

from rig import one_thread  # noqa: F401  (before numpy is loaded)
from rig.cli.main import main

if __name__ == "__main__":
    main()

"""`python -m rig.tier1 --kinds K,... --seeds S,...`: the main job. The same command as `rig tier1`."""

import sys

from rig import one_thread  # noqa: F401  (before numpy is loaded)
from rig.cli.run import run
from rig.cli.tier1 import tier1

if __name__ == "__main__":
    sys.exit(run(tier1))

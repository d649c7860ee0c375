"""`python -m rig.tier1 --kinds K,... --seeds S,...`: the main job. The same command as `rig tier1`."""

import sys

from rig.cli.run import run
from rig.cli.tier1 import tier1

if __name__ == "__main__":
    sys.exit(run(tier1))

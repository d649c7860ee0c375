"""Settings that all tests share."""

import os

from hypothesis import settings

# Machines that run tests are shared and noisy: no test asserts a time.
settings.register_profile("rig", deadline=None, derandomize=True)
settings.load_profile("rig")

# One BLAS thread, as in a cell: bits are promised for it, and tests run side by side.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

"""One BLAS thread for this process. Import it before anything that loads numpy.

Bits are promised for one thread: with more, a matrix product is summed in another order. On few cores two
processes of one thread are faster than one of two, too.
"""

import os

VARIABLES: tuple[str, ...] = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)

os.environ.update(dict.fromkeys(VARIABLES, "1"))

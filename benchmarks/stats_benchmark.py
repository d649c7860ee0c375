"""Time the two bootstraps against scipy and against the published multibootstrap, in one run.

Run from the repository: OPENBLAS_NUM_THREADS=1 python benchmarks/stats_benchmark.py
Times are CPU seconds of one thread, the best of a few runs, so a busy machine changes them little.
"""

import resource
import time
import tracemalloc
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from rig.core.seeding import stream
from rig.stats.crossed_sums import CrossedSums, crossed_sums
from rig.stats.exact_bootstrap import exact_bounds
from rig.stats.multibootstrap import multibootstrap
from rig.stats.paired import compare
from rig.stats.seed_bootstrap import SeedResampler, percentile_bounds
from rig.stats.two_way import two_way

FloatArray = npt.NDArray[np.float64]

N_RESAMPLES = 10_000
N_TESTS = 200
N_SEEDS, N_KINDS, N_DOCS, N_METRICS = 5, 2, 20_000, 12
REFERENCE_RESAMPLES, REFERENCE_METRICS = 50, 2
"""The reference runs this much of N_RESAMPLES x N_METRICS, and is extrapolated."""


def cpu_seconds(work: Callable[[], object], repeats: int) -> float:
    """The least CPU time of a few runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def cpu_seconds_in_turn(works: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """The least CPU time of each, run in turn, so that all meet the machine's quiet and busy moments."""
    rounds = [[cpu_seconds(work, 1) for work in works] for _ in range(repeats)]
    return [min(times) for times in zip(*rounds, strict=True)]


def peak_allocated_mb(work: Callable[[], object]) -> float:
    """The most memory that one run holds beyond what was there before."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def peak_process_mb() -> float:
    """The most memory that this process has held so far, interpreter and libraries included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def make_sums() -> CrossedSums:
    """Simulated nats and tokens of every document."""
    rng = stream(0, "benchmark sums")
    weight = rng.integers(50, 400, (N_DOCS, N_METRICS)).astype(np.float64)
    total = np.empty((N_KINDS, N_SEEDS, N_DOCS, N_METRICS))
    document = 3.0 + rng.normal(0, 0.3, (N_DOCS, N_METRICS))
    for kind_and_seed in np.ndindex(N_KINDS, N_SEEDS):
        run = rng.normal(0, 0.02, N_METRICS)
        total[kind_and_seed] = (document + run + rng.normal(0, 0.1, (N_DOCS, N_METRICS))) * weight
    return crossed_sums(total, weight, kinds=("baseline", "variant"), seeds=range(N_SEEDS))


def reference_multibootstrap(
    total: FloatArray, weight: FloatArray, n_resamples: int, rng: np.random.Generator
) -> FloatArray:
    """The published algorithm as it is described: gather documents, score each drawn seed, average.

    Args:
        total: (n_kinds, n_seeds, n_docs) of one metric.
        weight: (n_docs,).
        n_resamples: Resamples.
        rng: Source of the resamples.

    Returns:
        (n_resamples,) differences of the variant and the baseline.
    """
    n_kinds, n_seeds, n_docs = total.shape
    replicates = np.empty(n_resamples)
    for b in range(n_resamples):
        seeds = rng.integers(0, n_seeds, size=(n_seeds,))
        docs = rng.integers(0, n_docs, n_docs)
        scores = np.empty((n_kinds, n_seeds))
        for kind in range(n_kinds):
            for slot in range(n_seeds):
                scores[kind, slot] = total[kind, seeds[slot]][docs].sum() / weight[docs].sum()
        replicates[b] = scores[1].mean() - scores[0].mean()
    return replicates


def benchmark_documents() -> None:
    """Seeds and documents crossed."""
    sums = make_sums()

    def ours() -> object:
        return multibootstrap(
            sums, n_resamples=N_RESAMPLES, confidence_level=0.95, rng=stream(0, "multibootstrap")
        )

    totals = np.ascontiguousarray(np.moveaxis(sums.total, 3, 0))[:REFERENCE_METRICS]
    weights = np.ascontiguousarray(sums.weight[0].T)[:REFERENCE_METRICS]

    def reference() -> object:
        return [
            reference_multibootstrap(total, weight, REFERENCE_RESAMPLES, stream(0, "reference"))
            for total, weight in zip(totals, weights, strict=True)
        ]

    fraction = REFERENCE_RESAMPLES * REFERENCE_METRICS / (N_RESAMPLES * N_METRICS)
    cpu_seconds(ours, 1)
    process_mb = peak_process_mb()
    ours_s, reference_s = cpu_seconds_in_turn([ours, reference], 8)
    reference_s /= fraction
    closed_s = cpu_seconds(lambda: two_way(sums, confidence_level=0.95), 3)
    print(
        f"{N_SEEDS} seeds x {N_KINDS} kinds x {N_DOCS:,} documents x {N_METRICS} ratio metrics, "
        f"B = {N_RESAMPLES:,}"
    )
    print(f"  published algorithm   {reference_s:9.2f} s   (extrapolated from {fraction:.3%})")
    print(f"  multibootstrap        {ours_s:9.2f} s   {reference_s / ours_s:8.1f} x")
    print(f"  two-way t             {closed_s:9.3f} s   {reference_s / closed_s:8.0f} x   (closed form)")
    print(f"  peak of the process   {process_mb:9.0f} MB  (inputs, libraries and interpreter included)")


def benchmark_seeds(n_seeds: int) -> None:
    """Tests over seeds alone."""
    rng = stream(0, "benchmark seeds", n_seeds)
    base, variant = rng.normal(3.5, 0.05, (2, n_seeds, N_TESTS))
    differences = variant - base

    def ours() -> object:
        draw = SeedResampler(N_RESAMPLES, rng=stream(0, "draw")).draw(n_seeds)
        return percentile_bounds(differences, draw, confidence_level=0.95)

    def scipy_loop() -> object:
        generator = stream(0, "scipy")
        return [
            stats.bootstrap(
                (differences[:, j],), np.mean, n_resamples=N_RESAMPLES, method="percentile", rng=generator
            )
            for j in range(N_TESTS)
        ]

    def scipy_vectorised() -> object:
        return stats.bootstrap(
            (differences,),
            np.mean,
            n_resamples=N_RESAMPLES,
            method="percentile",
            rng=stream(0, "scipy"),
            axis=0,
        )

    def everything() -> object:
        return compare(
            base,
            variant,
            confidence_level=0.95,
            n_resamples=N_RESAMPLES,
            rng=stream(0, "compare"),
            margin=0.1,
        )

    loop_s, vectorised_s = cpu_seconds(scipy_loop, 3), cpu_seconds(scipy_vectorised, 3)
    ours_s = cpu_seconds(ours, 7)
    print(f"{N_TESTS} tests over {n_seeds} seeds, B = {N_RESAMPLES:,}")
    print(f"  scipy in a loop       {loop_s * 1e3:9.1f} ms")
    print(
        f"  scipy vectorised      {vectorised_s * 1e3:9.1f} ms  {loop_s / vectorised_s:8.1f} x"
        f"   {peak_allocated_mb(scipy_vectorised):6.0f} MB"
    )
    print(
        f"  explicit resamples    {ours_s * 1e3:9.1f} ms  {loop_s / ours_s:8.1f} x"
        f"   {peak_allocated_mb(ours):6.0f} MB"
    )
    if n_seeds <= 7:
        exact_s = cpu_seconds(lambda: exact_bounds(differences, confidence_level=0.95), 7)
        print(f"  exact enumeration     {exact_s * 1e3:9.2f} ms  {loop_s / exact_s:8.0f} x")
    print(f"  every statistic       {cpu_seconds(everything, 3) * 1e3:9.1f} ms  (compare)")


def main() -> None:
    """Run both. Documents first: the process's peak memory is then theirs."""
    benchmark_documents()
    for n_seeds in (3, 5, 10):
        benchmark_seeds(n_seeds)


if __name__ == "__main__":
    main()

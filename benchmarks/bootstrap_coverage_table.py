"""Make the shipped table of the seed bootstrap's coverage: rig/stats/bootstrap_coverage_table.py.

Run from the repository: python benchmarks/bootstrap_coverage_table.py. About three minutes on one core.
"""

from pathlib import Path

from rig.core.files import write_text
from rig.core.seeding import stream
from rig.stats.coverage import simulate_coverage

TABLE = Path(__file__).parent.parent / "rig" / "stats" / "bootstrap_coverage_table.py"
SEED = 0
N_SEEDS = range(2, 21)
LEVELS = (0.9, 0.95, 0.99)
N_SAMPLES = 20_000
N_RESAMPLES = 10_000

HEADER = '''"""Coverage of the percentile seed bootstrap of the mean for normal differences, as data.

Made by benchmarks/bootstrap_coverage_table.py ({n_samples:,} samples a cell; {n_resamples:,} resamples,
or full enumeration up to 7 seeds; seed {seed}). Standard error of each cell: below 0.0005.
"""

BOOTSTRAP_COVERAGE: dict[int, dict[float, float]] = {{
'''


def cell(n_seeds: int, confidence_level: float) -> float:
    """One coverage, rounded as shipped."""
    rng = stream(SEED, "bootstrap coverage", n_seeds, str(confidence_level))
    coverage = simulate_coverage(
        n_seeds, confidence_level=confidence_level, n_samples=N_SAMPLES, n_resamples=N_RESAMPLES, rng=rng
    )
    return round(coverage, 4)


def main() -> None:
    """Compute every cell and write the table."""
    lines = [HEADER.format(n_samples=N_SAMPLES, n_resamples=N_RESAMPLES, seed=SEED)]
    for n_seeds in N_SEEDS:
        cells = ", ".join(f"{level}: {cell(n_seeds, level)}" for level in LEVELS)
        lines.append(f"    {n_seeds}: {{{cells}}},\n")
        print(lines[-1], end="", flush=True)
    write_text(TABLE, "".join([*lines, "}\n", '"""Number of seeds to nominal level to coverage."""\n']))


if __name__ == "__main__":
    main()

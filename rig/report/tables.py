"""The three tables of a report as data frames, CSV and parquet, with their columns fixed.

CSV floats round-trip exactly (repr); an unevaluated value is empty, never 0. `train_s` differs between equal
runs and so stands in the parquet only: equal runs give equal CSV bytes.
"""

import csv
import io
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rig.core.errors import StoreError
from rig.core.files import atomic_path, write_text

Row = Mapping[str, Any]

AGGREGATE_COLUMNS: tuple[str, ...] = (
    "kind", "metric", "unit", "direction", "n_seeds", "mean", "std", "t_low", "t_high",
    "delta_mean", "paired_t", "p", "boot_low", "boot_high",
)  # fmt: skip
COMPARISON_COLUMNS: tuple[str, ...] = (
    "kind", "baseline", "metric", "scale", "n_pairs", "delta_mean", "delta_std", "t", "df", "p",
    "t_low", "t_high", "boot_low", "boot_high", "n_resamples", "boot_seed", "boot_coverage",
    "sign_flip_p", "sign_flip_floor", "p_holm", "d_z", "g_z", "r_seeds", "mde", "verdict",
)  # fmt: skip
TEXT_COLUMNS: frozenset[str] = frozenset(
    {
        "kind", "objective", "lock_state", "lock_id", "sweep_id", "status", "cell",
        "metric", "unit", "direction", "baseline", "scale", "verdict",
    }
)  # fmt: skip
INTEGER_COLUMNS: frozenset[str] = frozenset(
    {
        "seed", "n_seeds", "n_pairs", "df", "n_resamples", "boot_seed", "n_masked",
        "n_tokens", "n_chars", "n_params", "train_tokens",
    }
)  # fmt: skip
TIMED_COLUMNS: frozenset[str] = frozenset({"train_s"})


def csv_text(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """The rows as CSV with a header, line feeds, exact floats, empty cells for None."""
    kept = [name for name in columns if name not in TIMED_COLUMNS]
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(kept)
    writer.writerows([_cell(row.get(name)) for name in kept] for row in rows)
    return buffer.getvalue()


def write_table(folder: Path, name: str, rows: Sequence[Row], columns: Sequence[str]) -> None:
    """Write `NAME.csv` and `NAME.parquet` into a report's folder."""
    write_text(folder / f"{name}.csv", csv_text(rows, columns))
    arrays = {column: pa.array([row.get(column) for row in rows], _type(column)) for column in columns}
    with atomic_path(folder / f"{name}.parquet") as temporary:
        pq.write_table(pa.table(arrays), temporary)


def parquet_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a table's parquet file.

    Raises:
        StoreError: The file is missing or damaged.
    """
    try:
        rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    except (OSError, pa.ArrowInvalid) as error:
        raise StoreError(f"{path} can't be read as parquet: {error}") from error
    return rows


def first_difference(stored: str, derived: str) -> str:
    """Where two CSV texts differ first, as line and column with both values; empty if they don't."""
    if stored == derived:
        return ""
    was, now = list(csv.reader(io.StringIO(stored))), list(csv.reader(io.StringIO(derived)))
    for number, (one, other) in enumerate(zip(was, now, strict=False), start=1):
        for column, (a, b) in enumerate(itertools.zip_longest(one, other, fillvalue="")):
            if a != b:
                name = now[0][column] if column < len(now[0]) else f"number {column + 1}"
                return f"line {number}, column '{name}': stored '{a}', derived '{b}'"
    if len(was) != len(now):
        return f"stored {len(was)} lines, derived {len(now)}"
    return "the same values are spelled in other bytes"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def _type(column: str) -> pa.DataType:
    if column in TEXT_COLUMNS:
        return pa.string()
    return pa.int64() if column in INTEGER_COLUMNS else pa.float64()

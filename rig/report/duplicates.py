"""Seeds of one kind that gave the same scores to the bit: one run, not two replicates.

Counting a duplicate as a replicate lowers a t interval's coverage (from 95% to 78% for one of three), so
every statistic over seeds takes the first of them only, and the report says so above everything.
"""

from collections.abc import Sequence

from rig.report.rows import SeedRow


def duplicates(rows: Sequence[SeedRow]) -> dict[tuple[str, int], int]:
    """(kind, seed) of each row whose per-document sums equal an earlier one's, to that earlier seed."""
    first: dict[tuple[str, bytes], int] = {}
    found = {}
    for row in rows:
        if row.seed is None or row.sums is None:
            continue
        content = (row.kind, row.sums.total.tobytes())
        if content in first:
            found[row.kind, row.seed] = first[content]
        else:
            first[content] = row.seed
    return found


def replicates(rows: Sequence[SeedRow]) -> list[SeedRow]:
    """The rows that statistics over seeds are made of: finished, and no duplicates."""
    repeated = duplicates(rows)
    return [row for row in rows if row.status == "ok" and (row.kind, row.seed) not in repeated]

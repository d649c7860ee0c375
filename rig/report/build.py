"""A report as a value: the record, the rows, the comparisons. Rendering reads this and computes nothing."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from rig.core.files import readable_json
from rig.report.aggregate import aggregate_rows
from rig.report.comparison import Comparison, compare_kinds, comparison_row
from rig.report.documents_too import DocumentsToo, documents_too
from rig.report.rows import Column, SeedRow, as_mapping, column_catalog, column_names, seed_rows


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that a report shows."""

    record: Mapping[str, Any]
    """report.json."""
    rows: Sequence[SeedRow]
    catalog: Mapping[str, Column]
    """Metric to what is known of it, in table order."""
    comparisons: Sequence[Comparison]
    documents_too: Sequence[DocumentsToo]
    """The declared comparisons with documents as a sample too."""
    per_seed: Sequence[Mapping[str, Any]]
    per_seed_columns: Sequence[str]
    aggregate: Sequence[Mapping[str, Any]]
    comparison_rows: Sequence[Mapping[str, Any]]


def build_report(record: Mapping[str, Any], runs: Path) -> Report:
    """Derive every table from a report's record and its cells.

    Raises:
        StoreError: A cell is missing or was changed.
    """
    # As it will be read back from report.json, so that rendering again gives the same bytes.
    stored = json.loads(readable_json(record))
    return report_of_rows(stored, seed_rows(stored, runs))


def report_of_rows(record: Mapping[str, Any], rows: Sequence[SeedRow]) -> Report:
    """Derive every table from a report's record and its per-seed rows."""
    catalog = column_catalog(rows)
    comparisons = compare_kinds(rows, catalog, record)
    columns = column_names(rows)
    return Report(
        record=record,
        rows=rows,
        catalog=catalog,
        comparisons=comparisons,
        documents_too=documents_too(comparisons, rows, record),
        per_seed=[as_mapping(row, columns) for row in rows],
        per_seed_columns=columns,
        aggregate=aggregate_rows(rows, catalog, comparisons, record),
        comparison_rows=[comparison_row(comparison, record) for comparison in comparisons],
    )

"""Why metrics are empty, in sentences: those of one reason and the same cells together."""

from collections.abc import Callable

from rig.report.build import Report
from rig.report.labels import shortened
from rig.report.rows import SeedRow


def empty_sentences(
    report: Report, is_wanted: Callable[[str], bool], name_of: Callable[[SeedRow], str]
) -> list[str]:
    """Sentences such as `sim_assin2 is empty: data.similarity.assin2 is not set (baseline)`.

    Args:
        report: The report.
        is_wanted: Whether a metric is to be spoken of.
        name_of: How a cell is called; cells of one name are named once.
    """
    cells: dict[tuple[str, str], dict[str, None]] = {}
    for row in report.rows:
        for metric, reason in row.reasons.items():
            if is_wanted(metric):
                cells.setdefault((metric, reason), {})[name_of(row)] = None
    metrics: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (metric, reason), names in cells.items():
        metrics.setdefault((reason, tuple(names)), []).append(metric)
    return [
        f"{shortened(same)} {'is' if len(same) == 1 else 'are'} empty: {reason} ({', '.join(names)})."
        for (reason, names), same in metrics.items()
    ]

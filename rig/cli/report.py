"""`rig report`: render a report again from its stored cells, or say how two reports differ."""

from pathlib import Path
from typing import Any

import click

from rig.cli.options import runs_dir_option
from rig.cli.terminal import print_report
from rig.core.errors import UsageError
from rig.experiment.plan import parse_names
from rig.report.build import build_report
from rig.report.content import Cell, Table, text_cells
from rig.report.derive import derive_record
from rig.report.difference import ReportDifference, difference
from rig.report.locate import kept_lineage, locate
from rig.report.markdown import table_text
from rig.report.numbers import EMPTY, delta_text, table_decimals, value_text
from rig.report.record import read_record
from rig.report.rows import column_catalog, seed_rows
from rig.report.write import write_folder

_LONGEST = 48
"""Characters of a setting; what differs further on is in the two report.json."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("reports", nargs=-1, metavar="[REPORT] | A B")
@runs_dir_option
@click.option("--baseline", metavar="K", help="Another kind to compare with.")
@click.option("--metrics", metavar="M[,M...]", help="What the first table shows beside the primary metric.")
@click.option("--confidence", type=float, metavar="LEVEL", help="Another confidence level, such as .9.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write (default: RUNS/reports/ID).")
def report(
    reports: tuple[str, ...],
    runs_dir: Path,
    baseline: str | None,
    metrics: str | None,
    confidence: float | None,
    out: Path | None,
) -> None:
    """Render a report again from its stored cells; nothing is run.

    REPORT is an id under RUNS/reports or a path, by default the newest. Another baseline, confidence level or
    choice of metrics makes another report, with an id of its own, that says what it was derived from. With
    two reports: what differs between them in settings, data, code, locks and values.
    """
    if len(reports) > 2:
        raise UsageError(f"give one report to render or two to compare, got {len(reports)}")
    if len(reports) == 2:
        if baseline or metrics or confidence is not None or out:
            raise UsageError("--baseline, --metrics, --confidence and --out are for one report, got two")
        first, second = (locate(name, runs_dir) for name in reports)
        click.echo(difference_text(difference(first, second), reports))
        return
    located = locate(reports[0] if reports else None, runs_dir)
    record = read_record(located.folder)
    record = derive_record(
        record,
        column_catalog(seed_rows(record, located.runs)),
        baseline=baseline,
        metrics=parse_names(metrics, "--metrics") if metrics else (),
        confidence=confidence,
    )
    rendered = build_report(record, located.runs)
    folder = out or located.runs / "reports" / record["id"]
    if out is not None and out.exists() and not (out / "report.json").exists():
        raise UsageError(f"--out {out} exists and is no report's folder; name another")
    write_folder(rendered, folder, kept_lineage(located))
    print_report(rendered, folder)


def difference_text(found: ReportDifference, names: tuple[str, ...]) -> str:
    """What differs, topic by topic, then the values."""
    parts = []
    same = [topic for topic, items in found.items.items() if not items]
    for topic, items in found.items.items():
        if items:
            rows = [text_cells(item.item, _short(item.first), _short(item.second)) for item in items]
            parts.append(
                table_text(
                    Table(
                        caption=topic[0].upper() + topic[1:],
                        header=("", *names),
                        rows=tuple(rows),
                        n_text_columns=3,
                    )
                )
            )
    if same:
        parts.append(f"The same in both: {', '.join(same)}.")
    if found.values:
        parts.append(table_text(_value_table(found, names)))
    parts.append(f"Means over seeds: {len(found.values)} differ, {found.n_equal} are equal to the last bit.")
    return "\n\n".join(parts).replace("**", "")


def _value_table(found: ReportDifference, names: tuple[str, ...]) -> Table:
    body = []
    for value in found.values:
        delta = None if value.first is None or value.second is None else value.second - value.first
        body.append(
            (
                *text_cells(value.metric, value.kind, value_text(value.first), value_text(value.second)),
                Cell(text=delta_text(delta, table_decimals(delta, None)) if delta is not None else EMPTY),
            )
        )
    return Table(
        caption="Means over seeds",
        header=("metric", "kind", *names, "second minus first"),
        rows=tuple(body),
        n_text_columns=2,
    )


def _short(value: Any) -> str:
    text = str(value)
    is_hash = len(text) == 64 and all(digit in "0123456789abcdef" for digit in text)
    text = text[:12] if is_hash else text
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."

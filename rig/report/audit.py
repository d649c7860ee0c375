"""What the audit of each kind's adapter found: the stamps, the verdict in the header, the table of checks."""

from collections.abc import Mapping, Sequence
from typing import Any

from rig.audit.finding import failures
from rig.report.build import Report
from rig.report.content import Cell, Section, Table
from rig.report.duplicates import duplicates
from rig.report.labels import kind_label, row_name, table_stamp
from rig.report.rows import SeedRow

_FAILED = "FAILED"


def audit_stamps(report: Report) -> list[str]:
    """A warning for each check that some cell failed: where, what was seen, what it does to perplexity."""
    found: dict[tuple[str, str], list[tuple[SeedRow, Mapping[str, Any]]]] = {}
    for row in report.rows:
        for finding in failures(_findings(row)):
            found.setdefault((row.kind, finding["check"]), []).append((row, finding))
    marks = []
    for (kind, check), held in found.items():
        _, first = held[0]
        seeds = [row_name(row) for row, _ in held]
        where = "" if len(seeds) == len(_audited(report)[kind]) else f" ({', '.join(seeds)})"
        marks.append(f"{kind}: AUDIT FAILED, {check}{where}: {first['sentence']}. Effect: {first['effect']}.")
    return marks


def audit_verdict(report: Report) -> list[str]:
    """One sentence on all kinds: whether their numbers are what they are called; none without an audit."""
    audited = _audited(report)
    if not audited:
        return []
    failed = {kind: _failed_checks(rows) for kind, rows in audited.items()}
    if any(failed.values()):
        said = "; ".join(f"{kind}: {', '.join(checks)}" for kind, checks in failed.items() if checks)
        return [
            f"**Audit of the models' adapters: FAILED** ({said}): these numbers are not what they are called."
        ]
    said = ", ".join(f"{kind} {_passed(rows)}" for kind, rows in audited.items())
    return [f"Audit of the models' adapters: no check failed; passed {said}."]


def audit_section(report: Report) -> Section | None:
    """Every check by kind, and why some were not made; None where no cell was audited."""
    audited = _audited(report)
    if not audited:
        return None
    checks = list(dict.fromkeys(finding["check"] for row in report.rows for finding in _findings(row)))
    body = [
        (Cell(text=check), *(Cell(text=_state(rows, check)) for rows in audited.values())) for check in checks
    ]
    identical = [f"{kind} {first} and {seed}" for (kind, seed), first in duplicates(report.rows).items()]
    return Section(
        title="Audit of the adapters",
        paragraphs=(
            "Whether a model's numbers are what they are called: each cell checks a handful of texts before "
            "it scores; `rig audit` checks more. Seeds of one kind with identical scores: "
            f"{', '.join(identical) or 'none'}.",
        ),
        bullets=tuple(_not_made(audited)),
        tables=(
            Table(
                caption=f"Checks of each kind's adapter{table_stamp(report.record)}",
                header=("check", *(kind_label(report.record, kind) for kind in audited)),
                rows=tuple(body),
                n_text_columns=1 + len(audited),
            ),
        ),
    )


def _findings(row: SeedRow) -> Sequence[Mapping[str, Any]]:
    return [] if row.done is None else row.done.result.get("audit", [])


def _audited(report: Report) -> dict[str, list[SeedRow]]:
    """The cells that were audited, by kind."""
    found: dict[str, list[SeedRow]] = {}
    for row in report.rows:
        if _findings(row):
            found.setdefault(row.kind, []).append(row)
    return found


def _failed_checks(rows: Sequence[SeedRow]) -> list[str]:
    return list(dict.fromkeys(finding["check"] for row in rows for finding in failures(_findings(row))))


def _passed(rows: Sequence[SeedRow]) -> str:
    """`13 of 13`: the checks that every cell passed, of those made or not."""
    states = [_state(rows, finding["check"]) for finding in _findings(rows[0])]
    return f"{states.count('passed')} of {len(states)}"


def _state(rows: Sequence[SeedRow], check: str) -> str:
    """How a check ended over a kind's cells; a dash where the kind has no such check."""
    states = [finding["status"] for row in rows for finding in _findings(row) if finding["check"] == check]
    if "failed" in states:
        return _FAILED
    if len(set(states)) <= 1:
        return states[0] if states else "–"
    return f"passed ({states.count('passed')} of {len(states)})"


def _not_made(audited: Mapping[str, Sequence[SeedRow]]) -> list[str]:
    """Why checks were not made, each reason once, with the kinds that it holds for."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for kind, rows in audited.items():
        for check, sentence in dict.fromkeys(
            (finding["check"], finding["sentence"])
            for finding in _findings(rows[0])
            if finding["status"] == "not checked"
        ):
            kinds.setdefault((check, sentence), []).append(kind)
    return [
        f"{', '.join(names)}: {check} was not checked: {sentence}."
        for (check, sentence), names in kinds.items()
    ]

"""The report's opening: the answer in sentences, and the warnings that belong to it."""

import numpy as np

from rig.report.build import Report
from rig.report.comparison import Comparison
from rig.report.numbers import decimals_for, fixed_text, interval_text, p_text
from rig.report.rows import SeedRow
from rig.stats.caveats import SCOPE, caveats, exploratory_exclusions
from rig.stats.verdict import Word

_UNIT_NAMES = {
    "bits/char": "bits per character",
    "bits/byte": "bits per byte",
    "nats/token": "nats per token",
}


def unit_name(unit: str) -> str:
    """A unit as a sentence says it."""
    return _UNIT_NAMES.get(unit, unit)


def answer_sentences(report: Report) -> list[str]:
    """One sentence or two a variant, on the declared primary metric."""
    stats = report.record["stats"]
    primary = [comparison for comparison in report.comparisons if comparison.column.name == stats["primary"]]
    if primary:
        return [_sentence(comparison, report) for comparison in primary]
    baseline = report.record["baseline"]
    n_kinds = len(report.record["kinds"])
    if n_kinds == 1:
        return [f"One kind ({baseline}) was run, so there is nothing to compare."]
    return ["No two seeded kinds share seeds, so nothing is tested; the tables describe."]


def warnings(report: Report) -> list[str]:
    """What a reader must know beside the answer, without repeats, in the order of importance."""
    level = report.record["stats"]["confidence_level"]
    primary = report.record["stats"]["primary"]
    found: list[str] = []
    for comparison in report.comparisons:
        if comparison.column.name == primary and comparison.tested is not None:
            found += [
                f"{comparison.kind}: {text}" for text in caveats(comparison.tested, confidence_level=level)
            ]
    found += _twins(report)
    exploratory = [
        comparison
        for comparison in report.comparisons
        if not comparison.is_declared and comparison.tested is not None and comparison.tested.bootstrap
    ]
    coverages = [
        comparison.tested.bootstrap.coverage
        for comparison in exploratory
        if comparison.tested is not None
        and comparison.tested.bootstrap is not None
        and comparison.tested.bootstrap.coverage is not None
    ]
    if coverages:
        found.append(exploratory_exclusions(len(coverages), min(coverages)))
    found.append(SCOPE)
    return list(dict.fromkeys(found))


def stamps(report: Report) -> list[str]:
    """Warnings that stand above everything."""
    marks = []
    for kind in report.record["kinds"]:
        label = kind["lock"]["label"]
        if label not in {"OK", "NOT APPLICABLE"}:
            marks.append(f"{kind['name']}: {label}")
    for row in report.rows:
        if row.status != "ok":
            seed = "" if row.seed is None else f" seed {row.seed}"
            marks.append(f"{row.kind}{seed} {row.status}: {row.error}")
    if any(_is_masha(kind) for kind in report.record["kinds"]):
        marks.append(
            "The built-in MASHA kinds are this project's own reading of the idea, not its authors' code."
        )
    return marks


def _sentence(comparison: Comparison, report: Report) -> str:
    name, tested = comparison.column.name, comparison.tested
    unit = unit_name(comparison.column.unit) or name
    if tested is None or tested.delta_mean is None or tested.t is None:
        reason = comparison.not_compared or "no seed has a value of both kinds"
        return f"{comparison.kind} and {comparison.baseline} are not compared on {name}: {reason}."
    decimals = decimals_for(tested.t.std, least=3)
    is_better = (tested.delta_mean > 0) == (comparison.column.direction == "higher")
    seeds = f"{tested.n_pairs} seed" + ("s" if tested.n_pairs != 1 else "")
    level = f"{report.record['stats']['confidence_level']:.0%}"
    sentence = (
        f"{comparison.kind} is {fixed_text(abs(tested.delta_mean), decimals)} {unit} "
        f"{'better' if is_better else 'worse'} than {comparison.baseline} over {seeds}"
    )
    if tested.t.low is not None:
        interval = interval_text(tested.t.low, tested.t.high, decimals)
        sentence += f", {level} CI of the difference {interval}, Holm p = {p_text(comparison.p_holm)}"
    return f"{sentence}: {_conclusion(comparison)}."


def _conclusion(comparison: Comparison) -> str:
    verdict, tested = comparison.verdict, comparison.tested
    if verdict is None or tested is None:
        return "no test is defined"
    if verdict.word is Word.UNRESOLVED:
        needed = tested.seeds_needed
        more = f"; about {needed} seeds would resolve the declared smallest effect" if needed else ""
        if tested.mde is not None and not needed:
            decimals = decimals_for(tested.mde, least=3)
            smallest = f"{fixed_text(tested.mde, decimals)} {unit_name(comparison.column.unit)}"
            more = f"; {tested.n_pairs} seeds can find differences from {smallest}"
        return f"**{verdict}**{more}"
    return f"**{verdict}**"


def _twins(report: Report) -> list[str]:
    """Seeds of one kind whose scores are the same to the bit: a seed that changes nothing is no replicate."""
    found = []
    for kind in report.record["kinds"]:
        own = [row for row in report.rows if row.kind == kind["name"] and row.sums is not None]
        for index, row in enumerate(own):
            for other in own[index + 1 :]:
                if _same_sums(row, other):
                    found.append(
                        f"{row.kind}: seeds {row.seed} and {other.seed} gave identical scores; "
                        "does the seed reach the training?"
                    )
    return found


def _same_sums(row: SeedRow, other: SeedRow) -> bool:
    if row.sums is None or other.sums is None:
        return False
    return np.array_equal(row.sums.total, other.sums.total)


def _is_masha(kind: dict[str, object]) -> bool:
    return str(kind["name"]).startswith("masha")

"""The report's opening: the answer in sentences, and the warnings that belong to it."""

import dataclasses
import math

from rig.metrics.catalog import METRICS
from rig.report.audit import audit_stamps
from rig.report.build import Report
from rig.report.comparison import OTHER_TOKENS, OTHER_TOKENS_HIDDEN, Comparison
from rig.report.duplicates import duplicates
from rig.report.labels import is_built_in_masha, shortened, unit_name
from rig.report.numbers import (
    decimals_for,
    difference_decimals,
    fixed_text,
    interval_text,
    level_text,
    p_phrase,
)
from rig.stats.caveats import SCOPE, caveats, exploratory_exclusions, missing_pairs
from rig.stats.paired import PairedComparison
from rig.stats.power import seeds_needed
from rig.stats.verdict import Word

_ONE_TOKENIZER = "masked kinds need one tokenizer to be compared"
_USUAL_PRIMARY = {"causal": "bpc", "masked": "pppl_l2r"}
"""Objective to the metric that its kinds are usually compared on."""


def answer_sentences(report: Report) -> list[str]:
    """One sentence or two a variant, on the declared primary metric."""
    if all(row.status != "ok" for row in report.rows):
        return ["No cell finished, so there is nothing to report but why; see above."]
    stats = report.record["stats"]
    primary = [comparison for comparison in report.comparisons if comparison.column.name == stats["primary"]]
    if primary:
        return [_sentence(comparison, report) for comparison in primary]
    baseline = report.record["baseline"]
    if len(report.record["kinds"]) == 1:
        return [f"One kind ({baseline}) was run, so there is nothing to compare."]
    if not _is_seeded(report, baseline):
        return [
            f"The baseline {baseline} is not seeded, so nothing is tested over seeds; the tables describe. "
            "Name a seeded kind with `--baseline`."
        ]
    return [f"No seeded kind stands beside {baseline}, so nothing is tested; the tables describe."]


def warnings(report: Report) -> list[str]:
    """What a reader must know beside the answer, without repeats, in the order of importance."""
    level = report.record["stats"]["confidence_level"]
    primary = report.record["stats"]["primary"]
    kinds_of: dict[str, list[str]] = {}
    for comparison in report.comparisons:
        if comparison.column.name == primary and comparison.tested is not None:
            for text in _caveats(report, comparison, comparison.tested, level):
                kinds_of.setdefault(text, []).append(comparison.kind)
    found = [f"{', '.join(kinds)}: {text}" for text, kinds in kinds_of.items()]
    found += list(dict.fromkeys(_not_compared(report))) or _different_tokenizers(report)
    unseeded = [kind["name"] for kind in report.record["kinds"] if not _is_seeded(report, kind["name"])]
    if unseeded and len(report.record["kinds"]) > 1:
        found.append(
            f"Not seeded, so one cell, shown beside the others and in no test: {', '.join(unseeded)}."
        )
    coverages = [
        comparison.tested.bootstrap.coverage
        for comparison in report.comparisons
        if not comparison.is_declared
        and comparison.tested is not None
        and comparison.tested.bootstrap is not None
        and comparison.tested.bootstrap.coverage is not None
    ]
    if coverages:
        found.append(exploratory_exclusions(len(coverages), min(coverages)))
    found.append(SCOPE)
    return found


def _caveats(
    report: Report, comparison: Comparison, tested: PairedComparison, confidence_level: float
) -> list[str]:
    """The caveats of n, in which a seed that was left out as a duplicate is not called a failed one."""
    found = list(caveats(tested, confidence_level=confidence_level))
    left_out = {
        name: [seed for kind, seed in duplicates(report.rows) if kind == name]
        for name in (comparison.baseline, comparison.kind)
    }
    if not any(left_out.values()):
        return found
    failed = dataclasses.replace(
        tested,
        n_missing_base=max(tested.n_missing_base - len(left_out[comparison.baseline]), 0),
        n_missing_variant=max(tested.n_missing_variant - len(left_out[comparison.kind]), 0),
    )
    told = "; ".join(
        f"{name} {', '.join(str(seed) for seed in seeds)}" for name, seeds in left_out.items() if seeds
    )
    without = [text for text in found if text != missing_pairs(tested)]
    lost = missing_pairs(failed)
    return [
        f"{tested.n_pairs} seed pairs used; left out as duplicates of other seeds: {told}.",
        *([lost] if lost is not None else []),
        *without,
    ]


def _different_tokenizers(report: Report) -> list[str]:
    """The warning about what tokenizers decide where nothing was compared, so that no comparison says it."""
    tokenizers: dict[str, set[str | None]] = {"causal": set(), "masked": set()}
    for row in report.rows:
        if row.done is not None and row.status == "ok":
            tokenizers[row.objective].add(row.done.result["facts"].get("tokenizer_sha256"))
    told = {
        "causal": "The kinds have different tokenizers, so ce, ppl and ppl_<class>, which are per token, "
        "can't be compared between them; read bpc, bpb and the figures per word instead.",
        "masked": f"The masked kinds have different tokenizers, so what is hidden differs; {_ONE_TOKENIZER}.",
    }
    return [told[objective] for objective, found in tokenizers.items() if len(found) > 1]


def stamps(report: Report) -> list[str]:
    """Warnings that stand above everything."""
    record = report.record
    marks = []
    if "derived_from" in record:
        marks.append(
            f"Rendered again from {record['derived_from']['id']} with another "
            f"{', '.join(record['derived_from']['changed'])}: chosen after the cells had run."
        )
    for kind in record["kinds"]:
        label = kind["lock"]["label"]
        if label not in {"OK", "NOT APPLICABLE"}:
            marks.append(f"{kind['name']}: {label}")
    marks += audit_stamps(report)
    if len({kind["lock"]["protocol_sha256"] for kind in record["kinds"] if kind["lock"]["lock_id"]}) > 1:
        marks.append(
            "Unequal tuning budgets: the kinds' learning rates come from sweeps of different protocols."
        )
    for row in report.rows:
        if row.status != "ok":
            seed = "" if row.seed is None else f" seed {row.seed}"
            marks.append(f"{row.kind}{seed} {row.status}: {row.error}")
    for (kind_name, seed_number), first in duplicates(report.rows).items():
        marks.append(
            f"{kind_name}: seeds {first} and {seed_number} gave identical scores, so {seed_number} is no "
            "replicate and is left out of every mean, interval and test; does the seed reach the training?"
        )
    if any(is_built_in_masha(kind) for kind in record["kinds"]):
        marks.append(
            "The built-in MASHA kinds are this project's own reading of the idea, not its authors' code."
        )
    return marks


def _is_seeded(report: Report, name: str) -> bool:
    return any(kind["name"] == name and kind["config"]["kind"]["seeded"] for kind in report.record["kinds"])


def _not_compared(report: Report) -> list[str]:
    """The metrics on which kinds must not be compared, by kind and reason."""
    names: dict[tuple[str, str], list[str]] = {}
    for comparison in report.comparisons:
        if comparison.not_compared:
            names.setdefault((comparison.kind, comparison.not_compared), []).append(comparison.column.name)
    return [
        f"{kind}: {shortened(metrics)} {reason}{_instead(reason)}."
        for (kind, reason), metrics in names.items()
    ]


def _instead(reason: str) -> str:
    """What to read or do where tokenizers forbid a comparison."""
    if reason == OTHER_TOKENS_HIDDEN:
        return f"; {_ONE_TOKENIZER}"
    return "; read bpc, bpb and the figures per word instead" if reason == OTHER_TOKENS else ""


def _sentence(comparison: Comparison, report: Report) -> str:
    name, tested = comparison.column.name, comparison.tested
    pair = f"{comparison.kind} and {comparison.baseline}"
    if tested is None or tested.t is None:
        reason = (
            comparison.not_compared.removeprefix("not compared: ")
            or _of_no_such_objective(comparison, report)
            or "no seed has a value of both kinds"
        )
        return f"{pair} are not compared on {name}: {reason}."
    seeds = "one seed" if tested.n_pairs == 1 else f"{tested.n_pairs} seeds"
    if tested.t.mean == 0.0:
        sentence = f"{pair} have the same mean {name} over {seeds}"
    else:
        sentence = (
            f"{comparison.kind} is {_amount(comparison, tested)} than {comparison.baseline} "
            f"in {name} over {seeds}"
        )
    if tested.t.low is not None and tested.t.high is not None:
        level = level_text(report.record["stats"]["confidence_level"])
        sentence += (
            f", {level} CI of the difference {_interval(comparison, tested.t.low, tested.t.high)}, "
            f"{p_phrase(comparison.p_holm, 'Holm p')}"
        )
    elif tested.t.reason:
        sentence += f" ({tested.t.reason}: no interval, no test)"
    return f"{sentence}: {_conclusion(comparison, report)}."


def _of_no_such_objective(comparison: Comparison, report: Report) -> str:
    """That kinds of this objective have no such metric, and which one to declare; empty if they have it."""
    name = comparison.column.name
    objectives = {
        kind["config"]["kind"]["objective"]
        for kind in report.record["kinds"]
        if kind["name"] in (comparison.kind, comparison.baseline)
    }
    if name not in METRICS or len(objectives) != 1 or not objectives.isdisjoint(METRICS[name].objectives):
        return ""
    (objective,) = objectives
    return f"{objective} kinds have no {name}; declare `stats.primary={_USUAL_PRIMARY[objective]}`"


def _amount(comparison: Comparison, tested: PairedComparison) -> str:
    """`0.031 bits per character better`, or `3.1% better` for a perplexity."""
    if tested.t is None:
        return ""
    mean, direction = tested.t.mean, comparison.column.direction
    word = "higher" if mean > 0 else "lower"
    if direction != "none":
        word = "better" if (mean > 0) == (direction == "higher") else "worse"
    if comparison.column.is_log_scale:
        change = 100.0 * abs(math.expm1(mean))
        return f"{fixed_text(change, max(decimals_for(change), 1))}% {word}"
    decimals = difference_decimals(mean, None)
    if tested.t.std:
        decimals = max(decimals_for(tested.t.std, least=3), decimals_for(mean, least=3))
    unit = unit_name(comparison.column.unit)
    return f"{fixed_text(abs(mean), decimals)}{f' {unit}' if unit else ''} {word}"


def _interval(comparison: Comparison, low: float, high: float) -> str:
    if comparison.column.is_log_scale:
        decimals = decimals_for(100.0 * abs(math.expm1(high) - math.expm1(low)) / 4, least=1)
        return f"{interval_text(100.0 * math.expm1(low), 100.0 * math.expm1(high), decimals)}%"
    return interval_text(low, high, decimals_for((high - low) / 4, least=3))


def _conclusion(comparison: Comparison, report: Report) -> str:
    verdict, tested = comparison.verdict, comparison.tested
    if verdict is None or tested is None or verdict.word is Word.DESCRIBED:
        return "described, not judged"
    if verdict.word in (Word.BETTER, Word.WORSE):
        return f"**resolved: {verdict.word}**"
    if verdict.word is Word.EQUIVALENT:
        margin = report.record["stats"]["margin"]
        return f"**equivalent** within the declared margin of {margin:g}"
    return f"**{verdict}**{_what_would_resolve(comparison, tested, report)}"


def _what_would_resolve(comparison: Comparison, tested: PairedComparison, report: Report) -> str:
    stats = report.record["stats"]
    if tested.seeds_needed is not None:
        return (
            f"; about {tested.seeds_needed} seeds would resolve the declared smallest effect of "
            f"{stats['sesoi']:g} {unit_name(comparison.column.unit)}"
        )
    if tested.effect is None or tested.effect.d_z == 0.0:
        return ""
    needed = seeds_needed(abs(tested.effect.d_z), alpha=1.0 - stats["confidence_level"])
    many = "more than 10 000" if needed is None else f"about {needed}"
    return f"; {many} seeds would resolve a difference of this size"

"""What a report's comparisons do not cover, as short bullets, each computed from what was run."""

from collections.abc import Iterator, Mapping
from typing import Any

from rig.core.fingerprint import flatten
from rig.report.build import Report
from rig.report.content import Section
from rig.report.empty import empty_sentences
from rig.report.labels import is_unlocked
from rig.report.learning_rates import Locks
from rig.report.numbers import EMPTY, count_text
from rig.report.task_tables import task_names
from rig.tasks.catalog import TASKS


def not_tested_section(report: Report, locks: Locks) -> Section:
    """Other data, tokenizers, sizes and settings; documents; metrics; kinds; tasks."""
    bullets = (
        *_data(report),
        *_sizes(report),
        *_tuning(report, locks),
        *_documents(report),
        *_metrics(report),
        *_kinds(report),
        *_tasks(report),
    )
    return Section(title="What was not tested", bullets=bullets)


def _data(report: Report) -> Iterator[str]:
    text = report.record["data"]["name"]
    results = [row.done.result for row in report.rows if row.done is not None]
    result = next((result for result in results if "n_documents" in result), None)
    if result is not None:
        text = f"the {result['split']} split of {text}, {count_text(result['n_documents'])} documents"
    yield f"Other text: everything was scored on {text}."
    tokenizers = _by_setting(report, "tokenizer")
    if len(tokenizers) == 1:
        yield f"Other tokenizers: all kinds share one ({next(iter(tokenizers))})."
    else:
        yield f"Other tokenizers: each kind ran with one alone ({_told(tokenizers)})."


def _sizes(report: Report) -> Iterator[str]:
    """One size a kind; and whether the kinds have as many parameters as each other."""
    sizes = _by_setting(report, "model")
    told = next(iter(sizes)) if len(sizes) == 1 else _told(sizes)
    yield f"Other model sizes: every kind ran at one ({told})."
    n_params = {row.kind: row.facts["n_params"] for row in report.rows if row.facts.get("n_params")}
    if len(set(n_params.values())) > 1:
        counts = ", ".join(f"{kind} {count_text(n)}" for kind, n in n_params.items())
        yield f"Equal numbers of parameters: the kinds differ ({counts})."


def _tuning(report: Report, locks: Locks) -> Iterator[str]:
    kinds = [kind for kind in report.record["kinds"] if kind["config"]["kind"]["has_lr"]]
    unlocked = [kind["name"] for kind in kinds if is_unlocked(kind)]
    if unlocked:
        yield (
            f"Other learning rates for {', '.join(unlocked)}: the value is conf's, no valid lock holds it, "
            "a better one may exist."
        )
    if locks:
        yield "Other seeds of a sweep: each learning rate was chosen at one seed."
    tuned = {"train.lr": None} if locks else {}
    for kind in kinds:
        for other in kind["lock"].get("others", {}).values():
            tuned[other["variable"]] = None
    what = f"only {', '.join(f'`{name}`' for name in tuned)} was tuned" if tuned else "nothing was tuned"
    yield f"Other settings: {what}; all else is as the configs have it."
    options = [f"{kind['name']} {_settings(kind['config']['kind']['options'])}" for kind in kinds]
    if any(kind["config"]["kind"]["options"] for kind in kinds):
        yield f"Other options of a kind, none of which was tuned: {'; '.join(options)}."


def _documents(report: Report) -> Iterator[str]:
    if not report.comparisons:
        return
    crossed = [entry for entry in report.documents_too if not entry.reason]
    for entry in report.documents_too:
        if entry.reason:
            yield f"New documents for {entry.kind} on {entry.metric}: {entry.reason}."
    told = ", ".join(dict.fromkeys(entry.metric for entry in crossed))
    if told:
        yield f"New documents for any metric but {told}: other intervals are over seeds, on these documents."
    else:
        yield "New documents: every interval is over seeds, on these documents."


def _metrics(report: Report) -> Iterator[str]:
    if any(not comparison.is_declared and comparison.tested for comparison in report.comparisons):
        family = ", ".join(report.record["stats"]["family"])
        yield f"Every metric but the declared {family}: exploratory, nothing is concluded whatever its p."


def _kinds(report: Report) -> Iterator[str]:
    record = report.record
    run = [kind["name"] for kind in record["kinds"]]
    not_run = [name for name in record["conf"].get("kinds", []) if name not in run]
    if not_run:
        yield f"Kinds that were not run: {', '.join(not_run)}."
    lost = [name for name in run if not any(row.kind == name and row.status == "ok" for row in report.rows)]
    if lost:
        yield f"Kinds of which no cell finished: {', '.join(lost)}."
    unseeded = [kind["name"] for kind in record["kinds"] if not kind["config"]["kind"]["seeded"]]
    if unseeded and len(run) > 1:
        yield f"Kinds in no test, being one cell each: {', '.join(unseeded)}."
    variants = list(dict.fromkeys(comparison.kind for comparison in report.comparisons))
    if len(variants) > 1:
        yield f"{', '.join(variants)} against each other: each is compared with {record['baseline']} alone."


def _tasks(report: Report) -> Iterator[str]:
    asked = {name for kind in report.record["kinds"] for name in kind["config"]["tasks"]}
    skipped = [name for name in TASKS if name not in asked]
    if skipped:
        yield f"Tasks that were not asked for: {', '.join(skipped)}."
    yield from empty_sentences(report, task_names(report).__contains__, lambda row: row.kind)


def _by_setting(report: Report, group: str) -> dict[str, list[str]]:
    """A group's settings in words to the kinds that have them."""
    found: dict[str, list[str]] = {}
    for kind in report.record["kinds"]:
        found.setdefault(_settings(kind["config"].get(group, {})), []).append(kind["name"])
    return found


def _settings(held: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in flatten(held).items()) or EMPTY


def _told(by_setting: Mapping[str, list[str]]) -> str:
    return "; ".join(f"{', '.join(kinds)}: {settings}" for settings, kinds in by_setting.items())


def _value(value: Any) -> str:
    if value is None:
        return EMPTY
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

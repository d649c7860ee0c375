"""What a report's comparisons do not cover, as short bullets, each computed from what was run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rig.core.fingerprint import flatten
from rig.report.build import Report
from rig.report.content import Section
from rig.report.empty import empty_sentences
from rig.report.families import has_no_lr_of_ours, is_built_in, reads
from rig.report.labels import is_unlocked
from rig.report.learning_rates import Locks
from rig.report.numbers import EMPTY, count_text
from rig.report.own_facts import fact, tokenizer_hashes
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
    tokenizers = _tokenizers(report)
    if len(tokenizers) == 1:
        yield f"Other tokenizers: all kinds share one ({tokenizers[0][0]})."
    else:
        yield f"Other tokenizers: each kind ran with one alone ({_told(tokenizers)})."


def _tokenizers(report: Report) -> list[tuple[str, list[str]]]:
    """Each tokenizer in words, with the kinds that have it.

    Two are one if their hashes are equal. Without hashes (no cell finished) equal settings are one
    tokenizer, and a kind that brings its own has it alone.
    """
    names: dict[tuple[str, ...], list[str]] = {}
    words: dict[tuple[str, ...], str] = {}
    hashes_of: dict[str, tuple[str, ...]] = {}
    for kind in sorted(report.record["kinds"], key=lambda kind: not tokenizer_hashes(report, kind["name"])):
        hashes = tokenizer_hashes(report, kind["name"])
        if reads(kind, "tokenizer"):
            told = _settings(kind["config"].get("tokenizer", {}))
            # A kind of which no cell finished would have had the tokenizer of its settings.
            hashes = hashes or hashes_of.get(told, ())
            hashes_of.setdefault(told, hashes)
        else:
            size = fact(report, kind["name"], "vocab_size")
            told = "its own" if size is None else f"its own, vocab_size {size}"
        key = hashes or ((told,) if reads(kind, "tokenizer") else (told, kind["name"]))
        names.setdefault(key, []).append(kind["name"])
        words.setdefault(key, told)
    return [(words[key], of_key) for key, of_key in names.items()]


def _sizes(report: Report) -> Iterator[str]:
    """One size a kind; and whether the kinds have as many parameters as each other."""
    sizes: dict[str, list[str]] = {}
    for kind in report.record["kinds"]:
        if reads(kind, "model"):
            sizes.setdefault(_settings(kind["config"].get("model", {})), []).append(kind["name"])
    if len(sizes) == 1:
        (told,), (names,) = sizes, sizes.values()
        who = "every kind" if len(names) == len(report.record["kinds"]) else ", ".join(names)
        yield f"Other model sizes: {who} ran at one ({told})."
    elif sizes:
        yield f"Other model sizes: every kind ran at one ({_told(list(sizes.items()))})."
    others = [kind["name"] for kind in report.record["kinds"] if not is_built_in(kind)]
    if others:
        yield f"Other sizes of {', '.join(others)}: each is as it came."
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
    if elsewhere := _trained_elsewhere(report):
        was = "was" if len(elsewhere) == 1 else "were"
        yield (
            f"How {', '.join(elsewhere)} {was} trained is not known here: at which learning rate, and on "
            "which text, which may have held the test text."
        )
    if len(elsewhere) == len(report.record["kinds"]):
        return
    what = f"only {', '.join(f'`{name}`' for name in tuned)} was tuned" if tuned else "nothing was tuned"
    yield f"Other settings: {what}; all else is as the configs have it."
    options = [f"{kind['name']} {_settings(kind['config']['kind']['options'])}" for kind in kinds]
    if any(kind["config"]["kind"]["options"] for kind in kinds):
        yield f"Other options of a kind, none of which was tuned: {'; '.join(options)}."


def _trained_elsewhere(report: Report) -> list[str]:
    """Kinds that were loaded: no learning rate applies to them, and no cell of theirs trained on a token."""
    trained_here = {row.kind for row in report.rows if row.facts.get("train_tokens")}
    return [
        kind["name"]
        for kind in report.record["kinds"]
        if not is_built_in(kind) and has_no_lr_of_ours(kind) and kind["name"] not in trained_here
    ]


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


def _settings(held: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_value(value)}" for name, value in flatten(held).items()) or EMPTY


def _told(found: Sequence[tuple[str, Sequence[str]]]) -> str:
    return "; ".join(f"{', '.join(kinds)}: {words}" for words, kinds in found)


def _value(value: Any) -> str:
    if value is None:
        return EMPTY
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)

import dataclasses
from pathlib import Path
from typing import Any

from synthetic_reports import BASE, VARIANT, report_of

from rig.report.build import Report, report_of_rows
from rig.report.content import Section, Table
from rig.report.fact_tables import TaskFacts
from rig.report.task_levels import Levels, levels_of
from rig.report.task_tables import task_names, tasks_section
from rig.store.cells import DoneCell


def column(value: float | None, reason: str = "") -> dict[str, Any]:
    return {
        "name": "sv_agreement", "value": value, "unit": "share", "direction": "higher",
        "definition": "Share of right verbs.", "reason": reason,
    }  # fmt: skip


def with_tasks(facts: dict[str, dict[str, Any]]) -> Report:
    """Facts by kind, the same at each seed; a column with a value for `base` and a reason for `new`."""
    report = report_of({"base": BASE, "new": VARIANT})
    rows = []
    for row in report.rows:
        value, reason = (0.5, "") if row.kind == "base" else (None, "the model has no probabilities")
        answer = {"columns": [column(value, reason)], "facts": facts[row.kind], "samples": []}
        done = DoneCell(
            directory=Path(), attempt=Path(), result={"tasks": {"agreement": answer}, "facts": {}}, timing={}
        )
        rows.append(
            dataclasses.replace(
                row,
                done=done,
                values={**row.values, "sv_agreement": value},
                test_values={**row.test_values, "sv_agreement": value},
                reasons={**row.reasons, **({"sv_agreement": reason} if reason else {})},
            )
        )
    return report_of_rows(report.record, rows)


def test_without_tasks_the_section_says_so() -> None:
    assert tasks_section(report_of({"base": BASE})) == Section(
        title="Tasks", paragraphs=("No task was asked for (`tasks=[]`).",)
    )


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def won(n_won: int, n: int = 50, n_ties: int = 0) -> dict[str, Any]:
    share = (n_won + n_ties / 2) / n
    return {"n": n, "n_ties": n_ties, "accuracy": share, "low": 0.25, "high": 0.75}


def test_numbers_stand_by_kind_and_seed_and_policies_once() -> None:
    report = with_tasks(
        {
            "base": {"policy": "sum", "n_asked": 4, "rate": 0.25, "seen": ["a", "b"]},
            "new": {"policy": "sum", "n_asked": 4, "rate": 0.75, "seen": ["c"], "extra": None},
        }
    )
    assert task_names(report) == ["sv_agreement"]
    section = tasks_section(report)
    assert section.bullets == (
        "sv_agreement: Share of right verbs.",
        "sv_agreement is empty: the model has no probabilities (new).",
    )
    levels, numbers = section.tables
    assert texts(levels)[0][0] == "sv_agreement"
    assert numbers.header == ("kind", "seed", "n_asked", "rate")
    assert texts(numbers) == [
        ["base", "41", "4", "0.2500"],
        ["base", "42", "4", "0.2500"],
        ["base", "43", "4", "0.2500"],
        ["new", "41", "4", "0.7500"],
        ["new", "42", "4", "0.7500"],
        ["new", "43", "4", "0.7500"],
    ]
    assert section.blocks == (
        "agreement, how it was asked\n  policy: sum",
        "agreement, seen\n  base seed 41: a, b\n  new seed 41: c",
    )


def test_accuracies_of_all_groups_stand_in_one_table_even_where_kinds_agree() -> None:
    facts = {
        "cells": {"Sing|match": won(45), "Plur|match": won(10)},
        "distances": {"1": won(20, n=23), "5+": won(9, n=20, n_ties=2)},
    }
    _, table = tasks_section(with_tasks({"base": facts, "new": facts})).tables
    assert table.header == (
        "kind", "seed", "cells: Sing match", "cells: Plur match", "distances: 1", "distances: 5+",
    )  # fmt: skip
    rows = texts(table)
    assert rows[0] == ["pairs", "–", "50", "50", "23", "20"]
    assert len(rows) == 7, "a row a kind and seed, although all are the same"
    assert rows[1] == [
        "base", "41", "0.900 [0.25, 0.75]", "0.200 [0.25, 0.75]", "0.870 [0.25, 0.75]",
        "0.500 [0.25, 0.75] (2 ties)",
    ]  # fmt: skip


def test_a_large_group_has_a_table_of_its_own_with_one_row_where_all_are_equal() -> None:
    facts = {"n_asked": 2, "human": {f"rate_{index}": 0.5 for index in range(5)}}
    _, first, human = tasks_section(with_tasks({"base": facts, "new": facts})).tables
    assert texts(first) == [["all 6 cells", "–", "2"]]
    assert human.caption == "agreement, human: the numbers of each cell"
    assert human.header == ("kind", "seed", *(f"rate_{index}" for index in range(5)))
    assert texts(human) == [["all 6 cells", "–", *(["0.5000"] * 5)]]


def test_columns_of_a_group_have_the_shortest_names_that_tell_them_apart() -> None:
    facts = {
        "human": {"rates": {"agrees": 0.5, "n": 4}, "n": 5, "low": 0.1, "high": 0.9},
        "datasets": {
            "sts": {"pearson": 0.5, "baseline": {"words": 0.1, "pairs": 0.2, "length": 0.3, "n": 9}}
        },
    }
    _, human, datasets = tasks_section(with_tasks({"base": facts, "new": facts})).tables
    assert human.header[2:] == ("agrees", "rates.n", "n", "low", "high")
    assert datasets.caption == "agreement, datasets.sts: the numbers of each cell"
    assert datasets.header[2:] == ("pearson", "words", "pairs", "length", "n")


def facts_of(task: str, *facts: dict[str, Any]) -> list[TaskFacts]:
    rows = report_of({"base": BASE}).rows
    return [TaskFacts(task=task, rows=tuple(rows[: len(facts)]), facts=facts)]


def test_parse_rate_lies_between_shuffled_words_and_human_text() -> None:
    facts = facts_of(
        "generation",
        {"parse_rate_ref": 0.95, "parse_rate_shuffled": 0.0},
        {"parse_rate_ref": 0.95, "parse_rate_shuffled": 0.0141},
    )
    assert levels_of("parse_rate", facts) == Levels(
        floor="0.000 to 0.014 the same words shuffled", ceiling="0.950 the test split's own text"
    )


def test_similarity_stands_beside_what_the_surface_gives() -> None:
    facts = facts_of(
        "similarity",
        {
            "datasets.assin2.baseline_pearson.word_overlap": 0.61,
            "datasets.assin2.baseline_pearson.trigram_cosine": 0.655,
        },
    )
    levels = levels_of("sim_assin2", facts)
    assert levels is not None
    assert levels.floor == "0.610 word overlap, 0.655 character trigrams: no model needed"


def test_agreement_has_chance_as_its_floor() -> None:
    levels = levels_of("sv_agreement", facts_of("agreement", {"n_items": 200}))
    assert levels is not None
    assert levels.floor.startswith("0.500 chance")


def test_a_column_of_a_users_own_task_has_no_levels() -> None:
    assert levels_of("article", facts_of("article", {"n_items": 3})) is None
    assert levels_of("parse_rate", []) is None

"""Kinds that rig did not make: nothing is said of them from the built-in model's settings."""

import copy
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from synthetic_reports import BASE, VARIANT, report_of

from rig.report.build import Report, report_of_rows
from rig.report.held_fixed import held_fixed_section
from rig.report.learning_rates import learning_rates_section
from rig.report.lineage import kinds_section
from rig.report.not_tested import not_tested_section
from rig.report.own_facts import facts_sentences
from rig.report.value_tables import cost_table
from rig.store.cells import DoneCell

HF = {
    "model_type": "gpt2",
    "vocab_size": 300,
    "tokenizer_sha256": "b" * 64,
    "bos": "<s> (the tokenizer's BOS)",
    "context": 128,
    "dtype": "bfloat16",
    "device": "cpu",
    "stride": 48,
}
SCORES = {"logprob_base": "2", "n_ignored_documents": 0, "tokenizer_sha256": "c" * 64}
BUILT_IN = {"tokenizer_sha256": "a" * 64, "vocab_size": 400}
COUNTS = {"n_params": 0, "train_tokens": 0, "train_s": 0.75}


def report(families: Mapping[str, tuple[str, Mapping[str, Any]]], **changed: Mapping[str, Any]) -> Report:
    """Kinds of these families whose cells have these facts; `changed` has the numbers of a kind's rows."""
    made = report_of({name: BASE if index == 0 else VARIANT for index, name in enumerate(families)})
    record = copy.deepcopy(dict(made.record))
    for kind in record["kinds"]:
        family, _ = families[kind["name"]]
        kind["config"]["kind"]["family"] = family
        if family in {"hf", "scores"}:
            kind["config"]["kind"]["has_lr"] = False
            kind["lock"] |= {"state": "NOT APPLICABLE", "label": "NOT APPLICABLE", "value": None}
    rows = [
        dataclasses.replace(
            row,
            facts={**row.facts, **changed.get(row.kind, {})},
            done=DoneCell(
                directory=Path(), attempt=Path(), timing={},
                result={
                    "facts": families[row.kind][1], "tasks": {}, "split": "test",
                    "n_documents": 4, "n_chars": 300, "n_bytes": 300, "n_units": 60,
                },
            ),
        )
        for row in made.rows
    ]  # fmt: skip
    return report_of_rows(record, rows)


def mixed() -> Report:
    return report(
        {"base": ("transformer", BUILT_IN), "ours": ("hf", HF), "file": ("scores", SCORES)},
        ours={**COUNTS, "n_params": 124},
        file=COUNTS,
    )


def test_the_built_in_settings_are_said_of_the_built_in_kinds_alone() -> None:
    section = held_fixed_section(mixed())
    assert (
        "Every token of a document is scored once, given what precedes it; EOS is not scored. A built-in "
        "kind is given BOS first. Windows of 64 tokens, 32 apart (base)." in section.bullets
    )
    assert "Not held fixed: the learning rate, which is each kind's own where it has one." in section.bullets
    assert section.blocks == (
        'model (base): {"context": 64}\n'
        'tokenizer (base): {"type": "bpe", "vocab_size": 400}\n'
        'train (base): {"steps": 20}\n'
        'score: {"split": "test"}',
    )


def test_built_in_kinds_alone_need_no_names() -> None:
    section = held_fixed_section(
        report({"base": ("transformer", BUILT_IN), "new": ("transformer", BUILT_IN)})
    )
    assert (
        "Every token of a document is scored once, given BOS; EOS is not scored. Windows of 64 "
        "tokens, 32 apart." in section.bullets
    )
    assert section.blocks[0].splitlines()[-1] == 'score: {"split": "test", "stride": 32}'


def test_an_ngram_has_no_windows_and_no_training_settings() -> None:
    section = held_fixed_section(report({"base": ("transformer", BUILT_IN), "floor": ("ngram", BUILT_IN)}))
    assert any(
        bullet.endswith("given BOS; EOS is not scored. Windows of 64 tokens, 32 apart (base).")
        for bullet in section.bullets
    )
    lines = section.blocks[0].splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "model (base)",
        "tokenizer",
        "train (base)",
        "score",
    ]


def test_loaded_kinds_alone_have_no_settings_of_the_built_in_model() -> None:
    made = report({"ours": ("hf", HF)}, ours=COUNTS)
    section = held_fixed_section(made)
    assert section.blocks == ('score: {"split": "test"}',)
    assert not any("Windows" in bullet for bullet in section.bullets)
    told = not_tested_section(made, {}).bullets
    assert "Other sizes of ours: each is as it came." in told
    assert not any("as the configs have it" in bullet or "bpe" in bullet for bullet in told)


def test_bos_context_stride_and_dtype_stand_in_the_report() -> None:
    sentences = facts_sentences(mixed())
    assert sentences == [
        "ours (family hf): model_type gpt2, context 128, stride 48, bos <s> (the tokenizer's BOS), "
        "dtype bfloat16, vocab_size 300, device cpu.",
        "file (family scores): logprob_base 2, n_ignored_documents 0.",
    ]
    assert set(sentences) <= set(held_fixed_section(mixed()).bullets)


def test_seeds_that_say_other_things_are_told_apart() -> None:
    made = report({"ours": ("hf", HF)})
    rows = list(made.rows)
    assert rows[1].done is not None
    other = {**rows[1].done.result, "facts": {**HF, "dtype": "float32", "share": 0.25, "is_tied": True}}
    rows[1] = dataclasses.replace(rows[1], done=dataclasses.replace(rows[1].done, result=other))
    first, second = facts_sentences(report_of_rows(made.record, rows))
    assert first.startswith("ours seed 41, ours seed 43 (family hf): ")
    assert second.startswith("ours seed 42 (family hf): ")
    assert "dtype float32" in second
    assert second.endswith("share 0.2500, is_tied yes.")


def test_tokenizers_sizes_and_training_of_each_kind() -> None:
    told = not_tested_section(mixed(), {}).bullets
    assert (
        "Other tokenizers: each kind ran with one alone (base: type bpe, vocab_size 400; ours: its own, "
        "vocab_size 300; file: its own)." in told
    )
    assert "Other model sizes: base ran at one (context 64)." in told
    assert "Other sizes of ours, file: each is as it came." in told
    assert "Equal numbers of parameters: the kinds differ (base 1 000, ours 124)." in told
    assert (
        "How ours, file were trained is not known here: at which learning rate, and on which text, which may "
        "have held the test text." in told
    )


def test_a_plugin_that_trains_here_is_no_loaded_model() -> None:
    made = report({"base": ("transformer", BUILT_IN), "mine": ("plugin", {"vocab_size": 257})})
    made.record["kinds"][1]["lock"] |= {"state": "NOT APPLICABLE", "label": "NOT APPLICABLE"}
    told = not_tested_section(made, {}).bullets
    assert not any("is not known here" in bullet for bullet in told)
    assert "Other sizes of mine: each is as it came." in told


@pytest.mark.parametrize(
    ("second", "sentence"),
    [
        (HF, "all kinds share one (its own, vocab_size 300)"),
        (
            {**HF, "tokenizer_sha256": "d" * 64},
            "each kind ran with one alone (ours: its own, vocab_size 300; theirs: its own, vocab_size 300)",
        ),
    ],
)
def test_a_tokenizer_is_shared_if_its_hash_is(second: Mapping[str, Any], sentence: str) -> None:
    told = not_tested_section(report({"ours": ("hf", HF), "theirs": ("hf", second)}), {}).bullets
    assert f"Other tokenizers: {sentence}." in told


def test_equal_settings_with_unequal_hashes_are_not_one_tokenizer() -> None:
    other = {**BUILT_IN, "tokenizer_sha256": "e" * 64}
    told = not_tested_section(
        report({"base": ("transformer", BUILT_IN), "new": ("transformer", other)}), {}
    ).bullets
    assert not any("share one" in bullet for bullet in told)


def test_what_a_kind_does_not_read_is_no_difference() -> None:
    made = mixed()
    for kind in made.record["kinds"]:
        if kind["name"] == "ours":
            kind["config"]["model"] = {"context": 32}
    (table,) = kinds_section(made, {}).tables
    assert "model.context" not in [row[0].text for row in table.rows]


def test_what_is_not_known_of_a_cost_is_a_dash() -> None:
    costs = {row[0].text: [cell.text for cell in row[-3:]] for row in cost_table(mixed()).rows}
    assert costs == {
        "base": ["1 000", "5 000", "2 s"],
        "ours": ["124", "–", "–"],
        "file": ["–", "–", "–"],
    }


def test_a_command_s_time_is_its_training_though_it_did_not_count_tokens() -> None:
    made = report({"ours": ("command", HF), "floor": ("uniform", BUILT_IN)}, ours=COUNTS, floor=COUNTS)
    costs = {row[0].text: [cell.text for cell in row[-3:]] for row in cost_table(made).rows}
    # The uniform model has no parameters and saw no text: there 0 is a number that is known.
    assert costs == {"ours": ["–", "–", "1 s"], "floor": ["0", "0", "1 s"]}


def test_no_learning_rate_is_claimed_for_a_loaded_kind() -> None:
    section = learning_rates_section(mixed(), {}, {})
    assert section is not None
    assert section.paragraphs == (
        "No kind ran at a learning rate that a valid lock holds, so none is known to be tuned.",
    )

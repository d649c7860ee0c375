"""Faults of choosing between two strings that were reported in public, each tried on the agreement task."""

import math
from pathlib import Path

import numpy as np
import pytest
from bigram_model import bigram_model, word_tokenizer

from rig.core.errors import ModelError
from rig.data.agreement_items import CELLS, AgreementPair, write_agreement_pairs
from rig.metrics.catalog import METRICS
from rig.models.base import AbstractLanguageModel
from rig.models.network import Architecture, Network
from rig.models.transformer_lm import TransformerLanguageModel
from rig.models.uniform import UniformModel
from rig.tasks.agreement import AgreementTask
from rig.tasks.base import TaskData, TaskResult

FORMS = {"Sing": ("está", "estão"), "Plur": ("estão", "está")}
SUBJECTS = dict(zip(CELLS, ("Ana", "Eva", "Elas", "Eles"), strict=True))


def pair(cell: str) -> AgreementPair:
    """`Ana está`, `Elas estão`; the text does not show the attractor, the cell does."""
    number, match = cell.split("|")
    subject, (good, bad) = SUBJECTS[cell], FORMS[number]
    return AgreementPair(
        source="made up", licence="CC0-1.0", sent_id=cell, text=f"{subject} {good}",
        char_start=len(subject) + 1, char_end=len(subject) + 1 + len(good), verb_good=good, verb_bad=bad,
        lemma="estar", upos="AUX", tense="Pres", mood="Ind", number=number, subject=subject, subj_upos="PRON",
        distance=1, n_attractors=int(match == "mismatch"), last_noun_mismatch=match == "mismatch",
        rel_clause=False, pp=False,
    )  # fmt: skip


TEXTS = [text for cell in CELLS for text in (pair(cell).text, pair(cell).text_bad)]


def asked(model: AbstractLanguageModel, folder: Path) -> tuple[float | None, TaskResult]:
    """The column's value over one pair a cell, and all that the task says."""
    write_agreement_pairs(folder / "pairs.tsv", [pair(cell) for cell in CELLS])
    task = AgreementTask({}, TaskData(annotations=folder, files={"agreement": folder / "pairs.tsv"}))
    result = task.run(model, seed=0)
    (column,) = task.columns()
    return column.statistic(result.items), result


def test_peers_25_babylm_34_a_model_that_says_the_same_of_everything_gets_half(tmp_path: Path) -> None:
    """babylm/evaluation-pipeline-2025 #34: a tie goes to the first item, and a broken model gets 100%."""
    value, result = asked(UniformModel(word_tokenizer(TEXTS)), tmp_path)
    assert value == 0.5
    assert result.facts["n_ties"] == result.facts["n_items"] == 4


def test_peers_25_babylm_34_a_model_that_gives_nan_fails(tmp_path: Path) -> None:
    """The same report: NaN compares false with everything, so argmax gives the first item."""
    tokenizer = word_tokenizer(TEXTS)
    network = Network(
        Architecture(vocab_size=tokenizer.vocab_size, d_model=4, n_layers=0, n_heads=1, context=8)
    )
    network.parameters["head"][...] = np.nan
    model = TransformerLanguageModel(network, tokenizer, stride=4, batch_size=4)
    with pytest.raises(ModelError, match="must be finite"):
        asked(model, tmp_path)


def test_peers_26_lm_evaluation_harness_3278_sums_are_compared_and_units_are_named(tmp_path: Path) -> None:
    """EleutherAI/lm-evaluation-harness #3278, #1396: `acc_norm` divides by characters, bytes or tokens.

    `está` has 4 characters and 5 bytes, `estão` 5 and 6. After `Ana` the model gives `está` probability 0.3
    and `estão` 0.25: by the sum `está` wins, per character or byte `estão` would.
    """
    n_chars, n_bytes = {"está": 4, "estão": 5}, {"está": 5, "estão": 6}
    p = {"está": 0.3, "estão": 0.25}
    for length in (n_chars, n_bytes):
        per_piece = {form: math.log(p[form]) / length[form] for form in p}
        assert per_piece["estão"] > per_piece["está"]
    table = {
        ("Ana", " está"): 0.3, ("Ana", " estão"): 0.25,
        ("Eva", " está"): 0.3, ("Eva", " estão"): 0.25,
        ("Elas", " está"): 0.1, ("Elas", " estão"): 0.6,
        ("Eles", " está"): 0.1, ("Eles", " estão"): 0.6,
    }  # fmt: skip
    value, result = asked(bigram_model(word_tokenizer(TEXTS), table), tmp_path)
    assert value == 1.0
    assert result.facts["scoring"].startswith("summed log-probability of the whole sentence")
    assert (METRICS["ce"].unit, METRICS["bpc"].unit, METRICS["bpb"].unit) == (
        "nats/token", "bits/char", "bits/byte",
    )  # fmt: skip

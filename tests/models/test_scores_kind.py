from pathlib import Path

import pytest

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError, ModelError
from rig.models.base import TrainingText
from rig.models.catalog import build_kind
from rig.models.scores_file import example_scores, write_scores

DOCUMENT = Document(doc_id="a", text="pão")
TEXT = TrainingText(train=(), validation=(), held_out=(DOCUMENT,))


def config(**kind) -> dict:
    named = {"name": "mine", "family": "scores", "objective": "causal", "seeded": False, "has_lr": False}
    return {"kind": {**named, "options": {"path": "scores.parquet"}, **kind}}


def silent(**_) -> None:
    return


def test_it_reads_the_file_of_its_seed(tmp_path: Path) -> None:
    for seed in (1, 2):
        write_scores(tmp_path / f"s{seed}.parquet", [example_scores(DOCUMENT)])
    kind = build_kind(config(seeded=True, options={"path": str(tmp_path / "s{seed}.parquet")}))
    assert kind.inputs(2) == {"scores": tmp_path / "s2.parquet"}
    fit = kind.fit(TEXT, seed=2, out=tmp_path, progress=silent)
    assert fit.model.score([DOCUMENT])[0].n_tokens == 3
    assert fit.facts["logprob_base"] == "e"
    assert fit.model.is_code_length
    assert not fit.model.scores_any_text
    with pytest.raises(ModelError, match="document 'b' has no precomputed scores"):
        fit.model.score([Document(doc_id="b", text="x")])
    with pytest.raises(DataError, match=r"there is no file of scores .*s3.parquet"):
        kind.inputs(3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"options": {"path": "a", "bse": "e"}}, "unknown option 'bse' .*Did you mean 'base'"),
        ({"options": {}}, "option `path` of kind 'mine' must name a parquet file, got None"),
        ({"options": {"path": "a", "base": 3}}, "must be e, 2 or 10, got 3"),
        ({"seeded": True}, "must hold {seed}, got 'scores.parquet'"),
        ({"options": {"path": "{seed}"}}, "holds {seed}, but the kind is not seeded"),
        ({"has_lr": True}, "`has_lr` of kind 'mine' must be False"),
        ({"objective": "masked"}, "`objective` of kind 'mine' must be 'causal'"),
    ],
)
def test_a_wrong_declaration_is_refused(change: dict, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        build_kind(config(**change))


def test_a_base_that_yaml_reads_as_a_number_is_one(tmp_path: Path) -> None:
    build_kind(config(options={"path": "scores.parquet", "base": 2}))

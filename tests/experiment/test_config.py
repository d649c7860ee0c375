from pathlib import Path

import pytest

from rig.core.errors import ConfigError, UsageError
from rig.experiment.config import at, compose_kind, find_conf_dir, with_value

ROOT = Path(__file__).parents[2]
CONF = find_conf_dir(ROOT / "conf")


def composed(*overrides: str, kind: str = "baseline") -> dict[str, object]:
    return compose_kind(CONF, kind, overrides)


@pytest.mark.parametrize("kind", CONF.names("kind"))
def test_every_kind_composes_and_changes_the_configuration(kind: str) -> None:
    config = composed("tasks=[]", kind=kind)
    assert at(config, "kind.name") == kind
    if kind != "baseline":
        assert config != composed("tasks=[]")


@pytest.mark.parametrize(
    "group", ["data", "model", "tokenizer", "train", "score", "morphology", "stats", "sweep"]
)
def test_every_file_of_every_group_composes(group: str) -> None:
    for name in CONF.names(group):
        extra = ("data.name=x", "data.path=y") if (group, name) == ("data", "parquet") else ()
        composed("tasks=[]", f"{group}={name}", *extra)


def test_the_defaults_are_those_of_the_design() -> None:
    config = composed("tasks=[]")
    for key, value in {
        "tokenizer.type": "bpe", "tokenizer.vocab_size": 1024, "model.d_model": 64, "model.n_layers": 2,
        "model.n_heads": 4, "model.context": 64, "train.batch_size": 8, "train.steps": 2000,
        "sweep.low": 1e-4, "sweep.high": 1e-1, "sweep.points": 10, "sweep.steps": 2000,
        "stats.primary": "bpc", "stats.n_resamples": 10_000,
    }.items():  # fmt: skip
        assert at(config, key) == value, key


def test_a_tasks_options_come_from_its_file_and_can_be_overridden() -> None:
    config = composed("tasks=[generation]", "task.generation.temperature=0.5")
    assert at(config, "task.generation.temperature") == 0.5
    assert set(config["task"]) == {"generation"}  # type: ignore[call-overload]


def test_a_new_data_set_of_similarity_may_be_named() -> None:
    config = composed(
        "tasks=[]", "data.similarity.stsb=PATH/TO/stsb.csv", "data.similarity.assin2=PATH/TO/a.xml"
    )
    assert at(config, "data.similarity.stsb") == "PATH/TO/stsb.csv"
    assert at(config, "data.similarity.assin2") == "PATH/TO/a.xml"


def test_whole_numbers_become_floats_where_a_float_is_meant() -> None:
    assert repr(at(composed("tasks=[]", "train.lr=3"), "train.lr")) == "3.0"


@pytest.mark.parametrize(
    ("override", "error", "text"),
    [
        ("train.lrr=1", ConfigError, r"no setting `train\.lrr`.*Did you mean 'lr'\?"),
        ("nonsense=1", ConfigError, "no setting `nonsense`"),
        ("kind.options.bias_strenght=1", ConfigError, "Did you mean 'bias_strength'"),
        ("train.lr=abc", ConfigError, r"'abc'.*Float.*train\.lr"),
        ("train.lr=nan", UsageError, "must be finite"),
        ("train.lr=1e-3,1e-4", ConfigError, "Ambiguous value"),
        ("+train.lr=1", UsageError, r"must have the form key=value"),
        ("++train.lr=1", UsageError, r"must have the form key=value"),
        ("~train.lr", UsageError, r"must have the form key=value"),
        ("train.lr", UsageError, r"must have the form key=value"),
        ("kind=masha_ab", UsageError, "kinds are chosen by --kinds"),
        ("kind.options._target_=os.system", UsageError, "`_target_` is refused"),
        ("data=nano", ConfigError, r"no config 'nano' in group 'data'\. Did you mean 'nano_pt'\?"),
        ("data=parquet", ConfigError, r"Missing mandatory value: name.*data\.name"),
        ("tasks=[agrement]", ConfigError, r"unknown task 'agrement'.*Did you mean 'agreement'"),
        ("tasks=[agreement,agreement]", ConfigError, "must not repeat a name"),
        ("train.lr=0", ConfigError, r"`train\.lr` must be above 0 and finite, got 0\.0"),
        ("train.steps=0", ConfigError, r"`train\.steps` must be in .1, 10.9., got 0"),
        ("sweep.split=test", ConfigError, "choosing on test would spoil it, got 'test'"),
        ("stats.confidence_level=95", ConfigError, r"must be in \(0, 1\), got 95\.0"),
        ("model.n_heads=5", ConfigError, r"multiple of `model\.n_heads`, got 64 and 5"),
        ("score.stride=65", ConfigError, r"at most `model\.context`, got 65 and 64"),
        ("stats.primary=bpb", ConfigError, r"`stats\.primary` must be in `stats\.family`"),
        ("sweep.low=1", ConfigError, r"`sweep\.low` must be below `sweep\.high`"),
    ],
)
def test_what_is_wrong_is_one_sentence(override: str, error: type[Exception], text: str) -> None:
    overrides = [override] if override.startswith("tasks") else ["tasks=[]", override]
    with pytest.raises(error, match=text) as caught:
        composed(*overrides)
    assert "\n" not in str(caught.value)


def test_a_key_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'train\.lr' is given twice: 'train\.lr=1' and 'train\.lr=2'"):
        composed("train.lr=1", "train.lr=2")


def test_an_unknown_kind_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"unknown kind 'masha_a'\. Did you mean 'masha_ab'\?"):
        composed(kind="masha_a")


def test_a_target_in_a_file_is_refused(tmp_path: Path) -> None:
    conf = copy_of_conf(tmp_path)
    (conf / "kind" / "evil.yaml").write_text("name: evil\nfamily: uniform\noptions: {_target_: os.system}\n")
    with pytest.raises(ConfigError, match=r"`kind\.options\._target_` is refused"):
        compose_kind(find_conf_dir(conf), "evil", ["tasks=[]"])


def test_a_wrong_type_in_a_file_is_named(tmp_path: Path) -> None:
    conf = copy_of_conf(tmp_path)
    (conf / "train" / "nano.yaml").write_text("lr: often\n")
    with pytest.raises(ConfigError, match=r"'often'.*train\.lr"):
        compose_kind(find_conf_dir(conf), "baseline", ["tasks=[]"])


def test_a_folder_without_the_mark_is_no_conf_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "config.yaml").write_text("a: 1\n")
    with pytest.raises(ConfigError, match=r"from --conf-dir\) is not a rig conf folder"):
        find_conf_dir(tmp_path / "conf")
    monkeypatch.setenv("RIG_CONF", str(tmp_path / "conf"))
    with pytest.raises(ConfigError, match=r"from \$RIG_CONF\) is not a rig conf folder"):
        find_conf_dir()
    # A foreign project's conf/ in the current folder is passed over.
    monkeypatch.delenv("RIG_CONF")
    monkeypatch.chdir(tmp_path)
    assert find_conf_dir().path != tmp_path / "conf"


def test_with_value_changes_a_copy() -> None:
    before = {"train": {"lr": 1.0, "steps": 2}}
    after = with_value(before, "train.lr", 0.5)
    assert (before["train"]["lr"], after["train"]) == (1.0, {"lr": 0.5, "steps": 2})
    with pytest.raises(ConfigError, match=r"no setting `train\.lrr`"):
        with_value(before, "train.lrr", 1)


def copy_of_conf(folder: Path) -> Path:
    for path in (ROOT / "conf").rglob("*.yaml"):
        target = folder / "conf" / path.relative_to(ROOT / "conf")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    return folder / "conf"

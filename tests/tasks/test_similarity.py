import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rig.core.errors import ConfigError, DataError, ModelError
from rig.core.fingerprint import fingerprint
from rig.models.base import AbstractLanguageModel
from rig.tasks.base import TaskData
from rig.tasks.catalog import build_task
from rig.tasks.similarity import SimilarityTask, cosine

ROWS = [("o gato dorme", "o gato dorme", 5), ("o gato dorme", "um cão", 1), ("um cão", "cão e gato", 3.5)]


class States(AbstractLanguageModel):
    """Embeds a text by a function of it."""

    def __init__(self, state):
        self.state = state
        self.asked = []

    def score(self, documents):
        raise AssertionError("the task has no use for scores")

    def embed(self, texts, *, layers):
        self.asked.append((list(texts), tuple(layers)))
        return np.array([self.state(text) for text in texts])


class NoStates(AbstractLanguageModel):
    def score(self, documents):
        raise AssertionError("the task has no use for scores")


def letters(text):
    return [1.0 + text.count(letter) for letter in "abcdegmnoru"]


def csv_file(tmp_path, rows, name="set"):
    path = tmp_path / f"{name}.csv"
    path.write_text("".join(f"{a},{b},{score}\n" for a, b, score in rows), "utf-8")
    return path


def task_of(tmp_path, options=None, **files):
    data = TaskData(annotations=tmp_path, files={f"similarity.{name}": path for name, path in files.items()})
    return build_task("similarity", options or {}, data)


def values(task, result):
    assert fingerprint(result.facts)
    return {column.name: column.statistic(result.items) for column in task.columns()}


def test_cosine_by_hand():
    a = np.array([[1.0, 0.0], [3.0, 4.0], [1.0, 1.0], [1e300, 0.0], [5e-324, 0.0]])
    b = np.array([[0.0, 2.0], [6.0, 8.0], [-1.0, 0.0], [1e300, 1e300], [1.0, 0.0]])
    assert cosine(a, b) == pytest.approx([0.0, 1.0, -(0.5**0.5), 0.5**0.5, 1.0], abs=1e-15)


@given(st.lists(st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4).filter(any), min_size=2, max_size=2))
def test_cosine_is_in_range_and_blind_to_scale(rows):
    a, b = (np.array([row]) for row in rows)
    (value,) = cosine(a, b)
    assert -1.0 <= value <= 1.0
    assert cosine(a * 8.0, b * 0.25)[0] == value
    assert cosine(a, -b)[0] == -value


def test_columns_are_pearson_of_the_stored_cosines(tmp_path):
    task = task_of(tmp_path, assin2=csv_file(tmp_path, ROWS), other=csv_file(tmp_path, ROWS[::-1], "other"))
    result = task.run(States(letters), seed=0)
    own = [item for item in result.items if item.item_id.startswith("assin2/")]
    expected = stats.pearsonr([item.predicted for item in own], [5, 1, 3.5]).statistic
    assert values(task, result)["sim_assin2"] == pytest.approx(expected, abs=1e-12)
    assert values(task, result)["sim_other"] == pytest.approx(expected, abs=1e-12)
    rank = stats.spearmanr([item.predicted for item in own], [5, 1, 3.5]).statistic
    assert result.facts["datasets"]["assin2"]["spearman"] == pytest.approx(rank, abs=1e-12)
    assert result.facts["datasets"]["assin2"]["pearson"] == values(task, result)["sim_assin2"]
    assert result.reasons == {}


def test_items_hold_the_answers(tmp_path):
    result = task_of(tmp_path, stsb=csv_file(tmp_path, ROWS)).run(States(letters), seed=0)
    assert [(item.item_id, item.gold) for item in result.items] == [
        ("stsb/1", 5.0),
        ("stsb/2", 1.0),
        ("stsb/3", 3.5),
    ]
    a, b = np.array(letters("o gato dorme")), np.array(letters("um cão"))
    assert result.items[0].predicted == pytest.approx(1.0, abs=1e-15)
    assert result.items[1].predicted == pytest.approx(a @ b / (a @ a * (b @ b)) ** 0.5, abs=1e-15)


def test_a_set_whose_name_begins_like_another_keeps_its_own_items(tmp_path):
    task = task_of(tmp_path, a=csv_file(tmp_path, ROWS), ab=csv_file(tmp_path, ROWS[:2], "ab"))
    result = task.run(States(letters), seed=0)
    assert values(task, result)["sim_ab"] == pytest.approx(1.0, abs=1e-12)
    assert values(task, result)["sim_a"] < 1.0


def test_assin2_is_always_a_column(tmp_path):
    task = task_of(tmp_path, stsb=csv_file(tmp_path, ROWS))
    assert [column.name for column in task.columns()] == ["sim_assin2", "sim_stsb"]
    result = task.run(States(letters), seed=0)
    assert values(task, result)["sim_assin2"] is None
    assert result.reasons == {"sim_assin2": "data.similarity.assin2 is not set"}


def test_without_any_file_nothing_is_embedded(tmp_path):
    task = task_of(tmp_path)
    model = States(letters)
    result = task.run(model, seed=0)
    assert (result.items, model.asked) == ((), [])
    assert result.reasons == {"sim_assin2": "data.similarity.assin2 is not set"}


def test_a_model_without_states_has_empty_columns_that_say_why(tmp_path):
    task = task_of(tmp_path, stsb=csv_file(tmp_path, ROWS))
    result = task.run(NoStates(), seed=0)
    assert values(task, result) == {"sim_assin2": None, "sim_stsb": None}
    assert result.reasons == {
        "sim_assin2": "data.similarity.assin2 is not set",
        "sim_stsb": "this kind's model has no sentence states (no `embed`)",
    }


@pytest.mark.parametrize("state", [lambda text: [1.0, 2.0], lambda text: [len(text) / 3.0, len(text) / 7.0]])
def test_a_constant_answer_has_no_correlation(tmp_path, state):
    task = task_of(tmp_path, stsb=csv_file(tmp_path, ROWS))
    result = task.run(States(state), seed=0)
    assert values(task, result)["sim_stsb"] is None
    assert result.reasons["sim_stsb"] == "all 3 predictions are equal (1)"
    assert result.facts["datasets"]["stsb"]["pearson"] is None


@pytest.mark.parametrize(
    ("bad", "problem"),
    [([0.0, 0.0], "zero"), ([float("nan"), 1.0], "not finite"), ([float("inf"), 1.0], "not finite")],
)
def test_a_state_without_direction_fails_with_the_pair(tmp_path, bad, problem):
    task = task_of(tmp_path, stsb=csv_file(tmp_path, ROWS))
    with pytest.raises(ModelError, match=f"pair 'stsb/3': the state of 'um cão' is {problem}"):
        task.run(States(lambda text: bad if text == "um cão" else [1.0, 2.0]), seed=0)


def test_states_of_another_shape_are_refused(tmp_path):
    task = task_of(tmp_path, stsb=csv_file(tmp_path, ROWS))
    with pytest.raises(ModelError, match=r"must return \(6, d_model\) states, got shape \(6,\)"):
        task.run(States(len), seed=0)


def test_one_call_with_the_layers_asked_for(tmp_path):
    model = States(letters)
    task = task_of(tmp_path, {"layers": [0, -1]}, stsb=csv_file(tmp_path, ROWS))
    result = task.run(model, seed=0)
    ((texts, layers),) = model.asked
    assert texts == [row[0] for row in ROWS] + [row[1] for row in ROWS]
    assert layers == (0, -1)
    assert result.facts["layers"] == [0, -1]
    assert "layers 0, -1" in task.columns()[1].definition


def test_the_last_layer_is_the_default(tmp_path):
    result = task_of(tmp_path, stsb=csv_file(tmp_path, ROWS)).run(States(letters), seed=0)
    assert result.facts["layers"] == [-1]


@pytest.mark.parametrize("layers", [-1, [], "last", [0.5], [True], [1, 1], None])
def test_other_layers_are_refused(tmp_path, layers):
    with pytest.raises(
        ConfigError, match=r"`task\.similarity\.layers` must be a list of different whole numbers"
    ):
        task_of(tmp_path, {"layers": layers})


def test_unknown_options_are_refused(tmp_path):
    with pytest.raises(
        ConfigError, match=r"unknown option `task\.similarity\.layer`\. Did you mean 'layers'\?"
    ):
        task_of(tmp_path, {"layer": [-1]})


def test_files_are_read_when_the_task_is_built(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        task_of(tmp_path, assin2=tmp_path / "none.xml")


def test_a_name_that_is_no_column_is_refused(tmp_path):
    data = TaskData(annotations=tmp_path, files={"similarity.STS-B": csv_file(tmp_path, ROWS)})
    with pytest.raises(ConfigError, match=r"`data\.similarity\.STS-B`: a data set's name becomes a column"):
        SimilarityTask({}, data)


@pytest.mark.real_data
def test_baselines_stand_beside_the_model_on_assin2_dev(tmp_path, test_data):
    path = test_data / "sts/assin2/assin2-dev.xml"
    task = task_of(tmp_path, assin2=path)
    facts = task.run(States(letters), seed=0).facts["datasets"]["assin2"]
    assert facts["n_pairs"] == 500
    assert facts["baseline_pearson"] == {
        "word_overlap": pytest.approx(0.586, abs=0.002),
        "trigram_cosine": pytest.approx(0.655, abs=0.002),
        "negative_length_difference": pytest.approx(0.268, abs=0.002),
    }

"""The fourth task that docs/tasks.md shows must be a task."""

import re
from pathlib import Path

import numpy as np
import pytest

from rig.core.token_scores import TokenScores
from rig.models.base import AbstractLanguageModel
from rig.tasks.base import AbstractTask, TaskData
from rig.tasks.catalog import TASKS

DOCUMENT = Path(__file__).parents[2] / "docs/tasks.md"


class LikesLetter(AbstractLanguageModel):
    """One token a text, likelier the more of its letters are `o`."""

    def score(self, documents):
        return [
            TokenScores(
                doc_id=document.doc_id,
                token_id=np.array([0]),
                char_start=np.array([0]),
                char_end=np.array([document.n_chars]),
                logprob=np.array([-1.0 / (1 + document.text.count("o"))]),
                n_chars=document.n_chars,
            )
            for document in documents
        ]


@pytest.fixture
def article_task():
    task, names = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), flags=re.DOTALL)
    assert len([line for line in task.splitlines() if line.strip()]) <= 12
    namespace = {}
    exec(names + task, namespace)
    return namespace["ArticleTask"]


def test_the_example_is_a_task_that_runs(article_task, tmp_path):
    (tmp_path / "pairs.tsv").write_text("o gato\ta gato\na gata\to gata\numa\tuma\n", "utf-8")
    task = article_task({}, TaskData(annotations=tmp_path, files={"article": tmp_path / "pairs.tsv"}))
    assert isinstance(task, AbstractTask)
    result = task.run(LikesLetter(), seed=0)
    assert [item.predicted for item in result.items] == [1.0, 0.0, 0.5]
    (column,) = task.columns()
    assert column.statistic(result.items) == 0.5


def test_every_task_of_the_catalog_has_its_section():
    headings = re.findall(r"^## `(\w+)`", DOCUMENT.read_text("utf-8"), flags=re.MULTILINE)
    assert sorted(headings) == sorted(TASKS)

"""The tasks that a config can name, as import paths: `tasks: [NAME, ...]` to the class that asks.

Plugins (`rig.core.plugins`) add to them.
"""

import importlib
from collections.abc import Mapping
from typing import Any

from rig.core.errors import ConfigError, did_you_mean
from rig.core.plugins import plugin_targets
from rig.tasks.base import AbstractTask, TaskData

TASKS: dict[str, str] = {
    "generation": "rig.tasks.generation:GenerationTask",
    "agreement": "rig.tasks.agreement:AgreementTask",
    "similarity": "rig.tasks.similarity:SimilarityTask",
}


def build_task(name: str, options: Mapping[str, Any], data: TaskData) -> AbstractTask:
    """A task from its options.

    Raises:
        ConfigError: No such task, or an option is wrong.
        DataError: One of its files is wrong.
    """
    target = task_target(name)
    module, _, class_name = target.partition(":")
    recipe = getattr(importlib.import_module(module), class_name)
    if not issubclass(recipe, AbstractTask):
        raise ConfigError(f"the task '{name}' is {target}, which is no AbstractTask; see docs/tasks.md")
    task: AbstractTask = recipe(options, data)
    return task


def task_target(name: str) -> str:
    """The import path `module:Class` of a task.

    Raises:
        ConfigError: No such task.
    """
    added = plugin_targets("TASKS")
    if taken := sorted(set(added) & set(TASKS)):
        raise ConfigError(f"a plugin adds the task '{taken[0]}', which rig has itself; rename the plugin's")
    known = {**added, **TASKS}
    if name not in known:
        raise ConfigError(f"unknown task '{name}' in `tasks`. {did_you_mean(name, known)}")
    return known[name]

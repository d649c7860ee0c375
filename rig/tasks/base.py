"""The interface of a task: it asks a model about items; each of its columns is a function of the answers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, final

from rig.core.items import Item
from rig.models.base import AbstractLanguageModel


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TaskColumn:
    """One column of the per-seed table that a task fills."""

    name: str
    statistic: Callable[[Sequence[Item]], float | None]
    """The column's value from the items of one cell and nothing else; None where it is not defined."""
    unit: str
    direction: Literal["higher", "lower", "none"]
    """Which way is better; `none` for a description."""
    definition: str
    """One sentence for the report."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TaskData:
    """Where a task finds its files."""

    annotations: Path
    """The data set's folder: documents, sentences, words as parquet."""
    files: Mapping[str, Path]
    """Task files of the data config by role, for example `prompts`, `agreement`, `similarity.assin2`."""
    shared: Path | None = None
    """A folder that all cells of a runs directory share, for what is costly and the same for all of them;
    None: nothing is kept."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TaskResult:
    """What a task leaves in a cell."""

    items: tuple[Item, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Stated in the report: policies, parser name and hash, counts, intervals. Hashable by `fingerprint`."""
    samples: tuple[str, ...] = ()
    """A few texts to show."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Column to why it is empty."""


class AbstractTask(ABC):
    """A task. One class here and one file `conf/task/NAME.yaml` add one."""

    name: ClassVar[str]

    @abstractmethod
    def __init__(self, options: Mapping[str, Any], data: TaskData) -> None:
        """Check options and files before any training.

        Raises:
            ConfigError: An option is unknown or out of range.
            DataError: A file is missing or malformed.
        """

    @abstractmethod
    def columns(self) -> tuple[TaskColumn, ...]:
        """The columns it fills, in table order."""

    @abstractmethod
    def run(self, model: AbstractLanguageModel, *, seed: int) -> TaskResult:
        """Ask the model.

        A model that lacks an ability leaves its columns empty, with the reason; that is no failure.

        Raises:
            ModelError: The model gave a non-finite score or state.
        """

"""A data config made ready: the annotation folder, the task files, and the hashes that stand for them.

Everything that a user can have got wrong about the data is refused here, before any training.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from rig.core.errors import ConfigError, DataError, did_you_mean
from rig.core.fingerprint import file_sha256
from rig.data import validation
from rig.data.annotations import Annotations
from rig.data.nano_pt import corpus
from rig.data.nano_pt.items import task_files
from rig.experiment.config import ConfDir

_BUILTIN = "builtin"
_SOURCES = ("nano_pt", "parquet")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedData:
    """Checked annotations and task files."""

    name: str
    """The data set's declared name: rows and locks are filed under it."""
    annotations: Annotations
    path: Path
    content: Mapping[str, str]
    """Table to SHA-256 of its logical rows; the same wherever and by whatever pyarrow it was written."""
    files: Mapping[str, Path]
    """Task file by role: `prompts`, `agreement`, `similarity.NAME`, and those of `data.files`."""
    file_hashes: Mapping[str, str]
    """Role to SHA-256 of the file."""
    table_hashes: Mapping[str, str]
    """Path of each table to the SHA-256 of its bytes, quick to check before and after a cell."""


def prepare(data: Mapping[str, Any], *, conf: ConfDir, cache: Path) -> PreparedData:
    """Locate or generate a data config's annotations and check them and the task files.

    Args:
        data: The `data` group of a configuration.
        conf: Task files given as relative paths are looked up here first.
        cache: Folder in which the embedded language is generated once.

    Raises:
        ConfigError: The source or a path is not given or unknown.
        DataError: The annotations break a rule, or a file is missing.
    """
    source = data["source"]
    if source not in _SOURCES:
        raise ConfigError(f"`data.source` is '{source}'. {did_you_mean(source, _SOURCES)}")
    if source == "nano_pt" and data["path"] is not None:
        raise ConfigError("`data.path` has no effect on the embedded language; did you mean `data=parquet`?")
    if source == "nano_pt":
        path = corpus.ensure(cache, data["options"])
    elif data["path"]:
        path = Path(data["path"]).expanduser().resolve()
    else:
        raise ConfigError("`data.path` must be a folder of annotations, got nothing; see `rig data --help`")
    annotations = Annotations.open(path)
    validation.check(annotations)
    files = _task_files(data, conf)
    return PreparedData(
        name=data["name"],
        annotations=annotations,
        path=path,
        content=annotations.content_sha256(),
        files=files,
        file_hashes={role: file_sha256(file) for role, file in files.items()},
        table_hashes={str(table): file_sha256(table) for table in sorted(path.glob("*.parquet"))},
    )


def _task_files(data: Mapping[str, Any], conf: ConfDir) -> dict[str, Path]:
    given = {"prompts": data["prompts"], "agreement": data["agreement"]}
    given |= {f"similarity.{name}": value for name, value in data["similarity"].items()}
    if taken := sorted(set(given) & set(data["files"])):
        raise ConfigError(f"`data.files.{taken[0]}` is a name that rig uses itself; choose another")
    given |= data["files"]
    return {role: _task_file(role, value, conf) for role, value in sorted(given.items()) if value is not None}


def _task_file(role: str, value: str, conf: ConfDir) -> Path:
    if value == _BUILTIN:
        builtin = task_files()
        if role not in builtin:
            raise ConfigError(f"`data.{role}` has no builtin file. {did_you_mean(role, builtin)}")
        return builtin[role]
    path = Path(value).expanduser()
    in_conf = conf.path / path
    found = in_conf if in_conf.is_file() else path.resolve()
    if not found.is_file():
        raise DataError(f"`data.{role}` is {value}, but there is no such file")
    return found

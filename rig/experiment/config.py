"""conf/ and command-line overrides to one plain, checked configuration. The only module that imports Hydra.

Hydra's Compose API composes; nothing is instantiated, so a `_target_` anywhere is an error. Overrides are
`key=value` only: `+`, `++` and `~` could add a key that nothing reads, or remove one that something does. A
key given twice is refused, because the last would win in silence.

The conf folder: `--conf-dir`, else `$RIG_CONF`, else `conf/` of the current checkout, else the one shipped in
the package. A folder counts only if its config.yaml says `rig_schema: 1`, since many projects have a `conf/`.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import hydra
import yaml
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rig.core.errors import ConfigError, UsageError, did_you_mean
from rig.core.fingerprint import file_sha256, fingerprint
from rig.core.plugins import plugin_kinds, plugin_targets
from rig.experiment.ranges import check_ranges
from rig.experiment.schema import RigConfig
from rig.tasks.catalog import task_target

# Hydra 1.4 deprecates `version_base`; before that, leaving it out warns.
_VERSION_BASE: dict[str, Any] = {"version_base": "1.3"} if hydra.__version__ < "1.4" else {}
_KEY = re.compile(r"[A-Za-z_][\w.]*(@[\w.]+)?")
_GROUPS = ("kind", "data", "model", "tokenizer", "train", "score", "morphology", "stats", "sweep")
_OPEN_MAPPINGS = ("data.similarity", "data.files")
IDENTITY_GROUPS = ("kind", "model", "tokenizer", "train", "score", "morphology", "tasks", "task")
"""What a cell's result depends on, beside data and code."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ConfDir:
    """The folder that configs come from."""

    path: Path
    origin: str
    """How it was found, for messages and the report."""

    def sha256(self) -> str:
        """Hash over the YAML files below it, by name and content."""
        names = sorted(path.relative_to(self.path).as_posix() for path in self.path.rglob("*.yaml"))
        return fingerprint({name: file_sha256(self.path / name) for name in names})

    def names(self, group: str) -> list[str]:
        """The configs of a group."""
        return sorted(path.stem for path in (self.path / group).glob("*.yaml"))


def find_conf_dir(explicit: Path | None = None) -> ConfDir:
    """The conf folder to use.

    Raises:
        ConfigError: The folder that was asked for is not a rig conf folder.
    """
    packaged = Path(__file__).parents[1] / "_conf"
    for path, origin, is_asked in (
        (explicit, "--conf-dir", True),
        (Path(os.environ["RIG_CONF"]) if os.environ.get("RIG_CONF") else None, "$RIG_CONF", True),
        (Path.cwd() / "conf", "conf/ of the current folder", False),
        (Path(__file__).parents[2] / "conf", "conf/ of the checkout", False),
        (packaged, "the installed package", False),
    ):
        if path is None:
            continue
        if _is_rig_conf(path):
            return ConfDir(path=path.resolve(), origin=origin)
        if is_asked:
            raise ConfigError(
                f"{path} (from {origin}) is not a rig conf folder: its config.yaml must say `rig_schema: 1`"
            )
    raise ConfigError("no conf folder was found; pass --conf-dir DIR")


def compose_kind(conf: ConfDir, kind: str, overrides: Sequence[str]) -> dict[str, Any]:
    """The full configuration of one kind under the overrides, as plain values.

    Args:
        conf: Where configs come from.
        kind: Name of a file in conf/kind/, or of a kind that a plugin adds.
        overrides: `key=value` texts, in the order given.

    Returns:
        Nested dictionaries, lists, numbers and text, typed by the schema and with ranges checked.

    Raises:
        ConfigError: Unknown kind, group, task or key; wrong type or range; a `_target_`.
        UsageError: An override of a form that is refused.
    """
    _check_kind(conf, kind)
    check_overrides(overrides)
    groups = [text for text in overrides if text.partition("=")[0] in (*_GROUPS, "tasks")]
    tasks = _compose(conf, [f"kind={kind}", *groups], is_complete=False)["tasks"]
    _check_tasks(conf, tasks)
    choices = [f"kind={kind}", *(f"+task@task.{name}={name}" for name in tasks)]
    base = _compose(conf, [*choices, *groups], is_complete=False)
    settings = [_as_setting(base, text) for text in overrides if text not in groups]
    plain = _compose(conf, [*choices, *groups, *settings], is_complete=True)
    check_ranges(plain)
    return plain


def _check_kind(conf: ConfDir, kind: str) -> None:
    in_files, in_plugins = conf.names("kind"), plugin_kinds()
    if kind not in in_files and kind not in in_plugins:
        raise ConfigError(f"unknown kind '{kind}'. {did_you_mean(kind, [*in_files, *in_plugins])}")
    if kind in in_files and kind in in_plugins:
        raise ConfigError(f"kind '{kind}' is in {conf.path / 'kind'} and in a plugin; rename one")


def _check_tasks(conf: ConfDir, tasks: Sequence[str]) -> None:
    if len(set(tasks)) != len(tasks):
        raise ConfigError(f"`tasks` must not repeat a name, got {', '.join(tasks)}")
    for name in tasks:
        task_target(name)
        if name not in conf.names("task") and name not in plugin_targets("TASKS"):
            raise ConfigError(f"task '{name}' has no file {conf.path / 'task' / name}.yaml")


def _as_setting(base: Mapping[str, Any], override: str) -> str:
    """An override of a setting that exists; a data set's name may be new in a mapping of data sets."""
    key = override.partition("=")[0]
    if key.rpartition(".")[0] in _OPEN_MAPPINGS:
        return f"++{override}"
    at(base, key)
    return override


def check_overrides(overrides: Sequence[str]) -> None:
    """Refuse overrides that could be ignored, shadowed or run code.

    Raises:
        UsageError: With the override and what to write instead.
    """
    seen: dict[str, str] = {}
    for override in overrides:
        key, separator, value = override.partition("=")
        if not separator or key.startswith(("-", "+", "~")) or not _KEY.fullmatch(key):
            raise UsageError(
                f"override '{override}' must have the form key=value (no `+`, `++`, `~`); "
                "for an option see --help"
            )
        if key == "kind":
            raise UsageError(f"override '{override}': kinds are chosen by --kinds")
        if "_target_" in override:
            raise UsageError(
                f"override '{override}': `_target_` is refused; rig never builds objects from configs"
            )
        if "${" in value:
            raise UsageError(f"override '{override}': write the value itself; `${{...}}` is refused")
        if key in seen:
            raise UsageError(f"override '{key}' is given twice: '{seen[key]}' and '{override}'; keep one")
        if value.strip().lower() in {"nan", "inf", "-inf", "+inf"}:
            raise UsageError(f"override '{override}': the value must be finite")
        seen[key] = override


def at(plain: Mapping[str, Any], dotted: str) -> Any:
    """The value at a dotted key, for example `train.lr`.

    Raises:
        ConfigError: No such key.
    """
    value: Any = plain
    for part in dotted.split("."):
        if not isinstance(value, Mapping) or part not in value:
            known = list(value) if isinstance(value, Mapping) else []
            raise ConfigError(f"there is no setting `{dotted}`: no '{part}'. {did_you_mean(part, known)}")
        value = value[part]
    return value


def with_value(plain: Mapping[str, Any], dotted: str, value: Any) -> dict[str, Any]:
    """A copy of a configuration with another value at a dotted key that exists."""
    at(plain, dotted)
    head, _, rest = dotted.partition(".")
    return {**plain, head: with_value(plain[head], rest, value) if rest else value}


def _compose(conf: ConfDir, overrides: Sequence[str], *, is_complete: bool) -> dict[str, Any]:
    _store(conf)
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(config_dir=str(conf.path), **_VERSION_BASE):
            composed = compose(config_name="config", overrides=list(overrides))
        plain = OmegaConf.to_container(composed, resolve=True, throw_on_missing=is_complete)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(_one_sentence(error, conf)) from error
    except yaml.YAMLError as error:
        raise ConfigError(f"a file in {conf.path} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(plain, dict):
        raise ConfigError(f"{conf.path / 'config.yaml'} must hold a mapping")
    _refuse_targets(plain, "")
    return {str(key): value for key, value in plain.items()}


def _store(conf: ConfDir) -> None:
    """What Hydra finds beside the files: the types, and what plugins add."""
    store = ConfigStore.instance()
    store.store(name="rig_schema", node=RigConfig)
    for name, kind in plugin_kinds().items():
        _refuse_targets(kind, f"kind '{name}' of a plugin: ")
        store.store(group="kind", name=name, node=dict(kind))
    for name in plugin_targets("TASKS"):
        if name not in conf.names("task"):
            store.store(group="task", name=name, node={})


def _refuse_targets(value: Any, where: str) -> None:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if str(key) in {"_target_", "_partial_", "_recursive_", "_convert_", "_args_"}:
                raise ConfigError(
                    f"`{where}{key}` is refused: rig never builds objects from configs; "
                    "name a kind's `family` or a task instead"
                )
            _refuse_targets(item, f"{where}{key}.")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_targets(item, f"{where}{index}.")


def _one_sentence(error: Exception, conf: ConfDir) -> str:
    """Hydra's and OmegaConf's errors name the key in one of several lines; keep what a user needs."""
    text = str(error.__cause__ or error)
    first = " ".join(text.partition("full_key")[0].split())
    key = re.search(r"full_key: (\S+)", text)
    where = f" (`{key.group(1)}`)" if key and key.group(1) not in first else ""
    hint = ""
    group = re.search(r"Could not find '(\w+)/([\w.-]+)'", text)
    if group:
        first = f"no config '{group.group(2)}' in group '{group.group(1)}'."
        hint = f" {did_you_mean(group.group(2), conf.names(group.group(1)))}"
    return f"{first}{where}{hint} Conf folder: {conf.path} ({conf.origin})."


def _is_rig_conf(path: Path) -> bool:
    try:
        content = yaml.safe_load((path / "config.yaml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return False
    return isinstance(content, dict) and content.get("rig_schema") == 1

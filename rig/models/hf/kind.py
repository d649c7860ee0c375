"""The family `hf`: checkpoints of Hugging Face transformers, one for all seeds or one for each.

    family: hf
    objective: causal                        # or masked
    seeded: true                             # false for a single checkpoint
    has_lr: false
    options:
      model: PATH/TO/runs/baseline-{seed}    # or a hub id with `revision`
      bos: auto

Nothing is trained: a checkpoint is read (`rig.models.hf.load`). The files that are read are hashed into the
cell's key, so another checkpoint at the same place is another cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, final

from rig.core.documents import Document
from rig.core.errors import ConfigError
from rig.models.base import AbstractKind, Fit, Progress, TrainingText
from rig.models.hf.checkpoint import open_checkpoint
from rig.models.hf.hub import REVISION, checkpoint_directory
from rig.models.hf.load import LoadedModel, load_model, require_extra
from rig.models.hf.options import HfOptions

_SEED = "{seed}"


@final
class HuggingFaceKind(AbstractKind):
    """Loads a checkpoint.

    Options: `model`, a local directory or a hub id, in a seeded kind with `{seed}` in it; `revision`, the
    commit of a hub id (40 hex digits), or a mapping from seed to commit; and those of
    `rig.models.hf.options.HfOptions`.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        kind = config["kind"]
        self._where = f"kind '{kind['name']}'"
        require_extra(self._where)
        if kind["has_lr"]:
            raise ConfigError(f"`has_lr` of {self._where} must be false: a checkpoint is not trained here")
        if kind["objective"] not in ("causal", "masked"):
            raise ConfigError(
                f"`objective` of {self._where} must be causal or masked, got {kind['objective']!r}"
            )
        options = dict(kind.get("options") or {})
        self._objective: str = kind["objective"]
        self._model = _checked_model(options.pop("model", None), seeded=kind["seeded"], where=self._where)
        self._revision = _checked_revision(options.pop("revision", None), where=self._where)
        self._options = HfOptions.from_mapping(options, where=self._where)

    def inputs(self, seed: int) -> Mapping[str, Path]:
        """Every file of the checkpoint that is loaded; a hub's is downloaded first.

        Raises:
            ConfigError: There is no revision for the seed.
            DataError: A file is missing or of a kind that is refused.
        """
        options = self._options_for(seed)
        tokenizer = None if options.tokenizer is None else Path(options.tokenizer).expanduser()
        directory = self._directory(seed)
        return open_checkpoint(directory, objective=self._objective, tokenizer=tokenizer).files

    def fit(self, text: TrainingText, *, seed: int, out: Path, progress: Progress) -> Fit:
        """Load the seed's checkpoint; nothing is trained or written.

        Raises:
            DataError: A file is missing or of a kind that is refused.
            DivergedError: A weight is not finite.
            ModelError: It can't be loaded as such a model.
        """
        model = load_model(self._directory(seed), objective=self._objective, options=self._options_for(seed))
        facts = {**model.facts, "unk_share_validation": _unk_share(model, text.validation)}
        return Fit(model=model, train_tokens=0, facts=facts)

    def _directory(self, seed: int) -> Path:
        revision = self._revision
        if isinstance(revision, Mapping):
            if str(seed) not in revision:
                raise ConfigError(
                    f"option `revision` of {self._where} has none for seed {seed}, only for "
                    f"{', '.join(sorted(revision))}"
                )
            revision = revision[str(seed)]
        return checkpoint_directory(self._model.replace(_SEED, str(seed)), revision)

    def _options_for(self, seed: int) -> HfOptions:
        tokenizer = self._options.tokenizer
        return replace(
            self._options, tokenizer=None if tokenizer is None else tokenizer.replace(_SEED, str(seed))
        )


def _unk_share(model: LoadedModel, documents: Sequence[Document]) -> float | None:
    """Tokens that the vocabulary can't spell, of all tokens; 0 without an UNK, None without tokens."""
    if model.unk_id is None:
        return 0.0
    unknown = [
        encoding.token_id == model.unk_id
        for encoding in model.encode([document.text for document in documents])
    ]
    n_tokens = sum(len(flags) for flags in unknown)
    return sum(int(flags.sum()) for flags in unknown) / n_tokens if n_tokens else None


def _checked_model(model: object, *, seeded: bool, where: str) -> str:
    if not (isinstance(model, str) and model):
        raise ConfigError(
            f"option `model` of {where} must be a local directory or a hub id with `revision`, got {model!r}"
        )
    if seeded and _SEED not in model:
        raise ConfigError(
            f"{where} is `seeded: true`, but its option `model`, '{model}', has no {_SEED}: every replicate "
            "would be the same checkpoint; put {seed} where the paths differ, or set `seeded: false`"
        )
    if not seeded and _SEED in model:
        raise ConfigError(
            f"{where} is `seeded: false`, but its option `model`, '{model}', has {_SEED}; name one "
            "checkpoint, or set `seeded: true`"
        )
    return model


def _checked_revision(revision: object, *, where: str) -> str | Mapping[str, str] | None:
    if revision is None:
        return None
    given: Mapping[Any, object] = revision if isinstance(revision, Mapping) else {"": revision}
    commits: dict[str, str] = {}
    for seed, commit in given.items():
        if not isinstance(seed, str) or not isinstance(commit, str) or not REVISION.fullmatch(commit):
            raise ConfigError(
                f"option `revision` of {where} must be a commit's 40 hex digits, because branches and tags "
                f"move, or a mapping from each seed, in quotes, to them; got {commit!r} for {seed!r}"
            )
        commits[seed] = commit
    return commits if isinstance(revision, Mapping) else commits[""]

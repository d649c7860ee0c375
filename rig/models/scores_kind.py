"""The family `scores`: a kind that is only files of token scores, computed anywhere, one for each seed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, final

from rig.core.documents import Document
from rig.core.errors import ConfigError, DataError, ModelError
from rig.core.token_scores import TokenScores
from rig.models.base import AbstractKind, AbstractLanguageModel, Fit, Progress, TrainingText
from rig.models.kind_options import check_declared, checked_options
from rig.models.scores_file import BASES, UNKNOWN, ScoresFile, read_scores

_SEED = "{seed}"
_OPTIONS = ("path", "base")


@final
class PrecomputedModel(AbstractLanguageModel):
    """Looks scores up. It knows the held-out documents and nothing else, so tasks have nothing to ask it."""

    scores_any_text = False

    def __init__(self, held: ScoresFile) -> None:
        self.unk_id = UNKNOWN if held.has_unk else None
        # An unknown token that is not charged its spelling makes bits per character meaningless.
        self.is_code_length = not held.has_unk
        self._scores = held.scores

    def score(self, documents: Sequence[Document]) -> list[TokenScores]:  # noqa: D102
        found = []
        for document in documents:
            scores = self._scores.get(document.doc_id)
            if scores is None or scores.n_chars != document.n_chars:
                raise ModelError(
                    f"document '{document.doc_id}' has no precomputed scores; "
                    "this kind knows the held-out split alone"
                )
            found.append(scores)
        return found


@final
class ScoresKind(AbstractKind):
    """Reads `rig.models.scores_file`.

    Options: `path`, a parquet file, with `{seed}` in it for a seeded kind; `base`, the base of the logarithms
    (`e`, `2` or `10`), where the file does not declare it.
    """

    reads_held_out: ClassVar[bool] = True

    def __init__(self, config: Mapping[str, Any]) -> None:
        kind = config["kind"]
        options = checked_options(kind, _OPTIONS)
        path = options.get("path")
        if not isinstance(path, str) or not path:
            raise ConfigError(
                f"option `path` of kind '{kind['name']}' must name a parquet file, got {path!r}"
            )
        check_seed_pattern(path, "path", kind)
        self._path = path
        self._base = checked_base(options.get("base"), kind["name"])
        check_declared(kind, {"objective": "causal", "has_lr": False})

    def fit(self, text: TrainingText, *, seed: int, out: Path, progress: Progress) -> Fit:
        """Read the file of this seed and hold it against the held-out texts; nothing is trained."""
        held = read_scores(self._file(seed), text.held_out, base=self._base)
        return Fit(model=PrecomputedModel(held), train_tokens=0, facts=scores_facts(held))

    def inputs(self, seed: int) -> Mapping[str, Path]:
        """The file of this seed.

        Raises:
            DataError: It does not exist.
        """
        path = self._file(seed)
        if not path.is_file():
            raise DataError(
                f"there is no file of scores {path}; `rig export-template` shows what it must hold"
            )
        return {"scores": path}

    def _file(self, seed: int) -> Path:
        return Path(self._path.replace(_SEED, str(seed))).expanduser()


def scores_facts(held: ScoresFile) -> dict[str, Any]:
    """What the report says of such a file."""
    return {
        "logprob_base": held.base,
        "n_ignored_documents": held.n_other_documents,
        # Files that cut the texts alike can be compared per token, as if they shared a tokenizer.
        "tokenizer_sha256": held.segmentation_sha256,
    }


def checked_base(base: object, kind_name: str) -> str | None:
    """The option `base`, as text; YAML reads 2 and 10 as numbers."""
    if base is None:
        return None
    if isinstance(base, bool) or str(base) not in BASES:
        raise ConfigError(f"option `base` of kind '{kind_name}' must be e, 2 or 10, got {base!r}")
    return str(base)


def check_seed_pattern(path: str, option: str, kind: Mapping[str, Any]) -> None:
    """A seeded kind has a file for each seed: without `{seed}` its replicates would be copies of one."""
    if kind["seeded"] and _SEED not in path:
        raise ConfigError(
            f"option `{option}` of kind '{kind['name']}' must hold {_SEED}, got '{path}': the kind is "
            "seeded, and one file read at every seed is no replicate; else set `seeded: false`"
        )
    if not kind["seeded"] and _SEED in path:
        raise ConfigError(
            f"option `{option}` of kind '{kind['name']}' holds {_SEED}, but the kind is not seeded; "
            "set `seeded: true`"
        )

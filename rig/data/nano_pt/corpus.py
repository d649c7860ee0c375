"""The data set `nano_pt`: documents drawn from the grammar, cached as annotations on disk.

Train and validation are drawn from the train grammar, test from the test grammar. The two differ in lexicon
only: a fifth of the derived nouns (`lexicon.HELD_OUT`) occur in test alone, while their bases occur in
train, so that knowing how words are built is worth something. Such a word carries `HeldOut=Yes` in MISC.
"""

import hashlib
import itertools
import json
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, final

import rig.core.seeding
import rig.core.sentences
from rig.core.errors import ConfigError, DataError, did_you_mean
from rig.core.files import write_json
from rig.core.fingerprint import file_sha256, fingerprint
from rig.core.seeding import stream
from rig.data.annotations import SPLITS, Annotations, DocumentRecord, Metadata, write_annotations
from rig.data.nano_pt import exact, syntax
from rig.data.nano_pt.exact import ExactEntropy, ExactModel
from rig.data.nano_pt.grammar import Grammar
from rig.data.nano_pt.sampler import Sampler

NAME: Final = "nano_pt"
ANNOTATOR: Final = "rig.data.nano_pt"
SOURCE: Final = "drawn from the grammar rig.data.nano_pt"
LICENCE: Final = "Apache-2.0"
_HASHES: Final = "generated.json"
_SENTENCES_PER_DOCUMENT: Final = (4, 16)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusOptions:
    """What the corpus depends on."""

    seed: int = 0
    """Of the draw; not a training seed."""
    n_train: int = 10_000
    """Sentences of the train split."""
    n_validation: int = 1_000
    n_test: int = 2_000

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            least = 0 if name == "seed" else 1
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ConfigError(f"nano_pt: `{name}` must be an integer of at least {least}, got {value!r}")

    def n_sentences(self, split: str) -> int:
        """Sentences of a split."""
        return {"train": self.n_train, "validation": self.n_validation, "test": self.n_test}[split]


def options(config: Mapping[str, Any]) -> CorpusOptions:
    """Read the corpus's own options: `seed`, `n_train`, `n_validation`, `n_test`.

    Raises:
        ConfigError: An option is unknown, of the wrong type or out of range.
    """
    known = tuple(asdict(CorpusOptions()))
    for name in config:
        if name not in known:
            raise ConfigError(f"nano_pt has no option '{name}'. {did_you_mean(name, known)}")
    return CorpusOptions(**config)


def grammar_of(split: str) -> Grammar:
    """The grammar that a split is drawn from."""
    return syntax.test_grammar() if split == "test" else syntax.train_grammar()


def documents(config: Mapping[str, Any]) -> Iterator[DocumentRecord]:
    """All documents, split by split; the same for the same options on every machine.

    Documents have 4 to 16 sentences (uniform), drawn independently; the last of a split may be shorter.

    Raises:
        ConfigError: As `options`.
    """
    chosen = options(config)
    for split in SPLITS:
        yield from _split(split, chosen)


def _split(split: str, chosen: CorpusOptions) -> Iterator[DocumentRecord]:
    sampler = Sampler(grammar_of(split), rng=stream(chosen.seed, NAME, split, "sentences"))
    lengths = stream(chosen.seed, NAME, split, "document lengths")
    left, index = chosen.n_sentences(split), 0
    low, high = _SENTENCES_PER_DOCUMENT
    while left:
        size = min(left, int(lengths.integers(low, high, endpoint=True)))
        doc_id = f"{NAME}-{split}-{index:05d}"
        sentences = tuple(sampler.sentence(f"{doc_id}-{position + 1}") for position in range(size))
        yield DocumentRecord(doc_id=doc_id, split=split, source=SOURCE, licence=LICENCE, sentences=sentences)
        left -= size
        index += 1


def ensure(root: Path, config: Mapping[str, Any]) -> Path:
    """The folder with the annotated corpus, made if it is not there yet.

    The folder's name is a content key of the generator's code and the options, so a changed grammar is a new
    folder. Two processes may ask at once: each writes aside, the first to rename wins, and all get the same
    bytes.

    Args:
        root: Where generated data sets are kept; made if missing.
        config: See `options`.

    Raises:
        ConfigError: As `options`.
        DataError: The folder is there and was changed after it was made.
    """
    chosen = options(config)
    folder = root / f"{NAME}-{content_key(chosen)}"
    if folder.is_dir():
        _refuse_changed(folder)
        return folder
    root.mkdir(parents=True, exist_ok=True)
    aside = root / f".{folder.name}.{uuid.uuid4().hex[:12]}.tmp"
    try:
        write_annotations(aside, documents(asdict(chosen)), metadata(chosen))
        write_json(aside / _HASHES, _table_hashes(aside))
        os.rename(aside, folder)
    except OSError:
        # The name is taken if another process was faster; its folder is whole and equal.
        if not folder.is_dir():
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return folder


def _table_hashes(folder: Path) -> dict[str, str]:
    return {path.name: file_sha256(path) for path in sorted(folder.glob("*.parquet"))}


def _refuse_changed(folder: Path) -> None:
    """An edited corpus would be reported under the language's name."""
    path = folder / _HASHES
    held = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    if held != _table_hashes(folder):
        raise DataError(f"{folder} was changed after it was generated; delete it, and it is generated again")


def content_key(chosen: CorpusOptions) -> str:
    """16 hex digits over the code that writes the corpus and its options."""
    return fingerprint({"code": _code_sha256(), "options": asdict(chosen)})[:16]


def _code_sha256() -> str:
    data = Path(__file__).parent.parent
    files = sorted(data.rglob("*.py"), key=lambda path: path.relative_to(data).as_posix())
    core = [Path(str(module.__file__)) for module in (rig.core.seeding, rig.core.sentences)]
    digest = hashlib.sha256()
    for path in (*files, *core):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def metadata(chosen: CorpusOptions) -> Metadata:
    """Who annotated: the grammar itself, so the trees are gold."""
    return Metadata(
        name=NAME,
        language="pt",
        annotator=ANNOTATOR,
        annotator_version=content_key(chosen),
        model_sha256="",
        ud_version="2",
        source=SOURCE,
        licence=LICENCE,
    )


def test_cross_entropy_by_document(config: Mapping[str, Any]) -> dict[str, ExactEntropy]:
    """The exact cross-entropy of each test document under the test grammar, by document id."""
    grammar = syntax.test_grammar()
    model = ExactModel(grammar)
    return {
        record.doc_id: exact.text_entropy(record.sentences, grammar, model)
        for record in _split("test", options(config))
    }


def test_cross_entropy(config: Mapping[str, Any]) -> ExactEntropy:
    """The exact cross-entropy of the test text under the test grammar: the least that a model can expect.

    The number of sentences is not part of the text: a document's probability is the product over its
    sentences.
    """
    return exact.pooled(test_cross_entropy_by_document(config).values())


def describe_exactly(annotations: Annotations) -> list[str]:
    """What `rig data describe` adds for this language: its exact cross-entropy; nothing for other data."""
    if annotations.metadata.annotator != ANNOTATOR:
        return []
    grammar = syntax.test_grammar()
    model = ExactModel(grammar)
    by_document = itertools.groupby(annotations.sentences("test"), key=lambda placed: placed.doc_id)
    entropy = exact.pooled(
        exact.text_entropy((placed.sentence for placed in sentences), grammar, model)
        for _, sentences in by_document
    )
    return [
        "exact cross-entropy of the test text under the test grammar: "
        f"{entropy.bits_per_character:.4f} bits per character, {entropy.nats_per_unit:.4f} nats per word"
    ]

"""Stanza (Qi et al. 2020; extra `[stanza]`): its documents as our sentences.

Stanza gives offsets on tokens, in code points of the text, but not for a document that was read from CoNLL-U;
there the tokens are found in the text in order.
"""

import hashlib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rig.core.errors import ConfigError, DataError, ModelError
from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.parsers.base import AbstractParser

_PROCESSORS = "tokenize,mwt,pos,lemma,depparse"


class StanzaParser(AbstractParser):
    """A Stanza pipeline over models that were downloaded beforehand; nothing is fetched."""

    def __init__(self, model: str | Sequence[str], *, language: str = "pt", pipeline: Any = None) -> None:
        """Load the pipeline.

        Args:
            model: The folder that `stanza.download(..., model_dir=...)` filled.
            language: Stanza's language code.
            pipeline: Anything that maps a text to a Stanza document, in place of the models.

        Raises:
            ConfigError: Stanza is not installed, or `model` is not one folder.
            DataError: The folder is missing.
        """
        if not isinstance(model, str):
            raise ConfigError(f"`parser.model` of stanza must be one folder of models, got {list(model)}")
        self.name = "stanza"
        self.version, self.model_sha256 = "", ""
        if pipeline is None:
            stanza = _import_stanza()
            folder = Path(model)
            if not folder.is_dir():
                raise DataError(f"stanza's models '{model}' are not a folder; fill it by `stanza.download`")
            self.version, self.model_sha256 = stanza.__version__, _folder_sha256(folder / language)
            pipeline = stanza.Pipeline(
                lang=language,
                dir=model,
                processors=_PROCESSORS,
                download_method=None,
                use_gpu=False,
                verbose=False,
            )
        self._pipeline = pipeline

    def parse(self, texts: Sequence[str]) -> list[tuple[Sentence, ...]]:
        """The sentences of each text, in order.

        Raises:
            ModelError: A token is not found in the text.
        """
        return [
            sentences_of(self._pipeline(text), text) if not text.isspace() and text else () for text in texts
        ]


def sentences_of(document: Any, text: str) -> tuple[Sentence, ...]:
    """A Stanza document over `text` as sentences; offsets are Stanza's where it gives them.

    Raises:
        ModelError: A token is not found in the text where it was due.
    """
    sentences, end = [], 0
    for index, parsed in enumerate(document.sentences, start=1):
        units, start = [], None
        for token in parsed.tokens:
            first, end = _locate(token, text, end)
            start = first if start is None else start
            ids = [int(word.id) for word in token.words]
            is_multiword = len(token.id) > 1
            units.append(
                SurfaceUnit(
                    form=text[first:end],
                    first_word=ids[0],
                    last_word=ids[-1],
                    space_after=end == len(text) or text[end].isspace(),
                    is_multiword=is_multiword,
                )
            )
        words = tuple(_word(word) for word in parsed.words)
        slice_ = "" if start is None else text[start:end]
        sentences.append(Sentence(sent_id=str(index), text=slice_, words=words, units=tuple(units)))
    return tuple(sentences)


def _locate(token: Any, text: str, after: int) -> tuple[int, int]:
    if token.start_char is not None and token.end_char is not None:
        first, last = int(token.start_char), int(token.end_char)
        if first < after or last > len(text):
            raise ModelError(f"stanza's token '{token.text}' has offsets {first}:{last} outside its turn")
    else:
        first = after
        while first < len(text) and text[first].isspace():
            first += 1
        last = first + len(token.text)
    if token.start_char is None and text[first:last] != token.text:
        raise ModelError(f"stanza's token '{token.text}' is not in the text at {first}: {text[first:last]!r}")
    if text[after:first].strip():
        raise ModelError(f"stanza lost a piece of a text: {text[after:first]!r} before '{token.text}'")
    return first, last


def _word(word: Any) -> Word:
    return Word(
        form=word.text,
        upos=word.upos or "X",
        head=int(word.head),
        deprel=word.deprel,
        lemma=word.lemma or None,
        xpos=word.xpos or None,
        feats=word.feats or None,
    )


def _import_stanza() -> Any:
    try:
        return importlib.import_module("stanza")
    except ModuleNotFoundError:
        raise ConfigError(
            "the parser 'stanza' needs a package that is not installed; run `pip install 'rig[stanza]'`"
        ) from None


def _folder_sha256(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.pt")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()

"""UDPipe 1 in process (ufal.udpipe; Straka & Straková 2017): the default parser."""

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import ufal.udpipe

from rig.core.errors import DataError, ModelError
from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.parsers.base import AbstractParser
from rig.parsers.model_files import files_sha256, model_paths

_RANGE = re.compile(r"TokenRange=(\d+):(\d+)")
_LAYOUT_MISC = ("SpaceAfter=", "SpacesAfter=", "SpacesBefore=", "SpacesInToken=", "TokenRange=")


class UDPipeParser(AbstractParser):
    """One UDPipe model, or three in a chain: a tokenizer's, a tagger's and a parser's.

    Offsets are taken from the text itself by UDPipe's token ranges, so a contraction or a verb with a clitic
    keeps its surface form whatever words it is split into.
    """

    def __init__(self, model: str | Sequence[str]) -> None:
        """Load the model.

        Args:
            model: The name of a shipped model (`nano_pt`), the path of a model file, or the three paths of a
                tokenizer, a tagger and a parser.

        Raises:
            ConfigError: Neither one nor three files.
            DataError: A file is missing or is no UDPipe model.
        """
        self.name = "udpipe"
        self.version = version("ufal.udpipe")
        self.paths = model_paths(model)
        self.model_sha256 = files_sha256(self.paths)
        loaded = [_load(path) for path in self.paths]
        self._tokenizer, self._tagger, self._parser = loaded if len(loaded) == 3 else loaded * 3

    def parse(self, texts: Sequence[str]) -> list[tuple[Sentence, ...]]:
        """The sentences of each text, in order; `sent_id` counts them from 1 in each text.

        Raises:
            ModelError: The model lacks a tokenizer, a tagger or a parser, or lost a piece of the text.
        """
        return [tuple(self._sentences(text)) for text in texts]

    def _sentences(self, text: str) -> Iterator[Sentence]:
        tokenizer = self._tokenizer.newTokenizer("ranges")
        if tokenizer is None:
            raise ModelError(
                f"UDPipe model '{self.paths[0].name}' has no tokenizer; train it on raw text too"
            )
        tokenizer.setText(_plain(text))
        error = ufal.udpipe.ProcessingError()
        index, end = 0, 0
        while tokenizer.nextSentence(sentence := ufal.udpipe.Sentence(), error):
            self._tagger.tag(sentence, self._tagger.DEFAULT, error)
            self._parser.parse(sentence, self._parser.DEFAULT, error)
            if error.occurred():
                break
            index += 1
            parsed, end = _convert(sentence, text, sent_id=str(index), after=end)
            yield parsed
        if error.occurred():
            raise ModelError(f"UDPipe failed at sentence {index + 1} of a text: {error.message}")
        if text[end:].strip():
            raise ModelError(f"UDPipe lost the end of a text: {text[end : end + 40]!r}")


def _load(path: Path) -> Any:
    model = ufal.udpipe.Model.load(str(path))
    if model is None:
        raise DataError(f"'{path.name}' is not a UDPipe model; train one with `rig parser train`")
    return model


def _plain(text: str) -> str:
    """The text as UDPipe reads it: every white space a blank or a line feed, no NUL; positions unchanged."""
    if "\x00" not in text and text.isprintable():
        return text
    return "".join(
        "\ufffd" if char == "\x00" else " " if char.isspace() and char != "\n" else char for char in text
    )


def _convert(sentence: Any, text: str, *, sent_id: str, after: int) -> tuple[Sentence, int]:
    """A UDPipe sentence as ours, with the end of its text; `after` is where the one before it ended."""
    multiword = {token.idFirst: token for token in sentence.multiwordTokens}
    words, units = [], []
    start, end, inside = None, after, 0
    for node in list(sentence.words)[1:]:
        form = node.form
        if node.id > inside:
            token = multiword.get(node.id, node)
            first, last = _span(token.misc)
            if first < end or text[end:first].strip():
                raise ModelError(f"UDPipe lost a piece of a text: {text[end:first]!r} before {token.form!r}")
            start, end = first if start is None else start, last
            is_multiword = node.id in multiword
            inside = token.idLast if is_multiword else node.id
            form = node.form if is_multiword else text[first:last]
            units.append(
                SurfaceUnit(
                    form=text[first:last],
                    first_word=node.id,
                    last_word=inside,
                    space_after=last == len(text) or text[last].isspace(),
                    is_multiword=is_multiword,
                    misc=_misc(token.misc) if is_multiword else None,
                )
            )
        words.append(_word(node, form, keep_misc=inside == node.id and node.id not in multiword))
    parsed = Sentence(sent_id=sent_id, text=text[start:end], words=tuple(words), units=tuple(units))
    return parsed, end


def _word(node: Any, form: str, *, keep_misc: bool) -> Word:
    return Word(
        form=form,
        upos=node.upostag or "X",
        head=node.head,
        deprel=node.deprel,
        lemma=node.lemma or None,
        xpos=node.xpostag or None,
        feats=node.feats or None,
        misc=_misc(node.misc) if keep_misc else None,
    )


def _span(misc: str) -> tuple[int, int]:
    match = _RANGE.search(misc)
    if match is None:
        raise ModelError(f"UDPipe gave a token without its range, only {misc!r}; update ufal.udpipe")
    return int(match[1]), int(match[2])


def _misc(misc: str) -> str | None:
    kept = [pair for pair in misc.split("|") if pair and not pair.startswith(_LAYOUT_MISC)]
    return "|".join(kept) or None

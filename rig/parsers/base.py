"""The interface of a parser: raw text in, annotated sentences out."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from rig.core.sentences import Sentence


class AbstractParser(ABC):
    """A tokenizer, tagger and dependency parser of raw text."""

    name: str
    """For example `udpipe`."""
    version: str
    model_sha256: str
    """Hash over the model files; stands in every report that used the parser."""

    @abstractmethod
    def parse(self, texts: Sequence[str]) -> list[tuple[Sentence, ...]]:
        """The sentences of each text, in order.

        Each sentence's `text` is a slice of the text that it came from, in order, without overlap.
        """

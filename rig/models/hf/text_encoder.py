"""Text to a checkpoint's tokens with the characters that they span, and back.

What is read is tokenizer.json, the file that is hashed, without the special tokens that its post-processor
would add; a special token's name in a text is plain text. transformers is asked only for the special tokens'
roles, and whether it reads a sentence the same way: some of its classes put a pipeline of their own in place
of the file's.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
import numpy.typing as npt
import tokenizers
import transformers

from rig.core.errors import ModelError
from rig.core.fingerprint import fingerprint
from rig.models.hf.checkpoint import TOKENIZER
from rig.models.hf.pieces import Pieces, byte_pieces, unk_id
from rig.models.hf.spans import spans_by_offsets, spans_by_spelling
from rig.models.hf.special_tokens import SpecialTokens
from rig.models.tokenizer import Encoding, check_ids, utf8

_PROBE = "Não viu 12 gatos, é?\nThe End."
_NOT_ENCODING = ("version", "truncation", "padding", "post_processor", "decoder")
"""The parts of a tokenizer.json that change no text's tokens."""


@final
class TextEncoder:
    """A checkpoint's tokenizer.

    Args:
        directory: Holds tokenizer.json, looked at by `rig.models.hf.checkpoint`.

    Attributes:
        vocabulary: Token to id, special ones included.
        special: The special tokens.
        unk_id: The id of what the vocabulary can't spell; None if it spells everything.
        is_code_length: Whether every text can be read back from its tokens.
        sha256: The same for tokenizers that encode every text alike.
    """

    def __init__(self, directory: Path) -> None:
        path = directory / TOKENIZER
        try:
            loaded = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises Exception itself
            raise ModelError(f"'{path}' can't be read as a tokenizer: {error}") from error
        description: dict[str, Any] = json.loads(loaded.to_str())
        description.update(truncation=None, padding=None, post_processor=None)
        if description["model"].get("dropout"):
            description["model"]["dropout"] = None  # a regulariser of training: it makes encoding random
        self._backend = tokenizers.Tokenizer.from_str(json.dumps(description))
        self._backend.encode_special_tokens = True
        self._pieces = Pieces.of(description)
        self.vocabulary = self._backend.get_vocab(with_added_tokens=True)
        self.special = _special_tokens(directory, self._backend, description)
        self.is_code_length = self._pieces is not None and self._pieces.spells_anything
        self.unk_id = None if self.is_code_length else unk_id(description)
        self.sha256 = fingerprint({k: v for k, v in description.items() if k not in _NOT_ENCODING})
        self._forbidden = np.array(sorted(set(self.special.id_of.values()) - {self.unk_id}), np.int64)

    def encode(self, texts: Sequence[str], *, names: Iterable[str]) -> list[Encoding]:
        """The tokens of each text, without special ones; spans tile the text.

        Args:
            texts: As they are; nothing is normalised but what the tokenizer does for itself.
            names: What each text is, for messages, such as "document 'd1'".

        Raises:
            DataError: A text is not valid Unicode.
            ModelError: A token's characters can't be made sure of, or a text turns into a special token.
        """
        return [self._encode(text, name) for text, name in zip(texts, names, strict=True)]

    def decode(self, ids: Sequence[int] | npt.NDArray[np.int64]) -> str:
        """The text of some tokens; bytes that are no UTF-8 write U+FFFD.

        A tokenizer whose entries don't spell their spaces writes them as its own decoder does.

        Raises:
            ModelError: An id lies outside the vocabulary.
        """
        checked = check_ids(ids, max(self.vocabulary.values()) + 1)
        if self._pieces is None:
            text: str = self._backend.decode(checked.tolist(), skip_special_tokens=False)
            return text
        written = b"".join(self._pieces.data[index] for index in checked).decode("utf-8", "replace")
        return written.replace(self._pieces.space, " ")

    def speakable(self, n_vocabulary: int) -> npt.NDArray[np.bool_]:
        """(n_vocabulary,) which ids write text: entries of the vocabulary that are no special token."""
        entries = np.array(sorted(set(self.vocabulary.values()) - set(self.special.id_of.values())), np.int64)
        mask = np.zeros(n_vocabulary, np.bool_)
        mask[entries] = True
        return mask

    def _encode(self, text: str, where: str) -> Encoding:
        utf8(text)  # refuses half of a surrogate pair
        encoded = self._backend.encode(text, add_special_tokens=False)
        token_id = np.array(encoded.ids, np.int64)
        special = np.flatnonzero(np.isin(token_id, self._forbidden))
        if special.size:
            start, end = encoded.offsets[special[0]]
            raise ModelError(
                f"{where}: the tokenizer turns characters {start} to {end}, {text[start:end]!r}, into its "
                f"special token {encoded.tokens[special[0]]!r}, which is no text; leave the document out, or "
                "use a tokenizer that doesn't"
            )
        if self._pieces is not None:
            encoding = spans_by_spelling(text, token_id, self._pieces)
            if encoding is not None:
                return encoding
        return spans_by_offsets(text, token_id, encoded.offsets, where=where)


def _special_tokens(
    directory: Path, backend: tokenizers.Tokenizer, description: dict[str, Any]
) -> SpecialTokens:
    try:
        theirs = transformers.AutoTokenizer.from_pretrained(
            directory, use_fast=True, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ImportError) as error:
        raise ModelError(
            f"transformers can't load the tokenizer in '{directory}': {type(error).__name__}: {error}"
        ) from error
    _check_same(directory, backend, theirs)
    roles: dict[str, Any] = theirs.special_tokens_map
    named = {
        name.removesuffix("_token"): str(token)
        for name, token in roles.items()
        if not isinstance(token, list | dict)
    }
    declared = [entry["content"] for entry in description["added_tokens"] if entry["special"]]
    bytes_of_text = byte_pieces(description)  # a trainer of tokenizers can add them as special tokens only
    tokens = [token for token in dict.fromkeys([*named.values(), *declared]) if token not in bytes_of_text]
    id_of = {token: index for token in tokens if (index := backend.token_to_id(token)) is not None}
    return SpecialTokens(
        by_role={role: token for role, token in named.items() if token in id_of}, id_of=id_of
    )


def _check_same(directory: Path, backend: tokenizers.Tokenizer, theirs: Any) -> None:
    own = backend.encode(_PROBE, add_special_tokens=False).ids
    other = theirs(_PROBE, add_special_tokens=False)["input_ids"]
    if own != other:
        raise ModelError(
            f"transformers' {type(theirs).__name__} reads text otherwise than '{directory / TOKENIZER}' says "
            f"({len(other)} tokens for {len(own)} in {_PROBE!r}), so one of them did not train the model; "
            "save the tokenizer again as it was in training (if it was the file: "
            f"`PreTrainedTokenizerFast(tokenizer_file=...)`, with its special tokens, then `save_pretrained`)"
        )

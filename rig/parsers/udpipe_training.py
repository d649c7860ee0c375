"""Training of a UDPipe 1 model: tokenizer, tagger and parser in one file."""

from dataclasses import dataclass
from typing import Any, final

import ufal.udpipe

from rig.core.errors import DataError, ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class UDPipeSettings:
    """Options of the three trainers, in UDPipe's own words.

    The defaults are small: on 3,000 sentences of a closed vocabulary they train in half a minute. On a
    treebank of 10,000 sentences they need some minutes.
    """

    tokenizer: str = "epochs=4;dimension=16;batch_size=50;early_stopping=0"
    tagger: str = (
        "iterations=4;use_lemma=0;provide_lemma=0;use_xpostag=0;provide_xpostag=0;use_feats=1;"
        "guesser_suffix_rules=3;guesser_enrich_dictionary=1;guesser_prefixes_max=0;prune_features=1"
    )
    parser: str = (
        "iterations=3;hidden_layer=32;embedding_upostag=8;embedding_feats=8;embedding_form=16;"
        "embedding_deprel=8;transition_system=projective;transition_oracle=static;structured_interval=0;"
        "use_gold_tags=1"
    )


def train_udpipe(train: str, *, held_out: str = "", settings: UDPipeSettings | None = None) -> bytes:
    """Train a model on CoNLL-U text. UDPipe writes its progress to standard error.

    Deterministic: UDPipe's generators have fixed seeds, so the same text and settings give the same bytes.

    Args:
        train: CoNLL-U sentences.
        held_out: CoNLL-U sentences for early stopping; may be empty.
        settings: Trainer options.

    Returns:
        The model file's bytes.

    Raises:
        DataError: `train` has no sentence or is not CoNLL-U.
        ModelError: UDPipe refused the options or the data.
    """
    chosen = settings or UDPipeSettings()
    sentences = read_conllu(train)
    if not len(sentences):
        raise DataError("a UDPipe model needs train sentences, got none; give annotations with a train split")
    error = ufal.udpipe.ProcessingError()
    model: bytes = ufal.udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        read_conllu(held_out),
        chosen.tokenizer,
        chosen.tagger,
        chosen.parser,
        error,
    )
    if error.occurred():
        raise ModelError(f"UDPipe could not train: {error.message}")
    return model


def read_conllu(text: str) -> Any:
    """CoNLL-U text as a `ufal.udpipe.Sentences`.

    Raises:
        DataError: The text is not CoNLL-U.
    """
    reader, error = ufal.udpipe.InputFormat.newConlluInputFormat(), ufal.udpipe.ProcessingError()
    reader.setText(text)
    sentences = ufal.udpipe.Sentences()
    while reader.nextSentence(sentence := ufal.udpipe.Sentence(), error):
        sentences.append(sentence)
    if error.occurred():
        raise DataError(f"UDPipe can't read the CoNLL-U text to train on: {error.message}")
    return sentences

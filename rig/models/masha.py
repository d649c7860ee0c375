"""The morphemic prior of the MASHA kinds: what tokens with a common morpheme share.

This is the project's own reading of the idea, not its authors' code, which is not public. Three switches:

A  `embedding`: a token's input embedding is its own plus the sum of its morphemes' embeddings.
B  `attention_bias`: `bias_strength` is added to the attention score of a query and a key that have a
   morpheme in common (a token has all of its own in common with itself), in every head and block.
C  `output_logits`: the logit of a token gains, for each of its morphemes, the product of the last state with
   that morpheme's output vector.

A token's morphemes are a function of its own vocabulary string, never of the later pieces of its word: those
are what the model has to predict, and to look at them would be a leak.

A and C are sums over a fixed set, so they are computed on the tables and not on the text: the transformer is
given the table `emb + S m` and the head `head + (S u)'`, where S is the (V, M) incidence of morphemes in
tokens. Morpheme tables begin at zero, so that at the first step A and C compute what the baseline computes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt
import scipy.sparse

from rig.models.morphemes import MorphemeTable
from rig.models.parameters import Array

EMBEDDING, OUTPUT = "morpheme_embedding", "morpheme_output"
"""Names of the trained tables, each (M, D)."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """Which parts of the prior a kind has."""

    embedding: bool = False
    """A."""
    attention_bias: bool = False
    """B."""
    output_logits: bool = False
    """C."""
    bias_strength: float = 0.0
    """Of B, in units of an attention score; finite."""

    @property
    def any(self) -> bool:
        """True if morphemes matter at all; without them the kind is the baseline."""
        return self.embedding or self.attention_bias or self.output_logits


@final
class MorphemicPrior:
    """The prior over one vocabulary.

    Attributes:
        switches: Which parts are on.
        n_morphemes: M.
        morpheme_id: (V, K) each token's morphemes, padded with -1.
    """

    def __init__(self, table: MorphemeTable, switches: Switches, dtype: npt.DTypeLike = np.float32) -> None:
        self.switches = switches
        self.n_morphemes = len(table.morphemes)
        self.morpheme_id = table.morpheme_id
        self._dtype = np.dtype(dtype)
        tokens, columns = np.nonzero(table.morpheme_id >= 0)
        ones = np.ones(len(tokens), dtype)
        entries = (ones, (tokens, table.morpheme_id[tokens, columns]))
        incidence = scipy.sparse.csr_array(entries, shape=(len(table.morpheme_id), self.n_morphemes))
        self._incidence = incidence
        self._incidence_t = scipy.sparse.csr_array(incidence.T)

    def shapes(self, d_model: int) -> dict[str, tuple[int, ...]]:
        """The trained tables that the switches ask for."""
        wanted = {EMBEDDING: self.switches.embedding, OUTPUT: self.switches.output_logits}
        return {name: (self.n_morphemes, d_model) for name, is_on in wanted.items() if is_on}

    def embedding_table(self, emb: Array, tables: Mapping[str, Array]) -> Array:
        """(V, D) the embeddings that the transformer sees: `emb` itself without A."""
        return emb + self._incidence @ tables[EMBEDDING] if self.switches.embedding else emb

    def head_table(self, head: Array, tables: Mapping[str, Array]) -> Array:
        """(D, V) the projection that the transformer sees: `head` itself without C."""
        return head + (self._incidence @ tables[OUTPUT]).T if self.switches.output_logits else head

    def gather_gradients(self, d_emb: Array, d_head: Array, gradients: Mapping[str, Array]) -> None:
        """Write the gradients in the morpheme tables, given those in the tables that the transformer saw."""
        if self.switches.embedding:
            gradients[EMBEDDING][...] = self._incidence_t @ d_emb
        if self.switches.output_logits:
            gradients[OUTPUT][...] = self._incidence_t @ np.ascontiguousarray(d_head.T)

    def attention_bias(self, ids: npt.NDArray[np.int64]) -> Array | None:
        """B's bias for sequences of ids (B, T): (B, T, T), query by key; None without B."""
        if not self.switches.attention_bias:
            return None
        bias: Array = self.shares_morpheme(ids).astype(self._dtype)
        bias *= self.switches.bias_strength
        return bias

    def shares_morpheme(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Of each pair of tokens in a sequence, whether they have a morpheme in common: (B, T, T)."""
        morphemes = self.morpheme_id[ids]
        shared = np.zeros((*ids.shape, ids.shape[1]), np.bool_)
        width = morphemes.shape[2]
        for i in range(width):
            a = morphemes[:, :, i, None]
            a = np.where(a < 0, -2, a)  # padding (-1) equals nothing
            for j in range(width):
                shared |= a == morphemes[:, None, :, j]
        return shared

"""Four yes-or-no conditions on a parsed sentence: A well formed, B licit, C a finite verb, D agreement.

A parser always gives a tree, for word salad too; A alone says nothing about a text. The rules of B are those
of level 3 of the Universal Dependencies validator (`validate.py`: rel-upos-*, leaf-*, right-to-left-*,
too-many-*) that need no language-specific list; where it warns about a word with a `fixed` child we are
silent too. Relations are compared without their subtype.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from rig.core.sentences import UPOS_TAGS, Sentence, Word

RELATIONS: frozenset[str] = frozenset({
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound",
    "conj", "cop", "csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat",
    "goeswith", "iobj", "list", "mark", "nmod", "nsubj", "nummod", "obj", "obl", "orphan",
    "parataxis", "punct", "reparandum", "root", "vocative", "xcomp",
})  # fmt: skip
"""The 37 universal relations of Universal Dependencies, version 2."""

_NOT_MARKERS = frozenset({"NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "VERB", "AUX", "INTJ"})
_ALL_TAGS = frozenset(UPOS_TAGS)

LICIT_TAGS: Mapping[str, frozenset[str]] = {
    "det": frozenset({"DET", "PRON"}),
    "nummod": frozenset({"NUM", "NOUN", "SYM"}),
    "advmod": frozenset({"ADV", "ADJ", "CCONJ", "DET", "PART", "SYM"}),
    "expl": frozenset({"PRON", "DET", "PART"}),
    "aux": frozenset({"AUX"}),
    "cop": frozenset({"AUX", "PRON", "DET", "SYM"}),
    "punct": frozenset({"PUNCT"}),
    "case": _ALL_TAGS - {"PROPN", "ADJ", "PRON", "DET", "NUM", "AUX"},
    "mark": _ALL_TAGS - _NOT_MARKERS,
    "cc": _ALL_TAGS - _NOT_MARKERS,
}
"""Relation to the tags that its dependent may carry."""

_PATCHES = frozenset({"goeswith", "fixed", "reparandum", "conj", "punct"})

LICIT_CHILDREN: Mapping[str, frozenset[str]] = {
    "det": _PATCHES | {"advmod", "obl", "nmod", "cc", "case", "det", "nummod"},
    "case": _PATCHES | {"advmod", "obl", "cc"},
    "mark": _PATCHES | {"advmod", "obl", "cc"},
    "aux": _PATCHES | {"cc"},
    "cop": _PATCHES | {"cc"},
    "cc": _PATCHES,
    "punct": frozenset({"punct"}),
}
"""Relation of a function word to the relations that its own dependents may have."""

RIGHTWARD: frozenset[str] = frozenset({"conj", "flat", "fixed", "appos", "goeswith"})
"""Relations whose dependent follows its head."""

_AGREEING_FEATURES = ("Gender", "Number")
_CHECKABLE = frozenset({"Masc", "Fem", "Sing", "Plur"})


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TreeChecks:
    """What the four conditions say of one sentence. B, C and D are False where A is."""

    well_formed: bool
    """A: one root, heads in range, every word reaches the root, tags and relations are universal ones."""
    licit: bool
    """B: function words carry licit tags and dependents, at most one subject and one object a head."""
    finite: bool
    """C: at least one VERB or AUX with VerbForm=Fin."""
    agrees: bool
    """D: determiners and adjectives agree with their NOUN in gender and number, subjects with their finite
    verb (or its finite auxiliary or copula) in number; a coordinated subject and an unmarked word agree."""


def check_tree(sentence: Sentence) -> TreeChecks:
    """Conditions A to D of one parsed sentence."""
    words = sentence.words
    if not is_well_formed(words):
        return TreeChecks(well_formed=False, licit=False, finite=False, agrees=False)
    children = children_of(words)
    return TreeChecks(
        well_formed=True,
        licit=is_licit(words, children),
        finite=any(_is_finite(word) for word in words),
        agrees=all(_agrees(position, words, children) for position in range(1, len(words) + 1)),
    )


def relation(word: Word) -> str:
    """The universal part of a word's relation: `nsubj` for `nsubj:pass`."""
    return word.deprel.partition(":")[0]


def children_of(words: tuple[Word, ...]) -> tuple[tuple[int, ...], ...]:
    """Of each node, 0 above the root and 1..n for words, its dependents' positions, left to right."""
    children: list[list[int]] = [[] for _ in range(len(words) + 1)]
    for position, word in enumerate(words, start=1):
        children[word.head].append(position)
    return tuple(tuple(positions) for positions in children)


def is_well_formed(words: tuple[Word, ...]) -> bool:
    """Condition A: whether the heads make one tree over all words, with universal tags and relations."""
    n_words = len(words)
    if [word.head for word in words].count(0) != 1:
        return False
    for position, word in enumerate(words, start=1):
        in_range = 0 <= word.head <= n_words and word.head != position
        named = word.upos in _ALL_TAGS and relation(word) in RELATIONS
        if not in_range or not named or (word.head == 0) != (relation(word) == "root"):
            return False
    # One root and n - 1 arcs: a tree if and only if every word is reached from the root.
    children = children_of(words)
    reached, todo = 0, list(children[0])
    while todo:
        reached += 1
        todo.extend(children[todo.pop()])
    return reached == n_words


def is_licit(words: tuple[Word, ...], children: tuple[tuple[int, ...], ...]) -> bool:
    """Condition B of a well-formed tree."""
    for position, word in enumerate(words, start=1):
        name = relation(word)
        dependents = [words[child - 1] for child in children[position]]
        relations = [relation(dependent) for dependent in dependents]
        is_fixed = "fixed" in relations or "goeswith" in relations
        if not is_fixed and word.upos not in LICIT_TAGS.get(name, _ALL_TAGS):
            return False
        if name in LICIT_CHILDREN and not LICIT_CHILDREN[name].issuperset(relations):
            return False
        if name in RIGHTWARD and word.head > position:
            return False
        if word.upos == "PUNCT" and name not in {"punct", "root"}:
            return False
        subjects = [d for d in dependents if relation(d) in {"nsubj", "csubj"} and ":outer" not in d.deprel]
        if len(subjects) > 1 or relations.count("obj") > 1:
            return False
    return True


def features(word: Word) -> dict[str, str]:
    """FEATS as a dictionary, empty for None."""
    if word.feats is None:
        return {}
    return dict(pair.split("=", 1) for pair in word.feats.split("|") if "=" in pair)


def _is_finite(word: Word) -> bool:
    return word.upos in {"VERB", "AUX"} and features(word).get("VerbForm") == "Fin"


def _agrees(position: int, words: tuple[Word, ...], children: tuple[tuple[int, ...], ...]) -> bool:
    word = words[position - 1]
    if word.head == 0:
        return True
    head = words[word.head - 1]
    name = relation(word)
    if name in {"det", "amod"}:
        return head.upos != "NOUN" or _compatible(word, head, _AGREEING_FEATURES)
    if name == "nsubj":
        subject = _bearer_of_number(position, words)
        is_coordinated = any(relation(words[child - 1]) == "conj" for child in children[subject])
        verb = _finite_part(head, [words[child - 1] for child in children[word.head]])
        return is_coordinated or verb is None or _compatible(words[subject - 1], verb, ("Number",))
    return True


def _bearer_of_number(position: int, words: tuple[Word, ...]) -> int:
    """The position of the word whose number a subject shows: itself, or a bare relative's antecedent.

    Some treebanks give the relative `que` its antecedent's number, some give it none.
    """
    subject = words[position - 1]
    clause = words[subject.head - 1]
    is_relative = subject.upos == "PRON" and "Number" not in features(subject)
    return clause.head if is_relative and clause.deprel == "acl:relcl" else position


def _finite_part(predicate: Word, dependents: list[Word]) -> Word | None:
    """The word of a predicate that shows the subject's number: its finite auxiliary or copula, or itself."""
    for dependent in dependents:
        if relation(dependent) in {"aux", "cop"} and _is_finite(dependent):
            return dependent
    return predicate if _is_finite(predicate) else None


def _compatible(one: Word, other: Word, names: tuple[str, ...]) -> bool:
    mine, theirs = features(one), features(other)
    for name in names:
        pair = {mine.get(name), theirs.get(name)}
        if len(pair) == 2 and pair <= _CHECKABLE:
            return False
    return True

"""The sentences of `nano_pt`: phrase rules with UD relations, and the two grammars that share them.

Noun phrases come at three levels: 0 has no noun inside but its own, 1 may hold a prepositional phrase, 2 also
two nested ones and relative clauses. Subjects of main clauses are of level 2, so attractors come often. Each
string has one tree but for rare forms with two analyses.
"""

from functools import cache
from typing import Final

from rig.data.nano_pt import words
from rig.data.nano_pt.grammar import Grammar, GrammarBuilder
from rig.data.nano_pt.words import CELLS, GENDERS, NUMBERS

CLASS_WEIGHTS: Final = {"P": 0.5, "T": 0.25, "A": 0.25}
OBJECT_CLASSES: Final = {"T": {"P": 0.5, "T": 0.5}, "A": {"P": 0.4, "T": 0.2, "A": 0.4}}
"""What the verbs of things and of abstractions act on."""
PERSON_FRAMES: Final = {"P": 0.3, "T": 0.4, "A": 0.3}
"""How often a person's transitive verb takes each class of object."""
PASSIVE_SHARE: Final = 0.04
"""Of clauses."""


@cache
def train_grammar() -> Grammar:
    """The grammar of the train and validation splits: without the held-out derived nouns."""
    return _build(with_held_out=False)


@cache
def test_grammar() -> Grammar:
    """The grammar of the test split and of the tasks: the train grammar with the held-out derived nouns."""
    return _build(with_held_out=True)


def _build(*, with_held_out: bool) -> Grammar:
    builder = GrammarBuilder()
    words.add_nouns(builder, with_held_out=with_held_out)
    words.add_adjectives(builder)
    words.add_verbs(builder)
    words.add_multiword_tokens(builder)
    words.add_function_words(builder)
    _add_noun_phrases(builder)
    _add_prepositional_phrases(builder)
    _add_relative_clauses(builder)
    _add_verb_phrases(builder)
    _add_clauses(builder)
    _add_sentences(builder)
    return builder.build()


def _add_noun_phrases(builder: GrammarBuilder) -> None:
    for kind in CLASS_WEIGHTS:
        for gender, number in CELLS:
            cell = f"{gender}.{number}"
            noun, adjective = f"N.{kind}.{cell}", f"ADJ.{cell}:amod"
            bare, one, two = (f"NB{level}.{kind}.{cell}" for level in (0, 1, 2))
            builder.rule(bare, 0.7, noun)
            builder.rule(bare, 0.22, noun, adjective)
            builder.rule(bare, 0.08, f"ADJPRE.{cell}:amod", noun)
            builder.rule(one, 0.7, bare)
            builder.rule(one, 0.3, noun, "PP0:nmod")
            relative = f"REL.{kind}.{cell}:acl:relcl"
            builder.rule(two, 0.35, bare)
            builder.rule(two, 0.22, noun, "PP0:nmod")
            builder.rule(two, 0.06, noun, adjective, "PP0:nmod")
            builder.rule(two, 0.14, noun, "PP1:nmod")
            builder.rule(two, 0.18, noun, relative)
            builder.rule(two, 0.05, noun, f"RELCOMMA.{kind}.{cell}:acl:relcl", "COMMA:punct")
            for level, bar in enumerate((bare, one, two)):
                builder.rule(f"NP{level}.{kind}.{cell}", 1.0, f"DET.{cell}:det", bar)
                if level < 2:
                    builder.rule(f"ANY{level}.{kind}", 1.0, f"NP{level}.{kind}.{cell}")
    for kind in CLASS_WEIGHTS:
        for gender, number in CELLS:
            cell = f"{gender}.{number}"
            pair = f"PAIR.{kind}.{gender}"
            second = [(gender, number)] if gender == "f" else list(CELLS)
            for other_gender, other_number in second:
                builder.rule(
                    pair, 1.0, f"NP0.{kind}.{cell}", f"CONJ.{kind}.{other_gender}.{other_number}:conj"
                )
            builder.rule(f"CONJ.{kind}.{cell}", 1.0, "AND:cc", f"NP0.{kind}.{cell}")


def _add_prepositional_phrases(builder: GrammarBuilder) -> None:
    for kind, weight in CLASS_WEIGHTS.items():
        builder.rule("ANYTHING0", weight, f"ANY0.{kind}")
        for gender, number in CELLS:
            cell = f"{gender}.{number}"
            for level in (0, 1):
                builder.rule(f"PP{level}", 0.85 * weight, f"CNOUN.{cell}:mwt", f"NB{level}.{kind}.{cell}")
            if kind != "P":
                builder.rule("PPVERB", 0.6 * weight, f"CVERB.{cell}:mwt", f"NB0.{kind}.{cell}")
    for level in (0, 1):
        builder.rule(f"PP{level}", 0.3, "ADP.nmod:case", "ANYTHING0")
        builder.rule(f"PP{level}", 0.12, "DELE")
    builder.rule("PP0", 0.12, "EM:case", "PLACE")
    builder.rule("PPVERB", 0.3, "ADP.obl:case", "ANYTHING0")
    builder.rule("PPVERB", 0.15, "EM:case", "PLACE")
    for gender, number in CELLS:
        cell = f"{gender}.{number}"
        builder.rule("AGENT", 1.0, f"Cpor.{cell}:mwt", f"NB0.P.{cell}")
        builder.rule("RECIPIENT", 1.0, f"Ca.{cell}:mwt", f"NB0.P.{cell}")
    for gender in GENDERS:
        builder.rule("AGENT", 0.4, "POR:case", f"NAME.{gender}")


def _add_relative_clauses(builder: GrammarBuilder) -> None:
    for kind in CLASS_WEIGHTS:
        for gender, number in CELLS:
            for name, opening in (("REL", ()), ("RELCOMMA", ("COMMA:punct",))):
                symbol = f"{name}.{kind}.{gender}.{number}"
                builder.rule(symbol, 0.55, *opening, "WHICH:nsubj", f"RELVP.{kind}.{gender}.{number}")
                for embedded in NUMBERS:
                    builder.rule(
                        symbol,
                        0.225,
                        *opening,
                        "WHICH:obj",
                        f"OWNER.{embedded}:nsubj",
                        f"V.P>{kind}.{embedded}",
                    )
            symbol = f"RELVP.{kind}.{gender}.{number}"
            builder.rule(symbol, 0.55, f"TRANS0.{kind}.{number}")
            builder.rule(symbol, 0.25, f"V.{kind}.{number}", "PPVERB:obl")
            builder.rule(symbol, 0.2, f"COP.{number}:cop", f"ADJ.{gender}.{number}")
    for gender, number in CELLS:
        builder.rule(f"OWNER.{number}", 0.75, f"NP0.P.{gender}.{number}")
        builder.rule(f"OWNER.{number}", 0.25, f"NP1.P.{gender}.{number}")


def _add_verb_phrases(builder: GrammarBuilder) -> None:
    for kind in CLASS_WEIGHTS:
        for frame, target, weight in _transitive(kind):
            bare, longer = f"ANY0.{target}:obj", f"ANY1.{target}:obj"
            for number in NUMBERS:
                builder.rule(f"TRANS0.{kind}.{number}", weight, f"V.{frame}.{number}", bare)
                builder.rule(f"TRANS1.{kind}.{number}", weight, f"V.{frame}.{number}", longer)
            builder.rule(f"TRANSINF.{kind}", weight, f"INF.{frame}", bare)
            builder.rule(f"TRANSTER.{kind}", weight, f"TER.{frame}", bare)
    for kind in CLASS_WEIGHTS:
        for gender, number in CELLS:
            cell = f"{kind}.{gender}.{number}"
            core, verb_phrase, passive = (f"{name}.{cell}" for name in ("CORE", "VP", "PASSIVE"))
            auxiliary, participle = f"PASS.{number}:aux:pass", f"PART.{cell}"
            builder.rule(passive, 0.85, auxiliary, participle, "AGENT:obl:agent")
            builder.rule(passive, 0.15, "ADVPRE:advmod", auxiliary, participle, "AGENT:obl:agent")
            builder.rule(verb_phrase, 0.85, core)
            builder.rule(verb_phrase, 0.15, "ADVPRE:advmod", core)
            builder.rule(core, 0.06, f"V.{kind}.{number}")
            builder.rule(core, 0.1, f"V.{kind}.{number}", "ADV:advmod")
            builder.rule(core, 0.14, f"V.{kind}.{number}", "PPVERB:obl")
            builder.rule(core, 0.24, f"TRANS1.{kind}.{number}")
            builder.rule(core, 0.15, f"COP.{number}:cop", f"ADJ.{gender}.{number}")
            builder.rule(core, 0.06, f"MODAL.{number}:aux", f"TRANSINF.{kind}")
            builder.rule(core, 0.03, f"MODAL.{number}:aux", f"INF.{kind}", "ADV:advmod")
            builder.rule(core, 0.05, f"PERFECT.{number}:aux", f"TRANSTER.{kind}")
            if kind == "P":
                builder.rule(core, 0.05, f"VO.{number}", "ADV:advmod")
                builder.rule(core, 0.03, f"VD.{number}", "ANY0.T:obj")
                builder.rule(core, 0.05, f"V.give.{number}", "ANY0.T:obj", "RECIPIENT:obl")


def _transitive(kind: str) -> list[tuple[str, str, float]]:
    """Frame, class of the object and weight of the transitive verbs of a subject's class."""
    if kind == "P":
        return [(f"P>{target}", target, weight) for target, weight in PERSON_FRAMES.items()]
    return [(f"{kind}>", target, weight) for target, weight in OBJECT_CLASSES[kind].items()]


def _add_clauses(builder: GrammarBuilder) -> None:
    for name, level in (("CLAUSE", 2), ("INNER", 1)):
        for kind, weight in CLASS_WEIGHTS.items():
            for gender, number in CELLS:
                cell = f"{kind}.{gender}.{number}"
                _add_clause(builder, name, 0.8 * weight / 4, f"NP{level}.{cell}", cell)
            for gender in GENDERS:
                _add_clause(builder, name, 0.03 * weight, f"PAIR.{kind}.{gender}", f"{kind}.{gender}.p")
        for gender, number in CELLS:
            _add_clause(builder, name, 0.07 / 4, f"PRON.{gender}.{number}", f"P.{gender}.{number}")
        for gender in GENDERS:
            _add_clause(builder, name, 0.035, f"NAME.{gender}", f"P.{gender}.s")


def _add_clause(builder: GrammarBuilder, name: str, weight: float, subject: str, cell: str) -> None:
    """An active and a passive clause of one subject; `cell` is what the predicate agrees with."""
    builder.rule(name, weight * (1 - PASSIVE_SHARE), f"{subject}:nsubj", f"VP.{cell}")
    builder.rule(name, weight * PASSIVE_SHARE, f"{subject}:nsubj:pass", f"PASSIVE.{cell}")


def _add_sentences(builder: GrammarBuilder) -> None:
    stop = "STOP:punct"
    builder.rule("S", 0.66, "CLAUSE", stop)
    builder.rule("S", 0.07, "FRONTADV:advmod", "CLAUSE", stop)
    builder.rule("S", 0.04, "FRONTPP:obl", "CLAUSE", stop)
    builder.rule("S", 0.06, "CLAUSE", "SECOND:conj", stop)
    builder.rule("S", 0.05, "WHENCLAUSE:advcl", "CLAUSE", stop)
    builder.rule("S", 0.03, "CLAUSE", "BECAUSECLAUSE:advcl", stop)
    for gender, number in CELLS:
        builder.rule(
            "S", 0.07 / 4, f"NP2.P.{gender}.{number}:nsubj", f"V.report.{number}", "THATCLAUSE:ccomp", stop
        )
    for gender in GENDERS:
        builder.rule("S", 0.01, f"NAME.{gender}:nsubj", "V.report.s", "THATCLAUSE:ccomp", stop)
    builder.rule("FRONTADV", 1.0, "ADVFRONT", "COMMA:punct")
    for gender, number in CELLS:
        for kind in "TA":
            cell = f"{gender}.{number}"
            builder.rule("FRONTPP", 1.0, f"CVERB.{cell}:mwt", f"NB0.{kind}.{cell}", "COMMA:punct")
    builder.rule("FRONTPP", 2.0, "EM:case", "PLACE", "COMMA:punct")
    builder.rule("SECOND", 1.0, "COMMA:punct", "BUT:cc", "INNER")
    builder.rule("WHENCLAUSE", 1.0, "WHEN:mark", "INNER", "COMMA:punct")
    builder.rule("BECAUSECLAUSE", 1.0, "BECAUSE:mark", "INNER")
    builder.rule("THATCLAUSE", 1.0, "THAT:mark", "INNER")

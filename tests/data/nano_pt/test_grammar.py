import math

import pytest

from rig.data.nano_pt import lexicon, syntax, words
from rig.data.nano_pt.grammar import START, Grammar, GrammarBuilder, LexicalWord

A_WORD = LexicalWord("a", "a", "X")


def both() -> list[Grammar]:
    return [syntax.train_grammar(), syntax.test_grammar()]


def test_weights_become_probabilities() -> None:
    builder = GrammarBuilder()
    builder.rule("S", 3.0, "A")
    builder.rule("S", 1.0, "A:dep", "A")
    builder.emit_ranked("A", [("a", A_WORD), ("b", A_WORD)])
    grammar = builder.build()
    assert [rule.probability for rule in grammar.rules["S"]] == [0.75, 0.25]
    assert [item.probability for item in grammar.emissions["A"]] == pytest.approx([2 / 3, 1 / 3])
    assert [rule.head for rule in grammar.rules["S"]] == [0, 1]


def test_a_rule_needs_one_head() -> None:
    with pytest.raises(ValueError, match="exactly one child without relation"):
        GrammarBuilder().rule("S", 1.0, "A", "B")


def test_an_undefined_symbol_is_refused() -> None:
    builder = GrammarBuilder()
    builder.rule("S", 1.0, "A")
    with pytest.raises(ValueError, match="S uses A, which is not defined"):
        builder.build()


def test_a_symbol_with_rules_and_emissions_is_refused() -> None:
    builder = GrammarBuilder()
    builder.rule("S", 1.0, "A")
    builder.emit("A", 1.0, "a", A_WORD)
    builder.rule("A", 1.0, "S")
    with pytest.raises(ValueError, match="both rules and emissions"):
        builder.build()


@pytest.mark.parametrize("grammar", both())
def test_every_distribution_sums_to_one(grammar: Grammar) -> None:
    for symbol, rules in grammar.rules.items():
        assert math.fsum(rule.probability for rule in rules) == pytest.approx(1.0, abs=1e-12), symbol
    for symbol, emissions in grammar.emissions.items():
        assert math.fsum(item.probability for item in emissions) == pytest.approx(1.0, abs=1e-12), symbol


@pytest.mark.parametrize("grammar", both())
def test_every_symbol_is_used_and_none_reaches_itself(grammar: Grammar) -> None:
    reached: dict[str, None] = {}

    def visit(symbol: str, path: tuple[str, ...]) -> None:
        assert symbol not in path
        if symbol in reached:
            return
        reached[symbol] = None
        for rule in grammar.rules.get(symbol, ()):
            for child in rule.children:
                visit(child.symbol, (*path, symbol))

    visit(START, ())
    assert sorted(reached) == sorted([*grammar.rules, *grammar.emissions])


def test_the_two_grammars_differ_in_lexicon_only() -> None:
    train, test = both()
    assert train.rules == test.rules
    assert list(train.emissions) == list(test.emissions)
    lemmas = {item.words[0].lemma for items in test.emissions.values() for item in items} - {
        item.words[0].lemma for items in train.emissions.values() for item in items
    }
    assert lemmas == set(lexicon.HELD_OUT.split())


def test_a_fifth_of_the_derived_nouns_is_held_out_and_their_bases_are_not() -> None:
    nouns = [entry for entries in words.derived_nouns().values() for entry in entries]
    held_out = [entry for entry in nouns if "HeldOut=Yes" in (entry.misc or "")]
    assert 0.18 <= len(held_out) / len(nouns) <= 0.22
    assert len(held_out) == len(lexicon.HELD_OUT.split())
    train_lemmas = {item.words[0].lemma for items in both()[0].emissions.values() for item in items}
    for entry in held_out:
        base = (entry.misc or "").split("|")[0].removeprefix("Base=")
        assert base in train_lemmas


def test_the_vocabulary_can_be_read_back_from_text() -> None:
    vocabulary = syntax.test_grammar().vocabulary
    assert 1_200 <= len(vocabulary) <= 1_700
    assert len({surface.lower() for surface in vocabulary}) == len(vocabulary)
    assert not any(" " in surface for surface in vocabulary)


def test_the_other_number_is_mutual() -> None:
    forms = syntax.test_grammar().other_number
    for (surface, lemma, feats), other in forms.items():
        flipped = feats.replace("Sing", "#").replace("Plur", "Sing").replace("#", "Plur")
        assert other != surface
        assert forms[other, lemma, flipped] == surface
    assert forms["corre", "correr", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"] == "correm"

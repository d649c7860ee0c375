import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.core.errors import DataError
from rig.core.seeding import stream
from rig.data.nano_pt import exact, syntax
from rig.data.nano_pt.exact import ExactEntropy, ExactModel
from rig.data.nano_pt.grammar import Grammar, GrammarBuilder, LexicalWord
from rig.data.nano_pt.sampler import Sampler


def word(form: str) -> LexicalWord:
    return LexicalWord(form, form, "X")


def toy(*, ambiguous: bool) -> Grammar:
    """S -> A B (1/4) | A (3/4); A -> a (1/2), b (1/2); B -> S-free C | D, both able to write c."""
    builder = GrammarBuilder()
    builder.rule("S", 1.0, "A", "B:dep")
    builder.rule("S", 3.0, "A")
    builder.rule("B", 1.0, "C")
    builder.rule("B", 1.0, "D")
    for form in ("a", "b"):
        builder.emit("A", 1.0, form, word(form))
    builder.emit("C", 1.0, "c", word("c"))
    builder.emit("D", 1.0, "c" if ambiguous else "d", word("d"))
    return builder.build()


def enumerate_strings(grammar: Grammar, symbol: str) -> dict[tuple[str, ...], float]:
    """Every string of a symbol with its probability, by brute force."""
    strings: dict[tuple[str, ...], float] = {}
    if symbol in grammar.emissions:
        for item in grammar.emissions[symbol]:
            strings[item.surface,] = strings.get((item.surface,), 0.0) + item.probability
        return strings
    for rule in grammar.rules[symbol]:
        parts = [list(enumerate_strings(grammar, child.symbol).items()) for child in rule.children]
        for combination in itertools.product(*parts):
            units = tuple(unit for part, _ in combination for unit in part)
            probability = rule.probability * math.prod(p for _, p in combination)
            strings[units] = strings.get(units, 0.0) + probability
    return strings


@pytest.mark.parametrize("ambiguous", [False, True])
def test_probabilities_equal_brute_force(ambiguous: bool) -> None:
    grammar = toy(ambiguous=ambiguous)
    model = ExactModel(grammar)
    strings = enumerate_strings(grammar, "S")
    assert math.fsum(strings.values()) == pytest.approx(1.0)
    for units, probability in strings.items():
        assert model.probability(units) == pytest.approx(probability, rel=1e-12)


def test_hand_worked_probabilities() -> None:
    model = ExactModel(toy(ambiguous=True))
    assert model.probability(("a",)) == pytest.approx(3 / 8)
    assert model.probability(("a", "c")) == pytest.approx(1 / 8)
    assert model.probability(("c",)) == 0.0
    assert model.probability(()) == 0.0
    assert not model.contains(("a", "c", "c"))
    # After `a` the sentence ends with 3/4; `c` takes the rest.
    assert model.unit_nats(("a", "c")) == pytest.approx([math.log(2), math.log(4)])
    assert model.unit_nats(("a", "a", "a")) == [pytest.approx(math.log(2)), math.inf, math.inf]
    assert model.next_unit(model.read(exact.INITIAL, "a")) == pytest.approx({"c": 0.25})
    assert ExactModel(toy(ambiguous=False)).next_unit(exact.INITIAL) == pytest.approx({"a": 0.5, "b": 0.5})


def test_derivation_entropy_against_the_definition() -> None:
    entropy = exact.derivation_entropy(toy(ambiguous=False))
    strings = enumerate_strings(toy(ambiguous=False), "S")
    assert entropy.nats_per_sentence == pytest.approx(-sum(p * math.log(p) for p in strings.values()))
    assert entropy.units_per_sentence == pytest.approx(1.25)
    # Two derivations of one string cost ln 2 more, a quarter of the time.
    strings = enumerate_strings(toy(ambiguous=True), "S")
    hidden = exact.derivation_entropy(toy(ambiguous=True)).nats_per_sentence
    assert hidden + sum(p * math.log(p) for p in strings.values()) == pytest.approx(0.25 * math.log(2))


def test_text_outside_the_language_has_no_cross_entropy() -> None:
    with pytest.raises(DataError, match="the grammar does not yield 'a a'"):
        ExactModel(toy(ambiguous=True)).sentence_nats(("a", "a"))


def test_every_drawn_sentence_belongs_and_its_surprisals_add_up() -> None:
    grammar = syntax.test_grammar()
    model, sampler = ExactModel(grammar), Sampler(grammar, rng=stream(11, "test"))
    for _ in range(200):
        sentence = sampler.sentence()
        units = exact.surface_units(sentence, grammar)
        assert exact.split_text(sentence.text, grammar) == units
        assert model.contains_text(sentence.text)
        assert math.fsum(model.unit_nats(units)) == pytest.approx(model.sentence_nats(units), rel=1e-12)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), fraction=st.floats(0.0, 0.99))
def test_next_unit_sums_to_one_and_is_what_reading_charges(seed: int, fraction: float) -> None:
    grammar = syntax.test_grammar()
    model = ExactModel(grammar)
    units = exact.surface_units(Sampler(grammar, rng=stream(seed, "test")).sentence(), grammar)
    cut = int(fraction * len(units))
    belief = exact.INITIAL
    for unit in units[:cut]:
        belief = model.read(belief, unit)
    distribution = model.next_unit(belief)
    assert math.fsum(distribution.values()) == pytest.approx(1.0, rel=1e-12)
    assert -math.log(distribution[units[cut]]) == pytest.approx(model.unit_nats(units)[cut], rel=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        "As menina corre.", "O menino correm.", "O menina corre.", "O menino corre", "o menino corre.",
        "O menino  corre.", "O menino das meninas correm.", "Corre o menino.", "Menino corre.", "",
        "O menino que as meninas conhecem correm.",
    ],
)  # fmt: skip
def test_ungrammatical_text_does_not_belong(text: str) -> None:
    assert not ExactModel(syntax.test_grammar()).contains_text(text)


def test_held_out_nouns_belong_to_the_test_grammar_only() -> None:
    text = "O lançamento começou."
    assert ExactModel(syntax.test_grammar()).contains_text(text)
    assert not ExactModel(syntax.train_grammar()).contains_text(text)
    assert ExactModel(syntax.train_grammar()).contains_text("O movimento começou.")


def test_monte_carlo_agrees_with_the_recursion() -> None:
    unambiguous = toy(ambiguous=False)
    estimate = exact.monte_carlo_entropy(unambiguous, 4_000, rng=stream(1, "test"))
    bound = exact.derivation_entropy(unambiguous).nats_per_sentence
    assert abs(estimate.mean_nats - bound) < 4 * estimate.standard_error
    grammar = syntax.test_grammar()
    estimate = exact.monte_carlo_entropy(grammar, 1_500, rng=stream(2, "test"))
    bound = exact.derivation_entropy(grammar).nats_per_sentence
    # Few forms have two analyses, so the derivation's entropy is a close upper bound.
    assert bound - 1.0 < estimate.mean_nats + 4 * estimate.standard_error
    assert estimate.mean_nats - 4 * estimate.standard_error < bound


def test_units_of_exact_entropy() -> None:
    pooled = exact.pooled(
        [
            ExactEntropy(total_nats=math.log(2) * 30, n_units=3, n_chars=10),
            ExactEntropy(total_nats=math.log(2) * 10, n_units=1, n_chars=30),
        ]
    )
    assert pooled.nats_per_unit == pytest.approx(10 * math.log(2))
    assert pooled.bits_per_character == pytest.approx(1.0)

from rig.core.seeding import stream
from rig.data.nano_pt import syntax
from rig.data.nano_pt.contrast import TrigramModel, contrast
from rig.data.nano_pt.exact import ExactModel, split_text

N = 150


def test_membership_orders_the_four_qualities() -> None:
    texts = contrast(N, rng=stream(0, "test"))
    grammar = syntax.test_grammar()
    model = ExactModel(grammar)
    share = {
        name: sum(model.contains_text(text) for text in getattr(texts, name)) / N
        for name in ("gold", "agreement_error", "shuffled", "trigram")
    }
    assert share["gold"] == 1.0
    assert share["agreement_error"] == 0.0
    assert share["shuffled"] < 0.1
    assert 0.1 < share["trigram"] < 0.7


def test_the_first_three_are_aligned() -> None:
    texts = contrast(30, rng=stream(1, "test"))
    grammar = syntax.test_grammar()
    for gold, wrong, shuffled in zip(texts.gold, texts.agreement_error, texts.shuffled, strict=True):
        units, bad, mixed = (split_text(text, grammar) for text in (gold, wrong, shuffled))
        assert units is not None
        assert bad is not None
        assert sum(one != other for one, other in zip(units, bad, strict=True)) == 1
        if mixed is not None:  # a text may not begin with a comma
            assert sorted(mixed) == sorted(units)
            assert mixed != units
        assert shuffled.endswith(".")


def test_the_same_stream_gives_the_same_contrast() -> None:
    assert contrast(5, rng=stream(2, "test")) == contrast(5, rng=stream(2, "test"))


def test_a_trigram_model_of_one_sentence_repeats_it() -> None:
    model = TrigramModel([("a", "b", "c", ".")])
    assert model.sentence(rng=stream(0, "test")) == ("a", "b", "c", ".")


def test_a_trigram_model_sees_two_units_back_and_no_further() -> None:
    model = TrigramModel([("x", "a", "b", "."), ("y", "a", "b", "!", ".")])
    drawn = {model.sentence(rng=stream(seed, "test")) for seed in range(40)}
    assert drawn == {
        ("x", "a", "b", "."),
        ("y", "a", "b", "."),
        ("x", "a", "b", "!", "."),
        ("y", "a", "b", "!", "."),
    }

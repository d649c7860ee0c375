"""Subject-verb agreement pairs from the test grammar, with the bad form proved ungrammatical.

A bad sentence differs from its good one in the number of one finite verb, and its exact probability under the
test grammar is 0. So no pair rests on a judgement.
"""

from collections.abc import Iterator
from typing import Final

from rig.core.seeding import stream
from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.data.agreement_draw import draw_balanced
from rig.data.agreement_items import AgreementPair
from rig.data.nano_pt import syntax
from rig.data.nano_pt.exact import ExactModel, surface_units
from rig.data.nano_pt.grammar import Grammar
from rig.data.nano_pt.sampler import Sampler

SOURCE: Final = "nano_pt"
LICENCE: Final = "Apache-2.0"
PAIRS_SEED: Final = 20_250
"""Of the committed task file; differs from any corpus's stream by name."""
POOL_SENTENCES: Final = 12_000
"""Sentences that the pairs are drawn from."""


def agreement_pairs(n_pairs: int, *, seed: int) -> tuple[AgreementPair, ...]:
    """Pairs in equal shares of {Sing, Plur} x {last noun before the verb matches or none, mismatches}.

    Args:
        n_pairs: A multiple of 4.
        seed: Of the sentences and the draw.

    Raises:
        UsageError, DataError: As `rig.data.agreement_draw.draw_balanced`.
    """
    pool = agreement_pool(POOL_SENTENCES, seed=seed)
    return draw_balanced(pool, n=n_pairs, rng=stream(seed, SOURCE, "agreement draw"))


def agreement_pool(n_sentences: int, *, seed: int) -> Iterator[AgreementPair]:
    """At most one pair from each of `n_sentences` distinct drawn sentences: their first usable verb."""
    grammar = syntax.test_grammar()
    model = ExactModel(grammar)
    sampler = Sampler(grammar, rng=stream(seed, SOURCE, "agreement sentences"))
    seen: dict[str, None] = {}
    for index in range(n_sentences):
        sentence = sampler.sentence()
        if sentence.text in seen:
            continue
        seen[sentence.text] = None
        pair = agreement_pair(sentence, f"agreement-{index + 1}", grammar, model)
        if pair is not None:
            yield pair


def agreement_pair(
    sentence: Sentence, sent_id: str, grammar: Grammar, model: ExactModel
) -> AgreementPair | None:
    """The sentence's first usable verb; None if there is none.

    Usable is a finite verb or auxiliary that is a unit of its own, behind a noun as its subject, without
    coordination in the subject, whose form of the other number the grammar excludes.
    """
    for subject, word in enumerate(sentence.words, start=1):
        if (
            word.deprel not in ("nsubj", "nsubj:pass")
            or word.upos != "NOUN"
            or _children(sentence, subject, "conj")
        ):
            continue
        verb = agreeing_verb(sentence, word.head)
        if verb is None or verb < subject:
            continue
        unit = next(index for index, item in enumerate(sentence.units) if item.last_word >= verb)
        bad = other_number(sentence, unit, grammar)
        if bad is None:
            continue
        units = list(surface_units(sentence, grammar))
        units[unit] = bad
        if not model.contains(units):
            return _pair(sentence, sent_id, subject, verb, unit, bad)
    return None


def agreeing_verb(sentence: Sentence, predicate: int) -> int | None:
    """The word that agrees with a predicate's subject: the predicate if finite, else its auxiliary."""
    auxiliaries = _children(sentence, predicate, "aux") + _children(sentence, predicate, "aux:pass")
    for position in (predicate, *auxiliaries, *_children(sentence, predicate, "cop")):
        if "VerbForm=Fin" in (sentence.words[position - 1].feats or ""):
            return position
    return None


def other_number(sentence: Sentence, unit: int, grammar: Grammar) -> str | None:
    """The form of the other number of a finite verb's unit; None for any other unit."""
    item = sentence.units[unit]
    word = sentence.words[item.first_word - 1]
    if item.is_multiword or word.lemma is None or word.feats is None:
        return None
    return grammar.other_number.get((item.form, word.lemma, word.feats))


def _children(sentence: Sentence, head: int, deprel: str) -> list[int]:
    return [
        position
        for position, word in enumerate(sentence.words, start=1)
        if word.head == head and word.deprel == deprel
    ]


def _pair(sentence: Sentence, sent_id: str, subject: int, verb: int, unit: int, bad: str) -> AgreementPair:
    noun, finite = sentence.words[subject - 1], sentence.words[verb - 1]
    features = _features(finite)
    number = features["Number"]
    between = [
        _features(word).get("Number")
        for word in sentence.words[subject : verb - 1]
        if word.upos in ("NOUN", "PROPN")
    ]
    start = _char_start(sentence.units, unit)
    relative = [child for child in _children(sentence, subject, "acl:relcl") if child < verb]
    phrase = [child for child in _children(sentence, subject, "nmod") if child < verb]
    form = sentence.units[unit].form
    return AgreementPair(
        source=SOURCE,
        licence=LICENCE,
        sent_id=sent_id,
        text=sentence.text,
        char_start=start,
        char_end=start + len(form),
        verb_good=form,
        verb_bad=bad,
        lemma=finite.lemma or "",
        upos=finite.upos,
        tense=features["Tense"],
        mood=features["Mood"],
        number=number,
        subject=noun.form,
        subj_upos=noun.upos,
        distance=verb - subject,
        n_attractors=sum(other not in (None, number) for other in between),
        last_noun_mismatch=bool(between) and between[-1] not in (None, number),
        rel_clause=bool(relative),
        pp=bool(phrase),
    )


def _features(word: Word) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in (word.feats or "").split("|") if pair)


def _char_start(units: tuple[SurfaceUnit, ...], unit: int) -> int:
    return sum(len(item.form) + item.space_after for item in units[:unit])

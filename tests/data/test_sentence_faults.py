import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.core.errors import DataError
from rig.core.sentences import Sentence, SurfaceUnit, Word
from rig.data.sentence_faults import refuse_faults, sorted_features, unit_spans


def plain(forms: list[str], spaces: list[bool], text: str) -> Sentence:
    words = tuple(
        Word(form=form, upos="X", head=min(index, 1), deprel="dep" if index else "root")
        for index, form in enumerate(forms)
    )
    units = tuple(
        SurfaceUnit(form=form, first_word=number, last_word=number, space_after=space)
        for number, (form, space) in enumerate(zip(forms, spaces, strict=True), start=1)
    )
    return Sentence(sent_id="s", text=text, words=words, units=units)


@settings(deadline=None)  # the first call may load a library
@given(
    st.lists(st.tuples(st.text("abé🦊", min_size=1), st.sampled_from(["", " ", "\u00a0 ", "\n"])), min_size=1)
)
def test_spans_are_where_the_text_was_put_together(tokens: list[tuple[str, str]]) -> None:
    text = "".join(form + space for form, space in tokens[:-1]) + tokens[-1][0]
    sentence = plain([form for form, _ in tokens], [bool(space) for _, space in tokens], text)
    position = 0
    for span, (form, space) in zip(unit_spans(sentence), tokens, strict=True):
        assert (span.start, span.end) == (position, position + len(form))
        position += len(form) + len(space)


@pytest.mark.parametrize(
    ("forms", "spaces", "text", "fault"),
    [
        (["a", "b"], [True, True], "ab", "token 1 'a' says that a space follows"),
        (["a", "b"], [False, True], "a b", "token 1 'a' says that no space follows"),
        (["a", "b"], [True, True], "a c", "token 2 is 'b', but the text has 'c' at character 2"),
        (["a"], [True], "a b", "the text goes on with ' b' after the last token"),
        (["a"], [True], "a ", "the text goes on with ' '"),
        (["a", ""], [True, True], "a ", "token 2 is ''"),
        (["a"], [True], " a", "token 1 is 'a', but the text has ' a'"),
    ],
)
def test_text_that_is_not_the_tokens(forms: list[str], spaces: list[bool], text: str, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        unit_spans(plain(forms, spaces, text))


def test_the_last_unit_may_say_anything_about_a_space() -> None:
    assert [span.end for span in unit_spans(plain(["a", "b"], [True, False], "a b"))] == [1, 3]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"upos": "NOUM"}, "has UPOS 'NOUM', which is none of the 17 universal tags"),
        ({"upos": "_"}, "has UPOS '_'"),
        ({"head": 9}, "has head 9, but the sentence has words 1 to 3"),
        ({"head": -1}, "has head -1"),
        ({"head": 2}, "is its own head"),
        ({"head": 0}, "has head 0 and relation 'dep'; head 0 and 'root' go together"),
        ({"deprel": "root"}, "has head 1 and relation 'root'"),
        ({"deprel": ""}, "has an empty dependency relation"),
        ({"form": ""}, "has an empty form"),
        ({"feats": "Number=Sing|Gender=Masc"}, "aren't Name=Value pairs sorted by name"),
        ({"feats": "Number"}, "aren't Name=Value pairs"),
        ({"form": "e\u0301"}, "is not NFC text"),
        ({"lemma": "e\u0301"}, "is not NFC text"),
        ({"head": 0, "deprel": "root"}, "must have one root, got 2"),
        ({"head": 3}, None),
    ],
)
def test_faulty_words(sentence: Callable[..., Sentence], changes: dict[str, Any], fault: str | None) -> None:
    good = sentence("s", "a b c")
    words = list(good.words)
    words[1] = dataclasses.replace(words[1], **changes)
    changed = dataclasses.replace(good, words=tuple(words))
    if fault is None:
        refuse_faults(changed)
        assert changed != good
        return
    with pytest.raises(DataError, match=fault):
        refuse_faults(changed)


def test_circles_are_refused(sentence: Callable[..., Sentence]) -> None:
    good = sentence("s", "a b c d")
    heads = [0, 3, 4, 2]
    words = tuple(dataclasses.replace(word, head=head) for word, head in zip(good.words, heads, strict=True))
    with pytest.raises(DataError, match="the heads run in a circle through word 2"):
        refuse_faults(dataclasses.replace(good, words=words))


def test_units_must_cover_the_words(sentence: Callable[..., Sentence]) -> None:
    good = sentence("s", "a b c")
    with pytest.raises(DataError, match="tokens cover 2 of 3 words"):
        refuse_faults(dataclasses.replace(good, units=good.units[:2]))
    with pytest.raises(DataError, match="token 'c' begins at word 3 where 2 was due"):
        refuse_faults(dataclasses.replace(good, units=good.units[::2]))
    wide = SurfaceUnit(form="a", first_word=1, last_word=3)
    with pytest.raises(DataError, match="isn't marked as multiword"):
        refuse_faults(dataclasses.replace(good, units=(wide,)))
    with pytest.raises(DataError, match="the sentence has no words"):
        refuse_faults(dataclasses.replace(good, words=(), units=()))


def test_too_many_words(sentence: Callable[..., Sentence]) -> None:
    with pytest.raises(DataError, match="has 32768 words; at most 32767 fit"):
        refuse_faults(sentence("s", " ".join("a" * 32_768)))


@pytest.mark.parametrize(
    ("feats", "sorted_"),
    [
        ("A=1", True),
        ("a=1|B=2", True),
        ("B=1|a=2", False),
        ("A=1|A=2", False),
        ("A=", False),
        ("=1", False),
        ("", False),
    ],
)
def test_features_are_sorted_whatever_their_case(feats: str, sorted_: bool) -> None:
    assert sorted_features(feats) is sorted_

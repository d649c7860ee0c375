from rig.core.sentences import Sentence, SurfaceUnit, Word


def test_a_sentence_spells_its_text() -> None:
    words = tuple(Word(form=form, upos="X", head=0, deprel="root") for form in ("de", "o", "fim", "."))
    units = (
        SurfaceUnit(form="do", first_word=1, last_word=2, is_multiword=True),
        SurfaceUnit(form="fim", first_word=3, last_word=3, space_after=False),
        SurfaceUnit(form=".", first_word=4, last_word=4),
    )
    sentence = Sentence(sent_id="s", text="do fim.", words=words, units=units)
    assert sentence.surface_text() == sentence.text

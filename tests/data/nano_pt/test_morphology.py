import pytest

from rig.data.nano_pt import morphology


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("menino", "meninos"), ("avião", "aviões"), ("irmão", "irmãos"), ("pão", "pães"), ("mão", "mãos"),
        ("homem", "homens"), ("jovem", "jovens"), ("comum", "comuns"), ("luz", "luzes"),
        ("mulher", "mulheres"),
        ("juiz", "juízes"), ("português", "portugueses"), ("ônibus", "ônibus"), ("lápis", "lápis"),
        ("jornal", "jornais"), ("papel", "papéis"), ("farol", "faróis"), ("azul", "azuis"), ("útil", "úteis"),
        ("barril", "barris"), ("possível", "possíveis"), ("legal", "legais"), ("lei", "leis"),
        ("irmã", "irmãs"),
    ],
)  # fmt: skip
def test_plurals(singular: str, plural: str) -> None:
    assert morphology.plural(singular) == plural


@pytest.mark.parametrize(
    ("adjective", "forms"),
    [
        ("novo", "novo nova novos novas"),
        ("grande", "grande grande grandes grandes"),
        ("europeu", "europeu europeia europeus europeias"),
        ("fácil", "fácil fácil fáceis fáceis"),
        ("feliz", "feliz feliz felizes felizes"),
        ("simples", "simples simples simples simples"),
    ],
)
def test_adjective_forms(adjective: str, forms: str) -> None:
    assert " ".join(morphology.adjective_forms(adjective)) == forms


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("comprar", "compra compram comprou compraram comprava compravam"),
        ("vender", "vende vendem vendeu venderam vendia vendiam"),
        ("punir", "pune punem puniu puniram punia puniam"),
        ("bloquear", "bloqueia bloqueiam bloqueou bloquearam bloqueava bloqueavam"),
        ("vir", "vem vêm veio vieram vinha vinham"),
        ("desfazer", "desfaz desfazem desfez desfizeram desfazia desfaziam"),
        ("desaparecer", "desaparece desaparecem desapareceu desapareceram desaparecia desapareciam"),
    ],
)
def test_third_person_of_three_tenses(verb: str, forms: str) -> None:
    conjugated = morphology.conjugate(verb)
    assert " ".join(form for tense in ("Pres", "Past", "Imp") for form in conjugated[tense]) == forms


@pytest.mark.parametrize(
    ("verb", "form"),
    [("comprar", "comprado"), ("vender", "vendido"), ("punir", "punido"), ("escrever", "escrito"),
     ("desfazer", "desfeito"), ("desligar", "desligado")],
)  # fmt: skip
def test_participles(verb: str, form: str) -> None:
    assert morphology.participle(verb) == form


def test_derivation_spells_suffix_and_accents() -> None:
    assert morphology.action_noun("publicar", "ção") == "publicação"
    assert morphology.action_noun("punir", "ção") == "punição"
    assert morphology.action_noun("julgar", "mento") == "julgamento"
    assert morphology.action_noun("mover", "mento") == "movimento"
    assert morphology.agent_noun("jogar") == "jogador"
    assert morphology.agent_noun("vencer") == "vencedor"
    assert morphology.quality_noun("claro") == "claridade"
    assert morphology.quality_noun("feliz") == "felicidade"
    assert morphology.quality_noun("possível") == "possibilidade"
    assert morphology.quality_noun("útil") == "utilidade"
    assert morphology.manner_adverb("rápido") == "rapidamente"
    assert morphology.manner_adverb("fácil") == "facilmente"


def test_enclitic_pronouns() -> None:
    assert morphology.enclitic("visitou", "a") == "visitou-a"
    assert morphology.enclitic("visitaram", "os") == "visitaram-nos"
    assert morphology.enclitic("dão", "o") == "dão-no"
    assert morphology.enclitic("deram", "lhes") == "deram-lhes"


def test_stress_marks_go_and_tilde_and_cedilla_stay() -> None:
    assert morphology.without_stress_marks("ônibus à pé, coração") == "onibus a pe, coração"

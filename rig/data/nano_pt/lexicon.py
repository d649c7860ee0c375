"""The words of `nano_pt`: citation forms by class, nothing inflected and no logic.

Order within a list is rank: a word's weight is 1 / (rank + 1), rank counted from 0 in the list that its
inflected form is drawn from. Persons, things and abstractions (P, T, A) are what verbs select.
"""

from typing import Final

PERSONS: Final = (
    "menino/menina professor/professora médico/médica vizinho/vizinha aluno/aluna engenheiro/engenheira "
    "irmão/irmã jornalista/jornalista amigo/amiga diretor/diretora juiz/juíza artista/artista "
    "escritor/escritora português/portuguesa homem/ /mulher cidadão/cidadã ator/atriz rapaz/ /criança "
    "alemão/alemã capitão/capitã"
)
"""Masculine/feminine; an empty side does not exist."""

THINGS: Final = {
    "m": "livro carro jornal jardim papel mercado barco hotel trem computador avião ônibus farol pão lápis "
    "barril",
    "f": "casa mesa carta cidade porta luz escola janela flor chave ponte máquina mão caixa imagem colher",
}
ABSTRACTIONS: Final = {
    "m": "problema projeto plano sistema sinal erro",
    "f": "ideia reunião lei decisão crise viagem",
}

ACTION_NOUN_BASES: Final = {
    "ção": "organizar publicar informar educar apresentar criar avaliar preparar ocupar explicar negociar "
    "operar observar classificar punir comunicar",
    "mento": "pagar tratar mover crescer treinar desenvolver julgar conhecer funcionar lançar sentir",
}
"""Verbs that a noun of action is derived from, by suffix."""

AGENT_NOUN_BASES: Final = "trabalhar jogar vender pesquisar organizar observar correr comprar vencer negociar"
"""Verbs that a person in -dor, -dora is derived from."""

QUALITY_NOUN_BASES: Final = "real feliz legal claro possível curioso útil capaz raro profundo fácil formal"
"""Adjectives that a noun in -idade is derived from."""

HELD_OUT: Final = (
    "negociação classificação punição comunicação desenvolvimento lançamento comprador vencedor "
    "curiosidade profundidade"
)
"""Derived nouns of the test grammar only: about a fifth of the pairs, every suffix, all parts of the rank."""

ADJECTIVES: Final = (
    "novo grande antigo importante pequeno bonito real alto jovem claro feliz forte possível moderno rápido "
    "legal azul curioso vermelho raro útil longo capaz silencioso fácil responsável simples profundo formal "
    "intenso europeu"
)
ADJECTIVES_BEFORE_NOUN: Final = "novo grande antigo pequeno"

VERBS: Final = {
    "P": "trabalhar chegar viajar correr cantar jogar crescer dormir vencer vir",
    "P>T": "comprar fazer vender escrever limpar ver criar operar pagar ligar desligar montar ocupar "
    "desfazer desmontar desocupar",
    "P>A": "organizar apresentar explicar preparar avaliar publicar negociar pesquisar comunicar julgar "
    "sentir desenvolver classificar lançar desorganizar",
    "P>P": "visitar encontrar ajudar conhecer informar educar observar tratar treinar punir",
    "T": "desaparecer funcionar brilhar aparecer",
    "T>": "mostrar esconder lembrar proteger bloquear",
    "A": "continuar começar terminar aumentar",
    "A>": "mudar afetar preocupar surpreender melhorar mover",
    "report": "dizer afirmar saber acreditar",
    "give": "dar entregar trazer oferecer",
}
"""Verbs by subject and object: `P>T` takes a person and a thing, `T>` and `A>` objects of several classes."""

PREFIXED_VERBS: Final = {
    "desligar": "ligar", "desmontar": "montar", "desfazer": "fazer", "desocupar": "ocupar",
    "desorganizar": "organizar", "desaparecer": "aparecer",
}  # fmt: skip
"""Verbs in des- and their bases."""

ENCLITIC_VERBS: Final = "encontrar visitar ajudar informar educar"
"""Verbs that also take an object pronoun after a hyphen, in the past."""

ADVERBS: Final = "hoje bem ontem aqui devagar cedo mal tarde longe lá"
ADVERBS_BEFORE_VERB: Final = "não já sempre também nunca ainda quase"
ADVERBS_IN_FRONT: Final = "hoje ontem agora depois finalmente"
MANNER_ADVERB_BASES: Final = "rápido fácil claro silencioso raro legal intenso feliz profundo formal curioso"
"""Adjectives that an adverb in -mente is derived from."""

NAMES: Final = {
    "m": "Pedro João Carlos Rui Paulo Miguel Tiago Luís",
    "f": "Ana Maria Helena Marta Sofia Teresa Beatriz Inês",
}
PLACES: Final = "Lisboa Brasília Recife Coimbra Manaus Curitiba"

PREPOSITIONS: Final = {"nmod": "com sobre para", "obl": "com para sem"}
COORDINATORS: Final = "mas e"
SUBORDINATORS_IN_FRONT: Final = "quando enquanto"
SUBORDINATORS_BEHIND: Final = "porque"

DETERMINERS: Final = (
    ("o", "o a os as", "Definite=Def|{}|PronType=Art", "DET", 0.45),
    ("um", "um uma _ _", "Definite=Ind|{}|PronType=Art", "DET", 0.2),
    ("algum", "_ _ alguns algumas", "{}|PronType=Ind", "DET", 0.14),
    ("este", "este esta estes estas", "{}|PronType=Dem", "DET", 0.08),
    ("aquele", "aquele aquela aqueles aquelas", "{}|PronType=Dem", "DET", 0.08),
    ("seu", "seu sua seus suas", "{}|PronType=Prs", "DET", 0.08),
    ("todo", "todo toda _ _", "{}|PronType=Tot", "DET", 0.06),
    ("muito", "_ _ muitos muitas", "{}|PronType=Ind", "DET", 0.08),
    ("dois", "_ _ dois duas", "{}|NumType=Card", "NUM", 0.05),
)
"""Lemma, forms (masculine and feminine singular, then plural; `_` where none), features, tag, weight."""

CONTRACTIONS: Final = (
    ("de", "o", "do da dos das", 0.62),
    ("em", "o", "no na nos nas", 0.2),
    ("por", "o", "pelo pela pelos pelas", 0.05),
    ("a", "o", "ao à aos às", 0.06),
    ("de", "este", "deste desta destes destas", 0.03),
    ("em", "este", "neste nesta nestes nestas", 0.02),
    ("de", "aquele", "daquele daquela daqueles daquelas", 0.02),
)
"""Preposition, determiner, the one written form of both (order as in `DETERMINERS`), weight after a noun."""

SUBJECT_PRONOUNS: Final = "ele ela eles elas"
OBJECT_PRONOUNS: Final = "o a os as"
DATIVE_PRONOUNS: Final = "lhe lhes"

IRREGULAR_PLURALS: Final = {
    "irmão": "irmãos", "cidadão": "cidadãos", "mão": "mãos", "alemão": "alemães", "capitão": "capitães",
    "pão": "pães", "juiz": "juízes",
}  # fmt: skip

IRREGULAR_VERBS: Final = {
    "ser": "é são foi foram era eram",
    "estar": "está estão esteve estiveram estava estavam",
    "ter": "tem têm teve tiveram tinha tinham",
    "ir": "vai vão foi foram ia iam",
    "vir": "vem vêm veio vieram vinha vinham",
    "ver": "vê veem viu viram via viam",
    "dar": "dá dão deu deram dava davam",
    "fazer": "faz fazem fez fizeram fazia faziam",
    "dizer": "diz dizem disse disseram dizia diziam",
    "saber": "sabe sabem soube souberam sabia sabiam",
    "trazer": "traz trazem trouxe trouxeram trazia traziam",
    "poder": "pode podem pôde puderam podia podiam",
}
"""Third person singular and plural of the present, the perfect and the imperfect."""

IRREGULAR_PARTICIPLES: Final = {
    "ver": "visto", "fazer": "feito", "dizer": "dito", "escrever": "escrito", "pagar": "pago", "vir": "vindo",
}  # fmt: skip

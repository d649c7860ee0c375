"""Nouns after which a verb's number is not settled by the noun, by language.

"A maioria dos deputados votou" and "votaram" are both written: such a subject gives no agreement pair.
Lemmas: partitives (maioria, metade), collectives (grupo, casal), measures (milhão), kinds (tipo).
"""

_PORTUGUESE = """
bando bilhão bilião bocado casal cento centena combinação conjunto coleção colecção dezena dupla dúzia elenco
equipa equipe espécie fração fracção gente grupo infinidade leque lote maioria massa metade milhão milhar
minoria montante monte multidão número par parcela parte percentagem percentual porcentagem porção punhado
quantia quantidade quarto quinto restante resto séquito série soma terço time tipo total totalidade trilhão
trio tropa turma variedade volume
"""

COLLECTIVE_NOUNS: dict[str, frozenset[str]] = {"pt": frozenset(_PORTUGUESE.split())}
"""By the first part of the language code in a data set's metadata: `pt` for `pt-BR`."""

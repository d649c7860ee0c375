"""Faults of offsets and of words that were reported in public, each tried on rig."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rig.core.documents import AnnotatedDocument
from rig.core.token_scores import TokenScores
from rig.data.annotations import Annotations
from rig.data.conllu_import import import_conllu
from rig.data.schema import SPLITS, Metadata
from rig.metrics.alignment import align
from rig.metrics.likelihood import document_sums
from rig.models.byte_tokenizer import ByteTokenizer
from rig.models.tokenizer import AbstractTokenizer, train_tokenizer
from rig.parsers.catalog import build_parser
from rig.parsers.tree_checks import is_well_formed

VE_LA = """\
# newdoc id = {doc}
# sent_id = {doc}-1
# text = Deixe-me vê-la.
1-2\tDeixe-me\t_\t_\t_\t_\t_\t_\t_\t_
1\tDeixe\tdeixar\tVERB\t_\t_\t0\troot\t_\t_
2\tme\teu\tPRON\t_\t_\t1\tobj\t_\t_
3-4\tvê-la\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
3\tvê\tver\tVERB\t_\t_\t1\txcomp\t_\t_
4\tla\tela\tPRON\t_\t_\t3\tobj\t_\t_
5\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_

"""
DA_PAZ = """\
# newdoc id = {doc}
# sent_id = {doc}-1
# text = A linguagem da paz
1\tA\to\tDET\t_\t_\t2\tdet\t_\t_
2\tlinguagem\tlinguagem\tNOUN\t_\t_\t0\troot\t_\t_
3-4\tda\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
4\ta\to\tDET\t_\t_\t5\tdet\t_\t_
5\tpaz\tpaz\tNOUN\t_\t_\t2\tnmod\t_\tSpaceAfter=No

"""
NAO = """\
# newdoc id = {doc}
# sent_id = {doc}-1
# text = Não é
1\tNão\tnão\tADV\t_\t_\t2\tadvmod\t_\t_
2\té\tser\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No

"""


def imported(conllu: str, folder: Path) -> AnnotatedDocument:
    """The test document of a data set that holds one such document a split."""
    files = {}
    for split in SPLITS:
        files[split] = folder / f"{split}.conllu"
        files[split].write_text(conllu.format(doc=split), encoding="utf-8")
    metadata = Metadata(
        name="tiny", language="pt", annotator="manual", annotator_version="", model_sha256="",
        ud_version="2.16", source="made up", licence="CC0-1.0",
    )  # fmt: skip
    import_conllu(files, folder / "data", metadata)
    (document,) = Annotations.open(folder / "data").annotated("test")
    return document


def surfaces(annotated: AnnotatedDocument) -> list[str]:
    text, units = annotated.document.text, annotated.units
    return [text[start:end] for start, end in zip(units.char_start, units.char_end, strict=True)]


def scored(annotated: AnnotatedDocument, tokenizer: AbstractTokenizer) -> TokenScores:
    """One nat for the first token, two for the second, four for the third: every sum names its tokens."""
    encoding = tokenizer.encode(annotated.document.text)
    return TokenScores(
        doc_id=annotated.document.doc_id,
        token_id=encoding.token_id,
        char_start=encoding.char_start,
        char_end=encoding.char_end,
        logprob=-(2.0 ** np.arange(len(encoding))),
        n_chars=annotated.document.n_chars,
    )


def test_peers_15_autoresearch_385_a_split_character_has_its_own_bytes(tmp_path: Path) -> None:
    """karpathy/autoresearch PR #385: a lone byte of `ã` decodes to U+FFFD, which is three bytes."""
    annotated = imported(NAO, tmp_path)
    assert annotated.document.n_bytes == 7
    scores = scored(annotated, ByteTokenizer())
    sums = document_sums(scores, annotated, unk_id=None, is_code_length=True)
    assert sums["bpb"][1] == 7.0
    assert sums["bpc"][1] == 5.0


def test_peers_17_tokenizers_156_both_pieces_of_a_character_go_to_its_word(tmp_path: Path) -> None:
    """huggingface/tokenizers #156, #977: the pieces of one character have the same offsets."""
    annotated = imported(NAO, tmp_path)
    scores = scored(annotated, ByteTokenizer())
    # N, the two bytes of ã, o, the space, the two bytes of é.
    assert align(scores, annotated).token_unit.tolist() == [0, 0, 0, 0, 1, 1, 1]
    sums = document_sums(scores, annotated, unk_id=None, is_code_length=True)
    assert sums["ce_adv"] == (1.0 + 2.0 + 4.0 + 8.0, 4.0)
    assert sums["ce_verb"] == (16.0 + 32.0 + 64.0, 3.0)
    assert sums["ce"] == (127.0, 7.0)


def test_peers_20_stanza_1208_a_clitic_stays_in_its_surface_token(tmp_path: Path) -> None:
    """stanfordnlp/stanza #1208: `vê-la` became `vê` + `lla`.

    The unit is what is written. Its class is that of the first word whose head lies outside of it: the verb.
    """
    annotated = imported(VE_LA, tmp_path)
    assert surfaces(annotated) == ["Deixe-me", "vê-la", "."]
    assert annotated.units.upos == ("VERB", "VERB", "PUNCT")
    assert annotated.units.strata["upos"] == ("VERB+PRON", "VERB+PRON", "PUNCT")
    words = train_tokenizer({"type": "word", "vocab_size": 50}, [annotated.document.text])
    sums = document_sums(scored(annotated, words), annotated, unk_id=None, is_code_length=True)
    assert sums["ce_verb"] == (1.0 + 2.0, 2.0)
    assert sums["wce_verb"] == (3.0, 2.0)
    assert sums["ce_outros"] == (4.0, 1.0)
    assert sums["ce[upos=VERB+PRON]"] == (3.0, 2.0)


@pytest.mark.parametrize("kind", ["word", "bpe", "byte"])
def test_peers_21_spacy_udpipe_32_offsets_do_not_shift_after_a_contraction(kind: str, tmp_path: Path) -> None:
    """TakeLab/spacy-udpipe #32, UD_Portuguese-GSD #14: after `da` = de + a every offset was wrong."""
    annotated = imported(DA_PAZ, tmp_path)
    assert surfaces(annotated) == ["A", "linguagem", "da", "paz"]
    assert annotated.units.strata["upos"] == ("DET", "NOUN", "ADP+DET", "NOUN")
    vocab_size = {"word": 50, "bpe": 300, "byte": 257}[kind]
    tokenizer = train_tokenizer({"type": kind, "vocab_size": vocab_size}, [annotated.document.text])
    sums = document_sums(scored(annotated, tokenizer), annotated, unk_id=None, is_code_length=True)
    n_chars = {name: weight for name, (_, weight) in sums.items() if name.startswith("bpc[upos=")}
    # Each with the space before it; `da` counts once.
    assert n_chars == {"bpc[upos=DET]": 1.0, "bpc[upos=NOUN]": 10.0 + 4.0, "bpc[upos=ADP+DET]": 3.0}
    assert sums["wce"][1] == 4.0
    assert sums["ce_mixed"] == (0.0, 0.0)


def test_peers_37_stanza_944_a_tree_with_two_roots_is_no_tree(tmp_path: Path) -> None:
    """stanfordnlp/stanza #944: a sentence in title case was parsed into two roots."""
    imported(DA_PAZ, tmp_path)
    (found,) = Annotations.open(tmp_path / "data").sentences("test")
    words = found.sentence.words
    assert is_well_formed(words)
    two_roots = (*words[:-1], replace(words[-1], head=0, deprel="root"))
    assert not is_well_formed(two_roots)
    circle = (words[0], replace(words[1], head=5, deprel="nmod"), *words[2:])
    assert not is_well_formed(circle)


def test_peers_37_stanza_990_a_parser_says_which_one_it_is() -> None:
    """stanfordnlp/stanza #990: trees change with the version. Version and model hash stand in the report."""
    parser = build_parser({"name": "udpipe", "model": "nano_pt"})
    assert parser.name == "udpipe"
    assert parser.version[0].isdigit()
    assert len(parser.model_sha256) == 64

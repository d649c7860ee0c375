"""Sentence pairs with a human similarity score, in the two formats that Portuguese sets come in.

- `.xml`, ASSIN 1 and 2: `<entailment-corpus><pair id similarity><t/><h/></pair>...`, scores 1 to 5.
- `.csv`, STSb (stsb_multi_mt): no header; sentence, sentence, score; scores 0 to 5.

Sentences are brought to NFC. Numbers are written with a point: other readers take "2,5" for 5 or for 25.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final
from xml.etree import ElementTree

from rig.core.errors import DataError
from rig.data.utf8 import read_utf8

ASSIN_RANGE: tuple[float, float] = (1.0, 5.0)
STSB_RANGE: tuple[float, float] = (0.0, 5.0)

_NUMBER = re.compile(r"\d+(\.\d+)?")
_LETTER = re.compile(r"\w")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SentencePair:
    """Two sentences and how alike people found them."""

    pair_id: str
    """Unique in its file: the pair's id, or its row counted from 1."""
    first: str
    second: str
    """NFC, each with at least one letter or digit."""
    score: float
    """In the range of its format; higher is more alike."""


def read_similarity_pairs(path: Path) -> tuple[SentencePair, ...]:
    """The pairs of an ASSIN file (`.xml`) or an STSb file (`.csv`), in its order.

    Raises:
        DataError: The file is missing, of another kind, not UTF-8, without pairs, or a pair is malformed: no
            score, a decimal comma, a score out of range, an empty sentence, an id that stands there twice.
    """
    match path.suffix.lower():
        case ".xml":
            pairs = tuple(_assin_pairs(path))
        case ".csv":
            pairs = tuple(_stsb_pairs(path))
        case suffix:
            raise DataError(
                f"'{path}' must be an ASSIN file (.xml) or an STSb file (.csv), got the ending '{suffix}'"
            )
    if not pairs:
        raise DataError(f"'{path}' has no sentence pairs")
    _refuse_duplicates(path, pairs)
    return pairs


def _assin_pairs(path: Path) -> Iterator[SentencePair]:
    text = read_utf8(path)
    try:
        root = ElementTree.fromstring(text)  # from text: a wrong encoding declaration can't change a letter
    except ElementTree.ParseError as error:
        raise DataError(f"'{path}' is not XML ({error}); an ASSIN file was due") from None
    if root.tag != "entailment-corpus":
        raise DataError(f"'{path}' must have the root <entailment-corpus> of ASSIN, got <{root.tag}>")
    for index, pair in enumerate(root.iter("pair"), start=1):
        pair_id = pair.get("id", "").strip()
        if not pair_id:
            raise DataError(f"'{path}': pair {index} has no `id`")
        where = f"'{path}' pair id {pair_id}"
        yield SentencePair(
            pair_id=pair_id,
            first=_sentence(pair.findtext("t", ""), where=f"{where}: <t>"),
            second=_sentence(pair.findtext("h", ""), where=f"{where}: <h>"),
            score=_score(pair.get("similarity", ""), score_range=ASSIN_RANGE, where=f"{where}: `similarity`"),
        )


def _stsb_pairs(path: Path) -> Iterator[SentencePair]:
    reader = csv.reader(io.StringIO(read_utf8(path), newline=""), strict=True)
    try:
        for index, row in enumerate(reader, start=1):
            where = f"'{path}' line {reader.line_num}"
            if len(row) != 3:
                raise DataError(
                    f"{where} must have three columns (sentence, sentence, score), got {len(row)}; "
                    "quote a sentence that holds a comma, and write the score with a point"
                )
            yield SentencePair(
                pair_id=str(index),
                first=_sentence(row[0], where=f"{where}: column 1"),
                second=_sentence(row[1], where=f"{where}: column 2"),
                score=_score(row[2], score_range=STSB_RANGE, where=f"{where}: the score"),
            )
    except csv.Error as error:
        raise DataError(f"'{path}' line {reader.line_num} is malformed: {error}") from None


def _sentence(text: str, *, where: str) -> str:
    sentence = unicodedata.normalize("NFC", text.strip())
    if not _LETTER.search(sentence):
        raise DataError(f"{where} must be a sentence, got {sentence!r}; remove the pair or fill it in")
    return sentence


def _score(text: str, *, score_range: tuple[float, float], where: str) -> float:
    low, high = score_range
    written = text.strip()
    if not written:
        raise DataError(f"{where} is missing; every pair needs a human score from {low:g} to {high:g}")
    if _NUMBER.fullmatch(written.replace(",", ".", 1)) and "," in written:
        raise DataError(f"{where} is '{written}' with a decimal comma; write {written.replace(',', '.')}")
    if not (written.isascii() and _NUMBER.fullmatch(written)):
        raise DataError(f"{where} must be a number from {low:g} to {high:g}, got '{written}'")
    score = float(written)
    if not low <= score <= high:
        raise DataError(f"{where} must lie from {low:g} to {high:g}, got {written}")
    return score


def _refuse_duplicates(path: Path, pairs: Iterable[SentencePair]) -> None:
    seen: set[str] = set()
    for pair in pairs:
        if pair.pair_id in seen:
            raise DataError(f"'{path}' has the pair id {pair.pair_id} twice; ids must be unique")
        seen.add(pair.pair_id)

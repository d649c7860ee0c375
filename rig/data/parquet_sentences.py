"""Rows of a user's parquet file, a word or a sentence each, as CoNLL-U rows of one sentence after another."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from rig.core.errors import DataError
from rig.data.conllu_sentence import NO_SPACE
from rig.data.parquet_columns import ABSENT, UserTable

_COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_FORM, _MISC = 1, 9
_BATCH_ROWS = 8_192


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RawSentence:
    """A sentence as a user's file has it."""

    row: int
    """Its first row, from 1."""
    doc_id: str | None
    sent_id: str | None
    split: str | None
    text: str | None
    comments: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """CoNLL-U rows of ten columns."""
    offsets: tuple[tuple[int, int], ...]
    """Of each word's unit, if the file has them: where they count from is not known."""


def raw_sentences(table: UserTable) -> Iterator[RawSentence]:
    """The sentences of a file, in order.

    Raises:
        DataError: A needed column is missing or a value can't be read.
    """
    table.require("form", "upos", "head", "deprel")
    if not any(role in table for role in ("text", "space_after", "misc")):
        raise DataError(
            f"{table.path}: where spaces stand is not known; give one of the columns text (the sentence's), "
            "space_after (true or false) or misc (with SpaceAfter=No)"
        )
    yield from _from_sentences(table) if table.is_sentences else _from_words(table)


def _from_sentences(table: UserTable) -> Iterator[RawSentence]:
    for number, row in table.rows(_BATCH_ROWS // 16):
        where = f"{table.path}: row {number}"
        n_words = len(row["form"] or ())
        per_word = {name: values for name, values in row.items() if _is_per_word(name) and values is not None}
        if not n_words:
            raise DataError(f"{where}: the sentence has no tokens; leave it out")
        for name, values in per_word.items():
            if len(values) != n_words:
                raise DataError(f"{where}: '{name}' must have {n_words} items, as many as there are tokens")
        words = [dict(zip(per_word, values, strict=True)) for values in zip(*per_word.values(), strict=True)]
        ranges = {str(entry["id"]).partition("-")[0]: entry for entry in row.get("mwt") or ()}
        rows: list[tuple[str, ...]] = []
        for position, word in enumerate(words, start=1):
            if str(position) in ranges:
                rows.append(_range_row(table, ranges.pop(str(position)), where))
            rows.append(_word_row(table, str(position), word, where))
        if ranges:
            raise DataError(f"{where}: multiword token {next(iter(ranges.values()))['id']!r} has no words")
        empty_nodes = [_empty_node(table, entry, where) for entry in row.get("empty_nodes") or ()]
        comments = tuple(
            str(comment).removeprefix("#").removeprefix(" ") for comment in row.get("comments") or ()
        )
        yield _sentence(table, number, row, words, _with_empty_nodes(rows, empty_nodes), comments)


def _from_words(table: UserTable) -> Iterator[RawSentence]:
    table.require("sent_id")

    def key(item: tuple[int, dict[str, Any]]) -> tuple[Any, ...]:
        return tuple(item[1].get(role) for role in ("split", "doc_id", "sent_id"))

    for _, group in itertools.groupby(table.rows(_BATCH_ROWS), key):
        numbered = list(group)
        number, words = numbered[0][0], [row for _, row in numbered]
        where = f"{table.path}: row {number}"
        if len({word.get("text") for word in words}) > 1:
            raise DataError(
                f"{where}: `text` must be the same in all rows of sentence {words[0]['sent_id']!r}"
            )
        rows: list[tuple[str, ...]] = []
        n_words = 0
        for _, unit in itertools.groupby(enumerate(words), lambda pair: pair[1].get("unit_id", pair[0])):
            members = [word for _, word in unit]
            if len(members) > 1:
                rows.append(_unit_range(table, members, n_words, f"{table.path}: row {number + len(rows)}"))
                members = [word | {"space_after": True} for word in members]
            for word in members:
                n_words += 1
                identifier = (
                    table.cell("word_id", word["word_id"], where) if "word_id" in word else str(n_words)
                )
                rows.append(_word_row(table, identifier, word, f"{where}, word {n_words}"))
        yield _sentence(table, number, words[0], words, rows, ())


def _sentence(
    table: UserTable,
    number: int,
    row: Mapping[str, Any],
    words: Sequence[Mapping[str, Any]],
    rows: list[tuple[str, ...]],
    comments: tuple[str, ...],
) -> RawSentence:
    where = f"{table.path}: row {number}"
    text = row.get("text")
    if text is not None and "space_after" not in table and "misc" not in table:
        rows = _spaces_from_text(rows, text, where)
    ids = {
        role: None if row.get(role) is None else table.cell(role, row[role], where)
        for role in ("doc_id", "sent_id")
    }
    if ids["sent_id"] is not None and table.is_whole_number("sent_id"):
        ids["sent_id"] = f"{ids['doc_id'] or table.path.stem}-{ids['sent_id']}"
    return RawSentence(
        row=number,
        doc_id=ids["doc_id"],
        sent_id=ids["sent_id"],
        split=table.cell("split", row["split"], where) if "split" in row else None,
        text=text,
        comments=comments,
        rows=tuple(rows),
        offsets=_offsets(words, where),
    )


def _word_row(table: UserTable, identifier: str, word: Mapping[str, Any], where: str) -> tuple[str, ...]:
    cells = [table.cell(role, word.get(role), where) for role in _COLUMNS]
    is_word = identifier.isdigit()
    if is_word and cells[_COLUMNS.index("upos")] == ABSENT:
        raise DataError(
            f"{where}: '{cells[0]}' has no upos; if it is a multiword token's own row, number it with its "
            "range in word_id ('3-4'), or drop the row and give unit_id and unit_form"
        )
    cells[-1] = _misc_with_space(cells[-1], word, where)
    return (identifier, *cells)


def _misc_with_space(misc: str, word: Mapping[str, Any], where: str) -> str:
    """MISC that says what the column `space_after`, if there is one, says."""
    if "space_after" not in word:
        return misc
    stated = NO_SPACE in misc.split("|")
    if word["space_after"] is None or (word["space_after"] and stated):
        raise DataError(
            f"{where}: `space_after` is {word['space_after']} and MISC is '{misc}'; they must agree"
        )
    if word["space_after"] or stated:
        return misc
    return NO_SPACE if misc == ABSENT else f"{misc}|{NO_SPACE}"


def _range_row(table: UserTable, entry: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """The row of a multiword token given apart: `id` like `3-4`, `form`, `feats`, `misc`."""
    feats, misc = (table.cell(role, entry.get(role), where) for role in ("feats", "misc"))
    form = table.cell("form", entry.get("form"), where)
    return (str(entry["id"]), form, *[ABSENT] * 3, feats, *[ABSENT] * 3, misc)


def _unit_range(
    table: UserTable, members: list[dict[str, Any]], n_before: int, where: str
) -> tuple[str, ...]:
    """The row of a multiword token whose words share a `unit_id`."""
    table.require("unit_form")
    for role in ("unit_form", "space_after"):
        if len({word.get(role) for word in members}) > 1:
            raise DataError(f"{where}: '{role}' must be the same for all words of one unit")
    first = members[0]
    row = _word_row(
        table,
        f"{n_before + 1}-{n_before + len(members)}",
        {
            "form": first["unit_form"],
            "feats": first.get("unit_feats"),
            "misc": first.get("unit_misc"),
            "space_after": first.get("space_after"),
        },
        where,
    )
    return row


def _empty_node(table: UserTable, entry: Mapping[str, Any], where: str) -> tuple[str, ...]:
    cells = (table.cell(role, entry.get(role), where) for role in _COLUMNS)
    return (str(entry.get("id")), *cells)


def _with_empty_nodes(rows: list[tuple[str, ...]], nodes: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Put empty nodes (`8.1`) after the words that they follow."""
    for node in nodes:
        word = node[0].partition(".")[0]
        after = [index for index, row in enumerate(rows) if row[0].partition(".")[0] == word]
        rows.insert(after[-1] + 1 if after else 0, node)
    return rows


def _spaces_from_text(rows: list[tuple[str, ...]], text: str, where: str) -> list[tuple[str, ...]]:
    """Mark the tokens that no space follows, by finding each in the text."""
    spaced, position, covered = [], 0, 0
    for row in rows:
        identifier = row[0]
        if "." in identifier or (identifier.isdigit() and int(identifier) <= covered):
            spaced.append(row)
            continue
        if "-" in identifier:
            covered = int(identifier.partition("-")[2])
        end = position + len(row[_FORM])
        if text[position:end] != row[_FORM]:
            found = text[position : end + 10]
            raise DataError(
                f"{where}: `text` has {found!r} where token '{row[_FORM]}' was due; if it is in a multiword "
                "token, give that too (mwt, ranges in word_id, or unit_id and unit_form)"
            )
        position = end
        while position < len(text) and text[position].isspace():
            position += 1
        no_space = position == end and position < len(text)
        spaced.append((*row[:_MISC], NO_SPACE) if no_space else row)
    return spaced


def _offsets(words: Sequence[Mapping[str, Any]], where: str) -> tuple[tuple[int, int], ...]:
    pairs = [(word.get("unit_start_char"), word.get("unit_end_char")) for word in words]
    given = [(start, end) for start, end in pairs if start is not None and end is not None]
    if given and len(given) != len(pairs):
        raise DataError(f"{where}: offsets must be there for all words of a sentence or for none")
    return tuple(given)


def _is_per_word(role: str) -> bool:
    return role not in ("doc_id", "sent_id", "split", "text", "comments", "mwt", "empty_nodes")

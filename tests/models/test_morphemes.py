"""Segmentation by lists: an invented language first, then the Portuguese lists that ship."""

import unicodedata
from pathlib import Path

import pytest
import yaml

from rig.core.errors import ConfigError, DataError
from rig.models.morphemes import Morphology, morpheme_table

INVENTED = Morphology.from_config({"prefixes": ["un", "u"], "suffixes": ["er", "ers", "s"], "min_stem": 3})
PORTUGUESE = Path(__file__).parents[2] / "conf" / "morphology" / "pt.yaml"


@pytest.mark.parametrize(
    ("token", "parts"),
    [
        (" unlock", ("un-", "lock")),
        (" Unlockers", ("un-", "lock", "-ers")),  # the longest suffix
        ("locks", ("lock", "-s")),
        (" uns", ("uns",)),  # neither affix leaves three letters
        (" under", ("und", "-er")),  # the suffix goes first, then `un` would leave one letter
        ("er", ("-er",)),  # a piece that is nothing but a suffix
        (" er", ()),  # a word of that spelling is no suffix
        (" un", ("un-",)),  # a piece that begins a word with a prefix
        ("un", ()),
        (" ab", ()),
        (" a1", ()),
        (" ,", ()),
        (" ", ()),
    ],
)
def test_parts_of_a_token(token: str, parts: tuple[str, ...]) -> None:
    assert INVENTED.segment(token) == parts


def test_a_part_is_a_morpheme_if_two_tokens_share_it() -> None:
    tokens = [None, " lock", "Lock", " locks", " keys", " unbolt", "er", None, " !"]
    table = morpheme_table(tokens, INVENTED)
    assert table.morphemes == ("-s", "lock")  # "un-", "key", "bolt" and "-er" have one token each
    assert table.morpheme_id.tolist() == [
        [-1, -1], [1, -1], [1, -1], [0, 1], [0, -1], [-1, -1], [-1, -1], [-1, -1], [-1, -1],
    ]  # fmt: skip


def test_a_vocabulary_without_a_shared_morpheme_is_refused() -> None:
    with pytest.raises(DataError, match="no two of the 3 vocabulary entries share a morpheme"):
        morpheme_table([None, " lock", " key"], INVENTED)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prefix": []}, r"unknown key 'prefix' in `morphology`\. Did you mean 'prefixes'"),
        ({"suffixes": None}, r"`morphology\.suffixes` must be a list of affixes, got None"),
        ({"suffixes": "s"}, r"`morphology\.suffixes` must be a list of affixes, got 's'"),
        ({"suffixes": ["-s"]}, "must hold lower-case letters without hyphens, got '-s'"),
        ({"suffixes": [True]}, "must hold lower-case letters without hyphens, got True"),
        ({"prefixes": ["Un"]}, "must hold lower-case letters without hyphens, got 'Un'"),
        ({"prefixes": ["u", "u"]}, r"`morphology\.prefixes` holds 'u' twice"),
        ({"min_stem": 0}, r"`morphology\.min_stem` must be an integer of at least 1, got 0"),
        ({"min_stem": True}, r"`morphology\.min_stem` must be an integer of at least 1, got True"),
    ],
)
def test_a_wrong_config_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Morphology.from_config({"prefixes": ["un"], "suffixes": ["s"], "min_stem": 3, **changes})


def test_a_missing_key_is_named() -> None:
    with pytest.raises(ConfigError, match=r"`morphology\.min_stem` is missing"):
        Morphology.from_config({"prefixes": [], "suffixes": []})


def test_the_portuguese_lists_are_readable_and_split_what_they_should() -> None:
    config = yaml.safe_load(PORTUGUESE.read_text(encoding="utf-8"))
    morphology = Morphology.from_config(config)
    for affix in (*morphology.prefixes, *morphology.suffixes):
        assert unicodedata.is_normalized("NFC", affix)
    expected = {
        " organizações": ("organiz", "-ações"),
        " desorganizado": ("des-", "organiz", "-ado"),
        " Felizmente": ("feliz", "-mente"),
        " casas": ("cas", "-as"),
        " casa": ("cas", "-a"),
        " cantaram": ("cant", "-aram"),
        " impossíveis": ("im-", "poss", "-íveis"),
        " não": ("não",),
        "ção": ("-ção",),
        " de": (),
    }
    assert {token: morphology.segment(token) for token in expected} == expected

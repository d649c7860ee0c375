"""What holds for every tokenizer: tiling spans, exact round trips, no BOS, errors that name the mistake."""

import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.core.errors import ConfigError, DataError, ModelError
from rig.models.tokenizer import AbstractTokenizer, Encoding, train_tokenizer

TEXTS = (
    "A menina não viu o cão. Os cães não viram a menina; viram-na depois, em 1.000,50 segundos.",
    "«Não», disse a avó d'água: vê-la é difícil…  Pão, mão, irmão. \n Fim 😀!",
)
CONFIGS = (
    {"type": "bpe", "vocab_size": 300},
    {"type": "byte", "vocab_size": 257},
    {"type": "word", "vocab_size": 20},
)
TOKENIZERS = {str(config["type"]): train_tokenizer(config, TEXTS) for config in CONFIGS}

every_type = pytest.mark.parametrize("tokenizer", TOKENIZERS.values(), ids=TOKENIZERS.keys())
lossless = pytest.mark.parametrize("tokenizer", [TOKENIZERS["bpe"], TOKENIZERS["byte"]], ids=["bpe", "byte"])
nfc_text = st.text(max_size=60).map(lambda text: unicodedata.normalize("NFC", text))


def refuse_if_not_tiling(text: str, encoding: Encoding) -> None:
    edges = np.concatenate([[0], encoding.char_end])
    assert encoding.char_start.tolist() == edges[:-1].tolist()
    assert (np.diff(edges) >= 0).all()
    assert edges[-1] == len(text)


@every_type
@settings(deadline=None)
@given(text=nfc_text)
def test_spans_tile_any_text_and_no_token_is_bos(tokenizer: AbstractTokenizer, text: str) -> None:
    encoding = tokenizer.encode(text)
    refuse_if_not_tiling(text, encoding)
    assert (encoding.token_id > tokenizer.bos_id).all()
    assert (encoding.token_id < tokenizer.vocab_size).all()
    for array in (encoding.token_id, encoding.char_start, encoding.char_end):
        assert array.dtype == np.int64


@lossless
@settings(deadline=None)
@given(text=nfc_text)
def test_bytes_come_back_exactly(tokenizer: AbstractTokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text).token_id) == text


@every_type
@settings(deadline=None)
@given(text=nfc_text)
def test_only_unknown_words_cost_extra(tokenizer: AbstractTokenizer, text: str) -> None:
    encoding = tokenizer.encode(text)
    nats = tokenizer.extra_nats(text, encoding)
    assert nats.dtype == np.float64
    assert nats.shape == encoding.token_id.shape
    assert ((nats > 0) == (encoding.token_id == tokenizer.unk_id)).all()


@every_type
def test_the_text_of_a_token_is_what_it_spans(tokenizer: AbstractTokenizer) -> None:
    assert len(tokenizer.tokens) == tokenizer.vocab_size
    for text in TEXTS:
        encoding = tokenizer.encode(text)
        spans = zip(encoding.token_id, encoding.char_start, encoding.char_end, strict=True)
        spoken = [(tokenizer.tokens[index], text[start:end]) for index, start, end in spans]
        assert [token for token, _ in spoken if token is not None] == [
            span for token, span in spoken if token is not None
        ]


@every_type
def test_a_text_that_looks_like_a_special_token_is_only_text(tokenizer: AbstractTokenizer) -> None:
    text = "<s> <bos> [UNK] <|endoftext|> [BOS]"
    encoding = tokenizer.encode(text)
    refuse_if_not_tiling(text, encoding)
    assert tokenizer.bos_id == 0
    assert 0 not in encoding.token_id
    assert tokenizer.tokens[0] is None


@every_type
def test_an_empty_text_has_no_tokens(tokenizer: AbstractTokenizer) -> None:
    encoding = tokenizer.encode("")
    assert len(encoding) == 0
    assert tokenizer.decode(encoding.token_id) == ""
    assert tokenizer.extra_nats("", encoding).shape == (0,)


@every_type
def test_bos_writes_nothing(tokenizer: AbstractTokenizer) -> None:
    ids = tokenizer.encode("A menina").token_id.tolist()
    assert tokenizer.decode([0, *ids, 0]) == tokenizer.decode(ids)


def test_pieces_of_a_split_character_count_it_once() -> None:
    # "não": n, the two bytes of ã, o. A library's offsets give both bytes of ã the span 1:2.
    encoding = TOKENIZERS["byte"].encode("não")
    assert encoding.char_start.tolist() == [0, 1, 2, 2]
    assert encoding.char_end.tolist() == [1, 2, 2, 3]


def test_pieces_of_an_emoji_count_it_once() -> None:
    encoding = TOKENIZERS["byte"].encode("a😀b")
    assert encoding.char_start.tolist() == [0, 1, 2, 2, 2, 2]
    assert encoding.char_end.tolist() == [1, 2, 2, 2, 2, 3]


def test_a_piece_with_the_rest_of_one_character_and_the_next_spans_the_next() -> None:
    # Cut "ãéx" (c3 a3 c3 a9 78) as c3 | a3 c3 | a9 78: each piece spans the characters that begin in it.
    encoding = Encoding.from_byte_pieces("ãéx".encode(), np.array([5, 6, 7]), np.array([1, 2, 2]))
    assert encoding.char_start.tolist() == [0, 1, 2]
    assert encoding.char_end.tolist() == [1, 2, 3]


def test_pieces_that_do_not_add_up_to_the_text_are_refused() -> None:
    with pytest.raises(ModelError, match="hold 3 bytes where it has 4"):
        Encoding.from_byte_pieces("não".encode(), np.array([1, 2]), np.array([1, 2]))


@every_type
@pytest.mark.parametrize("bad", [-1, 10_000])
def test_an_id_outside_the_vocabulary_is_refused(tokenizer: AbstractTokenizer, bad: int) -> None:
    with pytest.raises(ModelError, match=rf"must lie in \[0, {tokenizer.vocab_size}\), got {bad}"):
        tokenizer.decode([1, bad])


@every_type
def test_half_a_surrogate_pair_is_refused(tokenizer: AbstractTokenizer) -> None:
    with pytest.raises(DataError, match=r"lone surrogate '\\ud83d' at character 2"):
        tokenizer.encode("ab\ud83d")


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config["type"])
def test_half_a_surrogate_pair_is_refused_in_training(config: dict[str, object]) -> None:
    with pytest.raises(DataError, match="lone surrogate"):
        train_tokenizer(config, ["a\ud83d"])


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"type": "bpe", "vocab_size": 256}, "must be at least 257 for type 'bpe'.* got 256"),
        ({"type": "word", "vocab_size": 2}, "must be at least 3 for type 'word'.* got 2"),
        ({"type": "byte", "vocab_size": 1024}, "must be 257 for type 'byte'.* got 1024"),
        ({"type": "bpe", "vocab_size": True}, "must be an integer, got True"),
        ({"type": "bpe", "vocab_size": 1e3}, r"must be an integer, got 1000\.0"),
        ({"type": "bpe"}, "must be an integer, got None"),
        ({"type": "wrod", "vocab_size": 9}, "unknown `tokenizer.type` 'wrod'. Did you mean 'word'"),
        ({"vocab_size": 9}, "unknown `tokenizer.type` 'None'. Known: bpe, byte, word"),
        ({"type": "bpe", "vocab": 9}, "unknown key 'tokenizer.vocab'. Did you mean 'vocab_size'"),
    ],
)
def test_a_wrong_config_is_refused(config: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        train_tokenizer(config, TEXTS)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config["type"])
@pytest.mark.parametrize("texts", [[], [""], ["  \n", "\t"]])
def test_training_on_nothing_is_refused(config: dict[str, object], texts: list[str]) -> None:
    with pytest.raises(DataError, match=f"can't be trained on {len(texts)} texts without a visible"):
        train_tokenizer(config, texts)


@pytest.mark.parametrize("texts", ["one text", [b"bytes"], [None]])
def test_training_on_what_is_no_list_of_texts_is_refused(texts: object) -> None:
    with pytest.raises(DataError, match="a sequence of texts"):
        train_tokenizer(CONFIGS[0], texts)  # type: ignore[arg-type]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config["type"])
def test_training_twice_gives_the_same_tokenizer(config: dict[str, object]) -> None:
    again = train_tokenizer(config, list(TEXTS))
    first = TOKENIZERS[str(config["type"])]
    assert again.sha256 == first.sha256
    assert again.tokens == first.tokens


@pytest.mark.slow
def test_training_does_not_depend_on_the_hash_seed_or_the_number_of_threads() -> None:
    script = (
        "import sys; from rig.models.tokenizer import train_tokenizer\n"
        "texts = ['não há casa amarela, há ' + 'casas ' * n for n in range(40)]\n"
        "for kind, size in (('bpe', 320), ('word', 9)):\n"
        "    sys.stdout.write(train_tokenizer({'type': kind, 'vocab_size': size}, texts).sha256 + chr(10))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": hash_seed, "RAYON_NUM_THREADS": threads, "TOKENIZERS_PARALLELISM": "true"},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for hash_seed, threads in (("0", "1"), ("1", "4"), ("2", "2"))
    }
    assert len(outputs) == 1
    assert len(outputs.pop().split()) == 2


def test_other_texts_give_another_hash() -> None:
    for config in CONFIGS:
        if config["type"] != "byte":
            assert train_tokenizer(config, TEXTS[:1]).sha256 != TOKENIZERS[str(config["type"])].sha256


@pytest.mark.real_data
@pytest.mark.slow
@pytest.mark.parametrize(("vocab_size", "fewest_cut"), [(512, 100), (4_096, 1)])
def test_spans_of_a_treebank_tile_it(test_data: Path, vocab_size: int, fewest_cut: int) -> None:
    train, test = (
        [
            line.removeprefix("# text = ")
            for line in path.read_text("utf-8").splitlines()
            if "# text = " in line
        ]
        for path in (
            Path(test_data, "ud/Bosque/pt_bosque-ud-train.rebuilt.conllu"),
            Path(test_data, "ud/Bosque/pt_bosque-ud-test.conllu"),
        )
    )
    tokenizer = train_tokenizer({"type": "bpe", "vocab_size": vocab_size}, train)
    text = " ".join(test)
    encoding = tokenizer.encode(text)
    refuse_if_not_tiling(text, encoding)
    assert tokenizer.decode(encoding.token_id) == text
    assert (encoding.char_start == encoding.char_end).sum() >= fewest_cut

import pytest

from rig.core.errors import ConfigError, DataError
from rig.parsers.catalog import build_parser, check_parser_options, plausibility_path
from rig.parsers.model_files import SHIPPED_MODELS, files_sha256, model_paths


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "udpip", "model": "x"}, r"unknown parser 'udpip' .* Did you mean 'udpipe'\?"),
        ({"model": "x"}, "unknown parser 'None'"),
        ({"name": "udpipe", "modell": "x"}, r"unknown option 'modell' .* Did you mean 'model'\?"),
        ({"name": "udpipe"}, "must be a name, a path or a list of paths, got None"),
        ({"name": "udpipe", "model": []}, r"got \[\]"),
        ({"name": "udpipe", "model": ["a", 3]}, r"got \['a', 3\]"),
        ({"name": "udpipe", "model": ""}, "got ''"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        check_parser_options(options)


def test_two_paths_are_neither_a_model_nor_a_chain():
    with pytest.raises(ConfigError, match=r"one UDPipe model, or three .* got 2 paths"):
        build_parser({"name": "udpipe", "model": ["a", "b"]})


def test_a_missing_model_says_what_ships():
    with pytest.raises(DataError, match=r"'none.udpipe' is not a file; .* a shipped model: nano_pt"):
        build_parser({"name": "udpipe", "model": "none.udpipe"})


def test_a_file_that_is_no_model_is_refused(tmp_path):
    path = tmp_path / "text.udpipe"
    path.write_text("not a model")
    with pytest.raises(DataError, match=r"'text.udpipe' is not a UDPipe model; train one"):
        build_parser({"name": "udpipe", "model": str(path)})


def test_the_table_lies_beside_the_model(tmp_path):
    assert (
        plausibility_path({"name": "udpipe", "model": "nano_pt"})
        == SHIPPED_MODELS / "nano_pt.plausibility.json"
    )
    chain = [str(tmp_path / name) for name in ("tok.udpipe", "tag.udpipe", "par.udpipe")]
    assert plausibility_path({"name": "udpipe", "model": chain}) is None
    table = tmp_path / "par.plausibility.json"
    table.touch()
    assert plausibility_path({"name": "udpipe", "model": chain}) == table
    assert plausibility_path({"name": "stanza", "model": chain[0]}) is None


def test_a_hash_over_files_depends_on_their_bytes_and_order(tmp_path):
    one, two = tmp_path / "1", tmp_path / "2"
    one.write_bytes(b"a")
    two.write_bytes(b"b")
    # SHA-256 of "ab", from its definition's test vectors by sha256sum.
    assert files_sha256([one, two]) == "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603"
    assert files_sha256([two, one]) != files_sha256([one, two])


def test_a_path_wins_where_no_model_ships_under_that_name():
    assert model_paths("elsewhere/nano_pt.udpipe")[0].as_posix() == "elsewhere/nano_pt.udpipe"

import pytest

from rig.core.errors import DataError
from rig.data.utf8 import read_utf8


def test_reads_text_as_it_is(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("é\r\n😀\n".encode())
    assert read_utf8(path) == "é\r\n😀\n"


def test_a_byte_order_mark_is_no_text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfid")
    assert read_utf8(path) == "id"


def test_latin1_is_refused_with_the_byte(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("não".encode("latin1"))
    with pytest.raises(DataError, match=r"a\.txt' must be UTF-8 text, but byte 0xe3 at offset 1 is not"):
        read_utf8(path)


def test_utf16_is_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("não".encode("utf-16"))
    with pytest.raises(DataError, match="byte 0xff at offset 0"):
        read_utf8(path)


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(DataError, match=r"none\.txt' does not exist"):
        read_utf8(tmp_path / "none.txt")
    with pytest.raises(DataError, match="is a folder where a file was due"):
        read_utf8(tmp_path)

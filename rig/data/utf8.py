"""Reading a text file that a user names: UTF-8 or a sentence that says what is wrong with it."""

from pathlib import Path

from rig.core.errors import DataError


def read_utf8(path: Path) -> str:
    """The text of a UTF-8 file, without a byte order mark, with its line ends as they are.

    Raises:
        DataError: The file is missing, not a file, or not UTF-8.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"'{path}' does not exist; check the path in the data config") from None
    except IsADirectoryError:
        raise DataError(f"'{path}' is a folder where a file was due; name the file in it") from None
    except PermissionError:
        raise DataError(f"'{path}' can't be read; check its permissions") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(
            f"'{path}' must be UTF-8 text, but byte {data[error.start]:#04x} at offset {error.start} is not; "
            "convert it, for example with `iconv -f latin1 -t utf-8`"
        ) from None

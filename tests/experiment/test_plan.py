import pytest

from rig.core.errors import UsageError
from rig.experiment.plan import check_baseline, parse_names, parse_seeds


def test_names_and_seeds_are_read() -> None:
    assert parse_names("baseline, masha_ab", "--kinds") == ["baseline", "masha_ab"]
    assert parse_seeds("41, 42,0") == [41, 42, 0]
    assert check_baseline(None, ["a", "b"]) == "a"
    assert check_baseline("b", ["a", "b"]) == "b"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"--kinds must be names separated by commas, got ''"),
        ("a,,b", "--kinds must be names separated by commas, got 'a,,b'"),
        ("a,b,a", "--kinds names 'a' twice"),
    ],
)
def test_names_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_names(text, "--kinds")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "got ''"),
        ("41,x", "got 'x'"),
        ("041", "got '041'"),
        ("-1", "got '-1'"),
        ("4.0", r"got '4\.0'"),
        ("٤١", "got '٤١'"),
        ("41,42,41", "--seeds gives 41 twice; a repeated seed is no new evidence"),
        ("9223372036854775808", r"must be below 2\^63"),
    ],
)
def test_seeds_that_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_seeds(text)


def test_a_baseline_must_be_among_the_kinds() -> None:
    with pytest.raises(
        UsageError, match=r"--baseline 'basline' is not among --kinds\. Did you mean 'baseline'\?"
    ):
        check_baseline("basline", ["baseline", "masha_ab"])

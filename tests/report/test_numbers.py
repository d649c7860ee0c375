import pytest

from rig.report import numbers


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.0, "0"),
        (3.14159, "3.142"),
        (31.4159, "31.42"),
        (12345.6, "12346"),
        (0.00123456, "0.001235"),
        (-2.5, "−2.500"),
        (1.5e9, "1.500e+09"),
        (2.5e-7, "2.500e-07"),
        (1024.0, "1024"),
    ],
)
def test_a_value(value: float | None, text: str) -> None:
    assert numbers.value_text(value) == text


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(None, 3, "–"), (0.0312, 3, "+0.031"), (-0.0312, 3, "−0.031"), (0.0, 3, "0.000"), (-0.0001, 3, "0.000")],
)
def test_a_difference_has_a_sign_unless_it_is_zero(value: float | None, decimals: int, text: str) -> None:
    assert numbers.delta_text(value, decimals) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [(None, "–"), (0.0, "<0.001"), (1e-9, "<0.001"), (0.001, "0.001"), (0.25, "0.250"), (1.0, "1.000")],
)
def test_a_p_value_is_never_written_as_zero(p: float | None, text: str) -> None:
    assert numbers.p_text(p) == text


@pytest.mark.parametrize(
    ("spread", "decimals"),
    [(None, 3), (0.0, 3), (0.031, 3), (0.31, 2), (31.0, 2), (0.00031, 5), (0.0000031, 5)],
)
def test_decimals_show_two_digits_of_the_spread(spread: float | None, decimals: int) -> None:
    assert numbers.decimals_for(spread) == decimals


@pytest.mark.parametrize(
    ("value", "spread", "decimals"),
    [
        (2.008, 0.012, 3), (197.1, 6.1, 1), (3791.0, 183.0, 0), (0.0055, 0.0049, 4), (1.612, None, 3),
        (69.42, None, 2), (0.0, 0.0, 3), (None, None, 3), (1.0, 0.0, 3), (1.0, 1e-9, 5),
    ],
)  # fmt: skip
def test_a_value_in_a_table_shows_its_spread_and_four_of_its_own_digits(
    value: float | None, spread: float | None, decimals: int
) -> None:
    assert numbers.table_decimals(value, spread) == decimals


@pytest.mark.parametrize(
    ("delta", "spread", "decimals"),
    [
        (0.00888, 0.0008, 5), (0.000123, None, 6), (-0.000123, 0.0, 6), (0.1, None, 3), (12.5, None, 1),
        (4321.0, None, 0), (0.0, None, 3), (None, None, 3), (1e-12, None, 9),
    ],
)  # fmt: skip
def test_a_difference_without_a_spread_has_decimals_of_its_own(
    delta: float | None, spread: float | None, decimals: int
) -> None:
    assert numbers.difference_decimals(delta, spread) == decimals


@pytest.mark.parametrize(
    ("p", "text"), [(0.031, "Holm p = 0.031"), (1e-9, "Holm p < 0.001"), (None, "Holm p = –")]
)
def test_a_p_value_in_a_sentence(p: float | None, text: str) -> None:
    assert numbers.p_phrase(p, "Holm p") == text


def test_a_spread_a_hair_below_a_power_of_ten_is_that_power() -> None:
    assert numbers.decimals_for(0.001) == numbers.decimals_for(0.001 * (1 - 1e-12)) == 4


def test_the_rest() -> None:
    assert numbers.percent_text(-0.0274) == "−2.74%"
    assert numbers.percent_text(None) == numbers.EMPTY
    assert numbers.level_text(0.95) == "95%"
    assert numbers.level_text(0.999) == "99.9%"
    assert numbers.fixed_text(1.8718715e9, 0) == "1.87e+09"
    assert numbers.delta_text(-470757914.0, 0) == "−4.71e+08"
    assert numbers.interval_text(-0.045, 0.012, 3) == "[−0.045, +0.012]"
    assert numbers.interval_text(None, 0.012, 3) == "–"
    assert numbers.count_text(182144) == "182 144"
    assert numbers.lr_text(0.000464158) == "4.64e-04"
    assert numbers.seconds_text(200.4) == "3 min 20 s"
    assert numbers.seconds_text(48.2) == "48 s"
    assert numbers.share_text(0.8) == "0.800"
    assert numbers.fixed_text(None, 2) == numbers.EMPTY

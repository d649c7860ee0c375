"""How a number is written for people. Pure; the CSV and parquet hold exact values.

A value and its spread have the same number of decimals; a p-value is never written as 0; an empty value is a
dash.
"""

import math

EMPTY = "–"
"""What an unevaluated cell shows."""
_MINUS = "−"
SIGNIFICANT_DIGITS = 4
"""Enough to see a difference of a thousandth of a perplexity of 10, few enough to read."""
_SMALLEST_P = 0.001
_LARGEST_PLAIN = 1e7
_MOST_DECIMALS = 9


def value_text(value: float | None, *, digits: int = SIGNIFICANT_DIGITS) -> str:
    """A value with `digits` significant digits, without exponent between 1e-4 and 1e7.

    Whole thousands keep all their digits: 12345.6 is `12346`.
    """
    if value is None:
        return EMPTY
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if not -4 <= magnitude < 7:
        return _signed(f"{value:.{digits - 1}e}")
    return _signed(f"{value:.{max(digits - 1 - magnitude, 0)}f}")


def share_text(value: float | None) -> str:
    """A share in [0, 1] with three decimals."""
    return EMPTY if value is None else f"{value:.3f}"


def decimals_for(spread: float | None, *, least: int = 2, most: int = 5) -> int:
    """Decimals that show a spread (a standard deviation, half an interval) with two significant digits."""
    if spread is None or spread == 0 or not math.isfinite(spread):
        return 3
    # A hair below a power of ten is that power: 0.00999... is 0.010.
    return min(max(1 - math.floor(math.log10(abs(spread)) + 1e-9), least), most)


def table_decimals(value: float | None, spread: float | None) -> int:
    """Decimals of a value in a table: two digits of its spread, at least four of the value, 5 at most."""
    if value is None or value == 0 or not math.isfinite(value):
        return decimals_for(spread, least=3)
    least = min(max(SIGNIFICANT_DIGITS - 1 - math.floor(math.log10(abs(value))), 0), 3)
    return decimals_for(spread, least=least) if spread else least


def difference_decimals(delta: float | None, spread: float | None) -> int:
    """Decimals of a difference: a value's in a table; without a spread (one seed) three digits of its own."""
    if spread:
        return table_decimals(delta, spread)
    if not delta or not math.isfinite(delta):
        return 3
    return min(max(2 - math.floor(math.log10(abs(delta)) + 1e-9), 0), _MOST_DECIMALS)


def percent_text(share: float | None, decimals: int = 2) -> str:
    """A relative change in percent, its sign always written: `+3.10%`."""
    return EMPTY if share is None else f"{delta_text(100.0 * share, decimals)}%"


def level_text(level: float) -> str:
    """A confidence level: `95%`, `99.9%`."""
    return f"{100.0 * level:g}%"


def fixed_text(value: float | None, decimals: int) -> str:
    """A value with so many decimals; from ten million on with an exponent."""
    if value is None:
        return EMPTY
    return _signed(f"{value:.{decimals}f}" if abs(value) < _LARGEST_PLAIN else f"{value:.2e}")


def delta_text(value: float | None, decimals: int) -> str:
    """A difference, its sign always written: `+0.031`, `−0.031`; one that rounds to zero has none."""
    if value is None:
        return EMPTY
    text = f"{value:.{decimals}f}" if abs(value) < _LARGEST_PLAIN else f"{value:.2e}"
    if float(text) == 0:
        return text.removeprefix("-")
    return _signed(text) if value < 0 else f"+{text}"


def interval_text(low: float | None, high: float | None, decimals: int) -> str:
    """An interval of differences: `[−0.045, +0.012]`."""
    if low is None or high is None:
        return EMPTY
    return f"[{delta_text(low, decimals)}, {delta_text(high, decimals)}]"


def p_text(p: float | None) -> str:
    """A p-value: three decimals, `<0.001` below, never 0."""
    if p is None:
        return EMPTY
    return f"<{_SMALLEST_P}" if p < _SMALLEST_P else f"{p:.3f}"


def p_phrase(p: float | None, name: str = "p") -> str:
    """A p-value as a sentence says it: `p = 0.031`, `p < 0.001`."""
    text = p_text(p)
    return f"{name} < {text.removeprefix('<')}" if text.startswith("<") else f"{name} = {text}"


def count_text(value: int | None) -> str:
    """A count in groups of three: `182 144`."""
    return EMPTY if value is None else f"{value:,}".replace(",", " ")


def lr_text(value: float | None) -> str:
    """A learning rate with three significant digits: `4.64e-04`."""
    return EMPTY if value is None else f"{value:.2e}"


def seconds_text(value: float | None) -> str:
    """A duration: `48 s`, `3 min 20 s`."""
    if value is None:
        return EMPTY
    minutes, seconds = divmod(round(value), 60)
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"


def _signed(text: str) -> str:
    return text.replace("-", _MINUS, 1) if text.startswith("-") else text

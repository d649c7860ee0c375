"""What a fault does to perplexity, against arithmetic."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.audit.finding import failed_checks, failures, perplexity_effect


@pytest.mark.parametrize(
    ("given_ppl", "right_ppl", "expected"),
    [
        (96.0, 12.0, "perplexity would be 96.0 where it is 12.0, 8.00 times too high"),
        (12.0, 96.0, "perplexity would be 12.0 where it is 96.0, 8.00 times too low"),
        (10.5, 10.0, "perplexity would be 10.5 where it is 10.0, 5% too high"),
        (1.0, 1024.0, "perplexity would be 1.00 where it is 1,024, 1,024 times too low"),
        (12345.6, 12345.6 / 2.5, "perplexity would be 12,346 where it is 4,938, 2.50 times too high"),
        (1e9, 10.0, "perplexity would be more than 1,000,000 where it is 10.0, more than 1,000,000 times "
                    "too high"),
    ],
)  # fmt: skip
def test_the_effect_says_both_perplexities_and_their_ratio(
    given_ppl: float, right_ppl: float, expected: str
) -> None:
    assert perplexity_effect(math.log(given_ppl), math.log(right_ppl)) == expected


@given(st.floats(0, 1e4), st.floats(0, 1e4))
def test_no_pair_of_losses_overflows_or_is_not_a_number(one: float, other: float) -> None:
    text = perplexity_effect(one, other)
    assert "inf" not in text
    assert "nan" not in text
    assert ("too high" in text) == (one > other)


def test_a_result_without_an_audit_failed_nothing() -> None:
    assert failed_checks({"status": "diverged"}) == []


def test_only_failures_fail() -> None:
    findings = [{"check": name, "status": name} for name in ("passed", "failed", "not checked")]
    assert failures(findings) == [{"check": "failed", "status": "failed"}]
    assert failed_checks({"audit": findings}) == ["failed"]

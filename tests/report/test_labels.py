import pytest

from rig.report.labels import short_state, shortened


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("OK", "OK"),
        ("NOT APPLICABLE", "NOT APPLICABLE"),
        ("STALE (code only)", "STALE (code only)"),
        ("UNLOCKED (missing)", "UNLOCKED (missing)"),
        ("UNLOCKED (stale: train.steps, data.words)", "UNLOCKED (stale)"),
    ],
)
def test_a_state_in_a_table_leaves_out_what_is_stale(label: str, text: str) -> None:
    assert short_state(label) == text


def test_many_names_are_cut_to_the_first_four() -> None:
    nine = [f"m{index}" for index in range(9)]
    assert shortened(nine) == "m0, m1, m2, m3, m4, m5, m6, m7, m8"
    assert shortened([*nine, "m9"]) == "m0, m1, m2, m3 and 6 more"

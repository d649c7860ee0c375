import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.core.errors import VerificationError
from rig.experiment.curve import CurvePoint, check_choice, choose, read_curve


def curve(*losses: float | None) -> tuple[CurvePoint, ...]:
    return tuple(
        CurvePoint(
            index=index,
            value=10.0 ** (index - 4),
            loss=loss,
            status="diverged" if loss is None else "ok",
            cell=f"baseline/{index:016x}-s7",
        )
        for index, loss in enumerate(losses)
    )


def test_the_lowest_loss_is_chosen() -> None:
    choice = choose(curve(3.0, 2.0, 2.5, None))
    assert choice is not None
    assert (choice.value, choice.loss, choice.index, choice.at_edge) == (1e-3, 2.0, 1, False)


def test_of_equal_losses_the_smaller_value_is_chosen() -> None:
    choice = choose(curve(3.0, 2.0, 2.0, 2.0, 4.0))
    assert choice is not None
    assert choice.index == 1


@pytest.mark.parametrize(("losses", "index"), [((1.0, 2.0, 3.0), 0), ((3.0, 2.0, 1.0), 2)])
def test_the_ends_are_edges(losses, index) -> None:
    choice = choose(curve(*losses))
    assert choice is not None
    assert (choice.index, choice.at_edge) == (index, True)


def test_the_last_point_before_a_divergence_is_no_edge() -> None:
    choice = choose(curve(3.0, 2.0, None))
    assert choice is not None
    assert not choice.at_edge


def test_nothing_is_chosen_where_all_diverged() -> None:
    assert choose(curve(None, None, None)) is None


@given(st.lists(st.one_of(st.none(), st.floats(0, 20)), min_size=3, max_size=12))
def test_the_choice_is_a_minimum_and_survives_storage(losses) -> None:
    points = curve(*losses)
    choice = choose(points)
    if choice is None:
        assert all(loss is None for loss in losses)
        return
    assert choice.loss == min(loss for loss in losses if loss is not None)
    assert choice.loss not in losses[: choice.index]
    stored = [point.to_json("lr") for point in points]
    assert read_curve(stored, "lr") == points
    assert check_choice(choice.to_json("lr"), points, "lr") == choice


@pytest.mark.parametrize(
    ("field", "value"), [("lr", 0.02), ("val_loss", 1.9), ("index", 2), ("at_edge", True), ("at_edge", 0)]
)
def test_a_changed_choice_names_the_field(field, value) -> None:
    points = curve(3.0, 2.0, 2.5)
    held = {"lr": 1e-3, "val_loss": 2.0, "index": 1, "at_edge": False, field: value}
    with pytest.raises(VerificationError, match=rf"chosen\.{field} is .* but the curve says"):
        check_choice(held, points, "lr")


def test_a_choice_from_nothing_is_refused() -> None:
    with pytest.raises(VerificationError, match="every point diverged"):
        check_choice({"lr": 1.0}, curve(None, None, None), "lr")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"status": "failed"}, "'failed' with val_loss 2.0"),
        ({"val_loss": None}, "'ok' with val_loss None"),
        ({"status": "diverged"}, "'diverged' with val_loss 2.0"),
        ({"extra": 1}, "has the fields"),
        ({"index": 5}, "not numbered"),
        ({"lr": 1e-9}, "do not ascend"),
        ({"lr": "0.1"}, "is no number"),
        ({"val_loss": True}, "is no number"),
    ],
)
def test_what_is_no_curve_is_refused(change, message) -> None:
    stored = [point.to_json("lr") for point in curve(3.0, 2.0, 2.5)]
    stored[1] |= change
    with pytest.raises((ValueError, TypeError), match=message):
        read_curve(stored, "lr")

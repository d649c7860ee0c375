import pytest

from rig.core.errors import ModelError
from rig.core.items import Item


@pytest.mark.parametrize("field", ["predicted", "gold"])
def test_an_item_is_finite(field: str) -> None:
    values = {"predicted": 1.0, "gold": 1.0, field: float("nan")}
    with pytest.raises(ModelError, match=f"item 'i': `{field}` must be finite, got nan"):
        Item(item_id="i", cluster_id="c", cell="", **values)

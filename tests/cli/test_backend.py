"""`model.backend` through the commands: what it needs, and what a lock made with another is good for."""

import pytest

TORCH = "model.backend=torch"


def test_an_unknown_backend_is_refused(swept) -> None:
    status, said = swept.tier1("model.backend=jax")
    assert status == 2
    assert "`model.backend` must be numpy or torch, got 'jax'" in said


def test_without_torch_the_line_that_installs_it_is_told_before_any_work(swept, monkeypatch) -> None:
    monkeypatch.setattr("rig.models.backend.find_spec", lambda name: None)
    status, said = swept.tier1("--unlocked", TORCH)
    assert status == 2
    assert (
        "`model.backend=torch` needs a package that is not installed; run `pip install 'rig[torch]'`" in said
    )
    assert not (swept.root / "runs" / "cells").exists() or not list(
        (swept.root / "runs" / "cells").glob("*/*-s41")
    )


def test_a_lock_made_with_numpy_is_for_numpy_unless_the_transfer_is_declared(swept) -> None:
    pytest.importorskip("torch", reason="the torch backend needs torch: pip install 'rig[torch]'")
    status, said = swept.tier1(TORCH)
    assert status == 3
    assert "model.backend: lock numpy -> now torch" in said
    assert swept.tier1(TORCH, "lock.transfer=[model.backend]")[0] == 0

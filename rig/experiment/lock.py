"""Whether a kind may use the learning rate that a sweep chose for it, and what its rows say of that."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, final

State = Literal["OK", "MISSING", "STALE", "STALE (code only)", "TAMPERED", "OVERRIDE", "NOT APPLICABLE"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LockDecision:
    """What a run was allowed to use, and what it used."""

    state: State
    value: float | None
    """The value used: the lock's, or conf's for a row stamped UNLOCKED; None where the kind has none."""
    label: str
    """What each row says: `OK`, `STALE (code only)`, `UNLOCKED (missing)`, `UNLOCKED (stale: train.steps)`."""
    lock_id: str | None = None
    """First digits of the lock's self hash."""
    sweep_id: str | None = None
    lock_path: Path | None = None
    sweep_path: Path | None = None
    """The sweep's record folder, where it is on this machine."""
    notes: tuple[str, ...] = ()
    """Sentences for the report: transfers, accepted drifts, an optimum at the grid's edge."""

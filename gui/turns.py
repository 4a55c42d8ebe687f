"""Runs, proofs and measurements take turns in one background thread."""

from __future__ import annotations

from typing import Any

from engine import ALIVE, KINDS, Reading


def waits_for(store: Reading, state: str, owned: bool) -> dict[str, Any] | None:
    """What this program is at, by `id` and `kind`, while something of its own is queued; else None."""
    now = store.at_work() if state == "queued" and owned else None
    return {"id": now.id, "kind": now.kind} if now else None


def busy(store: Reading) -> bool:
    """Whether anything of theirs is alive, so that the next one waits."""
    return any(run is not None and run.state in ALIVE for run in map(store.current_run, KINDS))

"""Follows a run of this process to its end, and passes Ctrl-C and SIGTERM on to it as Stop."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

from engine.console import Teller
from engine.ending import end_signals
from engine.errors import StoreError
from engine.events import ALIVE
from engine.session import Session
from engine.store import Run, Store

LOOK = 0.1
"""Seconds between looks at the store."""


@dataclass
class Followed:
    """A run at its end, the mean of its update losses (as in `TrainOutput`), and whether it was left unfinished."""

    run: Run
    train_loss: float | None
    left: bool = False


def follow(store: Store, session: Session, run_id: int, tell: Teller, resumptions: int | None = None) -> Followed:
    """Tells the run until it has ended. A first signal stops it as Stop does; a second one leaves it as it is.

    `resumptions`: of a run that goes on, how often it had done so before; it is told from where it goes on now.
    """
    last, noted, stopping = 0, 0, False
    begun = resumptions is None
    with end_signals(heeded=2) as heard:
        while True:
            run = store.run(run_id)
            tell.look(run)
            notices = store.notices(run_id)
            if not begun and len(taken_up := places_of_resumptions(notices)) > (resumptions or 0):
                begun, noted = True, taken_up[-1]
                last = int(notices[noted]["values"]["update"])
            if begun:
                for update in store.updates(run_id, after=last):
                    last = update["update"]
                    tell.update(run, update)
                for notice in notices[noted:]:
                    noted += 1
                    print(f"Note: {notice['message']}", file=sys.stderr, flush=True)
            left = len(heard) > 1
            if left or run.state not in ALIVE:
                return Followed(run, _mean_loss(store, run_id), left)
            if heard and not stopping:
                stopping = True
                print("Stopping after this micro-batch; once more leaves at once.", file=sys.stderr, flush=True)
                try:
                    session.command(run_id, "stop")
                except StoreError:
                    continue  # it has ended meanwhile
            time.sleep(LOOK)


def places_of_resumptions(notices: list[dict[str, Any]]) -> list[int]:
    """Where among the notices of a run it is said that it went on."""
    return [place for place, notice in enumerate(notices) if notice["code"] == "run.resumed"]


def _mean_loss(store: Store, run: int) -> float | None:
    losses = [update["loss"] for update in store.updates(run) if update["loss"] is not None]
    return sum(losses) / len(losses) if losses else None

"""Follows a run of this process to its end, and passes Ctrl-C and SIGTERM on to it as Stop."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

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


def follow(store: Store, session: Session, run_id: int, tell: Teller) -> Followed:
    """Tells the run until it has ended. A first signal stops it as Stop does; a second one leaves it as it is."""
    last, total, count, noted, stopping = 0, 0.0, 0, 0, False
    with end_signals(heeded=2) as heard:
        while True:
            run = store.run(run_id)
            tell.look(run)
            for update in store.updates(run_id, after=last):
                last = update["update"]
                tell.update(run, update)
                if update["loss"] is not None:
                    total, count = total + update["loss"], count + 1
            for notice in store.notices(run_id)[noted:]:
                noted += 1
                print(f"Note: {notice['message']}", file=sys.stderr, flush=True)
            mean = total / count if count else None
            if run.state not in ALIVE:
                return Followed(run, mean)
            if len(heard) > 1:
                return Followed(run, mean, left=True)
            if heard and not stopping:
                stopping = True
                print("Stopping after this micro-batch; once more leaves at once.", file=sys.stderr, flush=True)
                try:
                    session.command(run_id, "stop")
                except StoreError:
                    continue  # it has ended meanwhile
            time.sleep(LOOK)

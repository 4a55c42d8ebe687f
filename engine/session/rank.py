"""One process of a run that a session has started through `accelerate launch`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import NoReturn, cast

import psutil

from engine.events import COMMANDS, Command
from engine.ranks import Several
from engine.session.control import Control
from engine.session.launched import CLOSING, JOINED, LOOK
from engine.session.several import follow, lead
from engine.store import Store
from engine.store.recorder import as_json
from engine.trust import Trust, trust


def main() -> NoReturn:
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--run", type=int, required=True)
    parser.add_argument("--trust-remote-code", action="store_true")
    parser.add_argument("--allow-pickle", action="store_true")
    given = parser.parse_args()
    trust(Trust(given.trust_remote_code, given.allow_pickle))
    # who has started us ends us by closing our standard input; what happened is to be written first
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_live_with, args=(int(os.environ["BIRIKIM_PROGRAM"]),), daemon=True).start()
    ranks = Several(float(os.environ["BIRIKIM_PATIENCE"]))
    done = _led(ranks, given.home, given.run) if ranks.leads else follow(ranks, given.home)
    sys.stdout.flush()
    # threads of a group that has lost a member may never end
    os._exit(0 if done else 1)


def _led(ranks: Several, home: Path, run: int) -> bool:
    store, control, folder = Store(home), Control(), home / "runs" / str(run)
    (folder / JOINED).touch()
    threading.Thread(target=_obey, args=(control,), name="birikim-commands", daemon=True).start()
    closing = lead(store.run(run), store, control, ranks)
    # who has started us says it once no process is left: from then on the run may go on again
    (folder / CLOSING).write_text(as_json(vars(closing)), encoding="utf-8")
    store.close()
    return closing.state in ("finished", "stopped")


def _obey(control: Control) -> None:
    """Passes on what the program says that has started us; where it has died, so do we."""
    for line in sys.stdin:
        if (command := line.strip()) in COMMANDS:
            control.post(cast(Command, command))
    os._exit(1)


def _live_with(program: int) -> None:
    """Ends this process where what has started it is gone, though it may be waiting for the others.

    That is a child of `program`; whose parent has died gets another one.
    """
    parent = os.getppid()
    if program in [each.pid for each in psutil.Process().parents()][1:]:
        while os.getppid() == parent:
            time.sleep(LOOK)
    os._exit(1)


if __name__ == "__main__":
    main()

"""`accelerate launch` that ends with the program that has started it, also while it still waits for other machines.

The program holds one end of a pipe whose other end is inherited here, under the number in `BIRIKIM_ALIVE`: when it
dies, however that happens, the pipe ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress

import psutil

ALIVE = "BIRIKIM_ALIVE"

GRACE = 5.0
"""Seconds that processes have to end after they were asked to."""


def main() -> None:
    pipe = int(os.environ.pop(ALIVE))
    threading.Thread(target=_end_with, args=(pipe,), name="birikim-alive", daemon=True).start()
    from accelerate.commands.launch import main as launch

    sys.argv[0] = "accelerate launch"
    launch()


def _end_with(pipe: int) -> None:
    os.read(pipe, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    # whoever waits for another machine hears no signal
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            child.kill()
    os._exit(1)


if __name__ == "__main__":
    main()

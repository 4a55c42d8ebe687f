"""The process behind the students' door: `python -m gui.classroom.students HOST PORT HOME TOKEN LOCAL`.

It hears from the teacher's program, by lines of standard input, which run is shown, whether experiments are allowed and
what became of them; and tells it how many watch, and what is wished for. It ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn

from engine import StoreReader
from gui.classroom.door import Door
from gui.classroom.preset import Wish
from gui.classroom.shared import Frames
from gui.connections import Fair
from gui.origin import OwnPage

NICENESS = 10
"""A training on the same machine comes first."""

TOLD_EVERY = 1.0
"""Seconds between two words on how many watch."""


class Line:
    """To the teacher's program: nothing else reaches standard output."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)

    def tell(self, **message: Any) -> None:
        with suppress(OSError):
            self._out.write(json.dumps(message) + "\n")
            self._out.flush()


def main(host: str, port: str, home: str, token: str, local: str) -> None:
    """Serves until the program that started it is gone, or closes the line."""
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    line = Line()
    store = StoreReader(Path(home), token)
    frames = Frames(store)

    def wish(wished: Wish, head: str, place: str) -> None:
        line.tell(wish=wished.plain(), head=head, place=place)

    door = Door(frames, wish)
    server = uvicorn.Server(
        uvicorn.Config(
            OwnPage(door, local=local == "local"),
            host=host,
            port=int(port),
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            http=Fair,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,
        )
    )
    threading.Thread(target=_listen, args=(server, door), name="birikim-line", daemon=True).start()
    asyncio.run(_serve(server, door, line))
    store.close()


async def _serve(server: uvicorn.Server, door: Door, line: Line) -> None:
    serving = asyncio.create_task(server.serve())
    while not server.started and not serving.done():
        await asyncio.sleep(0.02)
    if server.started:
        line.tell(ready=True)
    told = -1
    while not serving.done():
        if told != (told := door.watching()):
            line.tell(viewers=told)
        await asyncio.wait([serving], timeout=TOLD_EVERY)
    with suppress(SystemExit):  # the port was taken
        serving.result()


def _listen(server: uvicorn.Server, door: Door) -> None:
    for told in sys.stdin:
        message = json.loads(told)
        door.frames.pinned = message["pinned"]
        door.frames.allowed = message["allowed"]
        door.experiments = message["experiments"]
    server.should_exit = True


if __name__ == "__main__":
    main(*sys.argv[1:])

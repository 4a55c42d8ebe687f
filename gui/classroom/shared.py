"""News of a run for many viewers at once: read and encoded once a tick for all who stand at the same place."""

from __future__ import annotations

import asyncio
import gzip
import re
import time
from typing import Any, NamedTuple

import orjson

from engine import BirikimError, StoreReader
from gui.faults import fault_of
from gui.frames import frame_of, watched_of, yaml_of

TICK = 1.0
"""Seconds between two readings of the store. A viewer who has the present one is answered as the next begins."""

REMEMBERED = 15
"""Ticks for which a cursor that was given out leads on; a later one, or one that never was, is told all anew."""

PACKED_FROM = 2048
"""Bytes of an answer that is worth packing."""

PATH = re.compile(r"(?:\bfile://|(?<![\w./\\-])(?<!:(?=//)))(?:[A-Za-z]:|~)?(?:[/\\][^/\\\s\"'“”,;:()]+){2,}")
"""An absolute path in a text, two parts at least; no address in the web."""
WHOLE = re.compile(r"(?:[A-Za-z]:|~)?[/\\].*[/\\]")
"""How a text begins that is nothing but a path, up to its last part."""


class Frame(NamedTuple):
    """An answer, as it is and packed by gzip where it is long enough."""

    plain: bytes
    packed: bytes | None


class Frames:
    """Answers any number of viewers by at most a few readings a tick, whatever they ask."""

    def __init__(self, store: StoreReader) -> None:
        self._store = store
        self._at = -1
        self._shown: asyncio.Task[int | None] | None = None
        self._read: dict[tuple[int | None, str], asyncio.Task[Frame]] = {}
        self._seen: dict[tuple[int, int], asyncio.Task[Frame]] = {}
        self._given: dict[str, int] = {}
        self.pinned: int | None = None
        """The run that the teacher shows; None: the current one."""
        self.allowed = False
        """Whether students may run experiments of their own; all viewers hear of it."""

    async def frame(self, run: int | None, cursor: str, had: int | None) -> Frame:
        """News of `run` (None: of the one that is shown) for who stands at `cursor` and `had` the answer of a tick."""
        if had == _tick():
            await asyncio.sleep(TICK - time.monotonic() % TICK)
        self._turn()
        since = self._given.get(cursor)
        key = (run, cursor if since is not None else "")
        task = self._read.get(key)
        if task is None:
            task = self._read[key] = asyncio.create_task(self._frame(*key, self._at))
        return await asyncio.shield(task)

    async def watched(self, run: int, after: int) -> Frame:
        """What was seen of the watched windows of `run` and is newer than `after`, an earlier answer's `last`."""
        self._turn()
        key = (run, after if _seen_to(run, after) in self._given else 0)
        task = self._seen.get(key)
        if task is None:
            task = self._seen[key] = asyncio.create_task(self._watched(*key, self._at))
        return await asyncio.shield(task)

    async def shown(self) -> int | None:
        """The run that all may see."""
        self._turn()
        if self._shown is None:
            self._shown = asyncio.create_task(asyncio.to_thread(self._current))
        return await asyncio.shield(self._shown)

    def _turn(self) -> None:
        now = _tick()
        if now != self._at:
            self._at, self._shown, self._read, self._seen = now, None, {}, {}
            self._given = {cursor: at for cursor, at in self._given.items() if at > now - REMEMBERED}

    def _current(self) -> int | None:
        if self.pinned is not None:
            return self.pinned
        try:
            run = self._store.current_run()
        except BirikimError:
            return None
        return run.id if run else None

    async def _frame(self, run: int | None, cursor: str, tick: int) -> Frame:
        shown = await self.shown()
        frame, given = await asyncio.to_thread(self._encoded, shown if run is None else run, cursor, shown, tick)
        if given:
            self._given[given] = tick
        return frame

    async def _watched(self, run: int, after: int, tick: int) -> Frame:
        frame, last = await asyncio.to_thread(self._encoded_watched, run, after)
        self._given[_seen_to(run, last)] = tick
        return frame

    def _encoded_watched(self, run: int, after: int) -> tuple[Frame, int]:
        try:
            found = without_paths(watched_of(self._store, run, after))
        except BirikimError as error:
            found = {"fault": without_paths(fault_of(error))}
        return _packed(found), found.get("last", 0)

    def _encoded(self, run: int | None, cursor: str, shown: int | None, tick: int) -> tuple[Frame, str]:
        news = frame_of(self._store, run, cursor)
        news = {**news, "current": shown, "queue": [], "tick": tick, "allowed": self.allowed}
        for name in ("run", "notices", "fault"):
            if name in news:
                news[name] = without_paths(news[name])
        if news.get("yaml") is not None:
            news["yaml"] = yaml_of(news["run"]["config"])
        return _packed(news), str(news.get("cursor", ""))


def _packed(answer: dict[str, Any]) -> Frame:
    plain = orjson.dumps(answer)
    packed = gzip.compress(plain, compresslevel=4, mtime=0) if len(plain) >= PACKED_FROM else None
    return Frame(plain, packed)


def _seen_to(run: int, last: int) -> str:
    return f"seen:{run}:{last}"


def without_paths(value: Any) -> Any:
    """`value` with the last part alone of each path: where the teacher's files lie is no one's matter."""
    match value:
        case str() if whole := WHOLE.match(value):
            return value[whole.end() :]
        case str():
            return PATH.sub(lambda found: re.split(r"[/\\]", found[0])[-1], value)
        case dict():
            return {key: without_paths(inner) for key, inner in value.items()}
        case list() | tuple():
            return [without_paths(inner) for inner in value]
    return value


def _tick() -> int:
    return int(time.monotonic() / TICK)

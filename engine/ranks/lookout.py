"""Finds out which process is in trouble when a run of several breaks off, and why.

Each process gives a sign of life now and then, and what it failed of, to the store that torch.distributed keeps of
keys and values beside the training: it answers while the processes wait for each other.
"""

from __future__ import annotations

import json
import os
import threading
import time
from contextlib import suppress
from datetime import timedelta
from typing import Any

from torch import distributed

from engine.errors import RunError
from engine.ranks.several import Several

BEAT = 0.5
"""Seconds between two signs of life."""

MISSED = 4
"""Signs of life whose absence is one that is gone."""

HEARD = 10.0
"""Seconds that one that has failed waits for the leader to hear of it, and the leader for such a word."""

_FAILED, _HEARD = "birikim/failed", "birikim/heard"


class Lookout:
    """While entered, gives the signs of life of this process."""

    def __init__(self, ranks: Several) -> None:
        self._ranks = ranks
        self._store: Any = distributed.TCPStore(  # type: ignore[attr-defined]
            os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False, timeout=timedelta(seconds=HEARD)
        )
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="birikim-lookout", daemon=True)

    def __enter__(self) -> Lookout:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def fail(self, told: dict[str, Any]) -> None:
        """Says why this process is about to end; returns when the leader has heard of it, or after `HEARD` seconds."""
        with suppress(RuntimeError):
            self._put(_FAILED, json.dumps({**told, "rank": self._ranks.rank}))
            deadline = time.monotonic() + HEARD
            while not self._has(_HEARD) and time.monotonic() < deadline:
                time.sleep(BEAT / 5)

    def explained(self, problem: BaseException) -> RunError:
        """What a connection that broke off in the leader comes from."""
        deadline = time.monotonic() + BEAT * MISSED
        before, told = self._beats(), None
        while told is None and time.monotonic() < deadline:
            time.sleep(BEAT / 5)
            told = self._failure()
        if told is not None:
            with suppress(RuntimeError):
                self._put(_HEARD, "1")
            return RunError("launch.failed", rank=told["rank"], message=told["message"], remedy=told["remedy"])
        after = self._beats()
        silent = [rank for rank, beat in after.items() if rank in before and beat[0] == before[rank][0]]
        silent = [rank for rank in silent if rank != self._ranks.rank]
        if silent:
            return RunError("launch.gone", rank=silent[0])
        behind = min(after, key=lambda rank: after[rank][1], default=None)
        if behind is None or after[behind][1] == max(place for _, place in after.values()):
            return RunError("launch.broken", problem=" ".join(str(problem).split())[:300])
        seconds = int(self._ranks.patience.total_seconds())
        return RunError("launch.hangs", rank=behind, seconds=seconds)

    # ---- signs of life ----

    def _beat(self) -> None:
        count = 0
        while not self._over.wait(BEAT):
            count += 1
            # the store goes with the program that started us
            with suppress(RuntimeError):
                self._put(self._key(self._ranks.rank), f"{count} {self._ranks.entered}")

    def _beats(self) -> dict[int, tuple[int, int]]:
        """Of each process how often it gave a sign, and how often it met the others."""
        found: dict[int, tuple[int, int]] = {}
        for rank in range(self._ranks.size):
            with suppress(RuntimeError):
                text = self._get(self._key(rank)) if self._has(self._key(rank)) else "0 0"
                count, place = text.split()
                found[rank] = int(count), int(place)
        return found

    def _failure(self) -> dict[str, Any] | None:
        with suppress(RuntimeError):
            return json.loads(self._get(_FAILED)) if self._has(_FAILED) else None
        return None

    @staticmethod
    def _key(rank: int) -> str:
        return f"birikim/alive/{rank}"

    def _put(self, key: str, value: str) -> None:
        with self._lock:
            self._store.set(key, value)

    def _has(self, key: str) -> bool:
        with self._lock:
            return bool(self._store.check([key]))

    def _get(self, key: str) -> str:
        with self._lock:
            return str(self._store.get(key), "utf-8")

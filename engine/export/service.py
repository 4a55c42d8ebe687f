"""Exports asked for by a page: written one after another beside it, so that no training and no viewer waits."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from engine.answering.apart import APART
from engine.environment import keep_to_itself
from engine.errors import RunError
from engine.export import EXPORTS, Language, trained
from engine.export.apart import failed, written
from engine.store import Store

Answer = dict[str, Any]
Key = tuple[int, str, Language, str, int]

PATIENCE = 0.4
"""Seconds that a question waits for its answer before it is told to ask again."""

MOST_SECONDS = 900.0
"""For one export: the largest models are read and written again."""

MOST_KEPT = 64
MOST_WAITING = 16

WORKING: Answer = {"state": "working"}


class Takeaways:
    """Answers at once with what is written already, and writes the rest in a thread; what loads a model, in a child.

    Both start at the first question and end with `close`.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Condition()
        self._known: OrderedDict[Key, Answer] = OrderedDict()
        self._waiting: list[Key] = []
        self._thread: threading.Thread | None = None
        self._child: subprocess.Popen[str] | None = None
        self._closing = False

    def ask(self, run: int, kind: str, language: Language = "en") -> Answer:
        """`state` is working (ask again), done (`bytes`, `name`), or failed (`code`, `message`, `remedy`, `values`).

        Raises StoreError where there is no such run, RunError for a kind that is none.
        """
        key = self._key(run, kind, language)
        with self._lock:
            if self._closing:
                return WORKING
            found = self._known.get(key)
            if found is not None and (found["state"] == "failed" or Path(found["path"]).is_file()):
                # a failure is told once: whoever asks anew has changed something
                if found["state"] == "failed":
                    del self._known[key]
                return _told(found)
            self._known.pop(key, None)
            if key not in self._waiting:
                self._waiting = [*self._waiting, key][-MOST_WAITING:]
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="birikim-takeaways", daemon=True)
                self._thread.start()
            self._lock.notify_all()
            self._lock.wait_for(lambda: key in self._known or self._closing, PATIENCE)
            return _told(self._known.get(key, WORKING))

    def file(self, run: int, kind: str, language: Language = "en") -> Path | None:
        """What `ask` has said to be done; None else. Raises as `ask`."""
        key = self._key(run, kind, language)
        with self._lock:
            found = self._known.get(key, WORKING)
        path = Path(found["path"]) if found["state"] == "done" else None
        return path if path and path.is_file() else None

    def close(self) -> None:
        """Ends the child, whatever it is at. Idempotent."""
        with self._lock:
            self._closing = True
            self._lock.notify_all()
            child = self._child
        if child is not None:
            child.kill()
        if self._thread is not None:
            self._thread.join()

    def _key(self, run: int, kind: str, language: Language) -> Key:
        found = trained(self._store, run)
        if kind not in EXPORTS:
            raise RunError("export.unknown", kind=kind, known=", ".join(EXPORTS))
        # a run that goes on is written anew
        return run, kind, language, found.state, found.update

    def _work(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._waiting or self._closing)
                if self._closing:
                    return
                key = self._waiting[0]
            run, kind, language, *_ = key
            answer = self._in_child(*key[:3]) if EXPORTS[kind].loads else written(self._store, run, kind, language)
            with self._lock:
                if key in self._waiting:
                    self._waiting.remove(key)
                self._known[key] = answer
                while len(self._known) > MOST_KEPT:
                    self._known.popitem(last=False)
                self._lock.notify_all()

    def _in_child(self, run: int, kind: str, language: Language) -> Answer:
        with self._lock:
            if self._closing:
                return WORKING
            keep_to_itself()
            child = self._child = subprocess.Popen(
                [sys.executable, "-m", "engine.export.apart", str(self._store.home), str(run), kind, language],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
            APART.add(child.pid)
        try:
            told, _ = child.communicate(timeout=MOST_SECONDS)
            answer: Answer = json.loads(told)
            return answer
        except (subprocess.TimeoutExpired, ValueError):
            child.kill()
            child.communicate()
            return failed(RunError("export.no-answer"))
        finally:
            with self._lock:
                self._child = None
            APART.discard(child.pid)


def _told(answer: Answer) -> Answer:
    """Without the path, which is this machine's."""
    if answer["state"] != "done":
        return answer
    path = Path(answer["path"])
    return {"state": "done", "name": path.name, "bytes": path.stat().st_size}

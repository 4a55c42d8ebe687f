"""Questions asked by many and answered by one child process: a question a line in, its answer a line out, as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from engine.answering.apart import APART
from engine.environment import keep_to_itself
from engine.errors import WORDING

Answer = dict[str, Any]

PATIENCE = 0.4
"""Seconds that a question waits for its answer before it is told to ask again."""

MOST_KEPT = 64
MOST_WAITING = 8

WORKING: Answer = {"state": "working"}


class Questions:
    """Answers at once with what is known, and has the rest answered, the newest question first.

    The child starts at the first question. It ends with `close`, or by itself where this process is gone; one that has
    ended by itself is started anew.

    Args:
        module: what the child runs, with `arguments`.
        most_seconds: for one question; then the child is ended.
        no_answer: the code of what is told then, and of a child that dies. It is told once.
        keeps_failures: whether an answer that says of a failure is remembered as any other.
    """

    def __init__(
        self, module: str, arguments: Sequence[str], *, most_seconds: float, no_answer: str, keeps_failures: bool
    ) -> None:
        self._command = [sys.executable, "-m", module, *arguments]
        self._most_seconds = most_seconds
        self._no_answer = no_answer
        self._keeps_failures = keeps_failures
        self._lock = threading.Condition()
        self._known: OrderedDict[str, Answer] = OrderedDict()
        self._waiting: list[str] = []
        self._thread: threading.Thread | None = None
        self._child: subprocess.Popen[str] | None = None
        self._closing = False

    def ask(self, question: dict[str, Any]) -> Answer:
        """`{"state": "working"}` until the answer is known. Equal questions share one answer."""
        key = _key(question)
        with self._lock:
            if self._closing:
                return WORKING
            if key not in self._known:
                if key not in self._waiting:
                    self._waiting = [*self._waiting, key][-MOST_WAITING:]
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="birikim-questions", daemon=True)
                    self._thread.start()
                self._lock.notify_all()
                self._lock.wait_for(lambda: key in self._known or self._closing, PATIENCE)
            if key not in self._known:
                return WORKING
            self._known.move_to_end(key)
            answer = self._known[key]
            failed = answer.get("state") == "failed"
            if answer.get("code") == self._no_answer or (failed and not self._keeps_failures):
                del self._known[key]
            return answer

    def known(self, question: dict[str, Any]) -> Answer | None:
        """The answer, where it is there already."""
        with self._lock:
            return self._known.get(_key(question))

    def forget(self, question: dict[str, Any]) -> None:
        """The answer holds no more."""
        with self._lock:
            self._known.pop(_key(question), None)

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

    def _work(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._waiting or self._closing)
                if self._closing:
                    break
                key = self._waiting[-1]
            answer = self._answered(key)
            with self._lock:
                if key in self._waiting:
                    self._waiting.remove(key)
                self._known[key] = answer
                while len(self._known) > MOST_KEPT:
                    self._known.popitem(last=False)
                self._lock.notify_all()
        self._end_child()

    def _answered(self, key: str) -> Answer:
        try:
            child = self._running_child()
            assert child.stdin and child.stdout
            # one that hangs would keep everybody waiting
            over = threading.Timer(self._most_seconds, child.kill)
            over.daemon = True
            over.start()
            try:
                child.stdin.write(key + "\n")
                child.stdin.flush()
                return json.loads(child.stdout.readline())  # type: ignore[no-any-return]
            finally:
                over.cancel()
        except (OSError, ValueError):
            self._end_child()
            message, remedy = WORDING[self._no_answer]
            return {"state": "failed", "code": self._no_answer, "message": message, "remedy": remedy, "values": {}}

    def _running_child(self) -> subprocess.Popen[str]:
        if self._child is not None and self._child.poll() is not None:
            self._end_child()
        with self._lock:
            if self._closing:
                raise OSError
            if self._child is None:
                keep_to_itself()
                self._child = subprocess.Popen(
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    text=True,
                    encoding="utf-8",
                )
                APART.add(self._child.pid)
            return self._child

    def _end_child(self) -> None:
        with self._lock:
            child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        APART.discard(child.pid)
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was on its way to a child that is gone
                    pipe.close()


def _key(question: dict[str, Any]) -> str:
    return json.dumps(question, sort_keys=True)

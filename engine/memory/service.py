"""Predictions asked for by many and reckoned by one process of its own, so that no training and no viewer waits."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from engine.config import RunConfig
from engine.environment import keep_to_itself
from engine.errors import WORDING
from engine.memory.account import Account
from engine.memory.apart import APART

Answer = dict[str, Any]

PATIENCE = 0.4
"""Seconds that a question waits for its answer before it is told to ask again."""

MOST_SECONDS = 300.0
"""For one question: the largest models take about a minute."""

MOST_KEPT = 64
MOST_WAITING = 8

NO_ANSWER = "memory.no-answer"

NO_MATTER = frozenset(
    {
        "learning_rate", "lr_scheduler_type", "max_steps", "num_train_epochs", "warmup_steps", "weight_decay", "seed",
        "data_seed", "eval_strategy", "eval_steps", "logging_steps", "save_strategy", "save_steps", "save_total_limit",
    }
)  # fmt: skip
"""Training settings that a window's memory does not depend on, and that people change often."""

WORKING: Answer = {"state": "working"}


class Predictions:
    """Answers at once with what is known, and reckons the rest in a child process, the newest question first.

    The child starts at the first question. It ends with `close`, or by itself where this process is gone.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._lock = threading.Condition()
        self._known: OrderedDict[str, Answer] = OrderedDict()
        self._waiting: list[str] = []
        self._thread: threading.Thread | None = None
        self._child: subprocess.Popen[str] | None = None
        self._closing = False

    def ask(self, question: dict[str, Any]) -> Answer:
        """`{"state": "working"}` until the answer is known. Equal questions share one answer."""
        key = json.dumps(question, sort_keys=True)
        with self._lock:
            if self._closing:
                return WORKING
            if key not in self._known:
                if key not in self._waiting:
                    self._waiting = [*self._waiting, key][-MOST_WAITING:]
                if self._thread is None:
                    self._thread = threading.Thread(target=self._work, name="birikim-predictions", daemon=True)
                    self._thread.start()
                self._lock.notify_all()
                self._lock.wait_for(lambda: key in self._known or self._closing, PATIENCE)
            if key not in self._known:
                return WORKING
            self._known.move_to_end(key)
            answer = self._known[key]
            if answer.get("code") == NO_ANSWER:
                del self._known[key]
            return answer

    def predict(self, config: RunConfig, micro_batches: tuple[int, ...] = (), device: str | None = None) -> Answer:
        """`account`, and of each of `micro_batches` a point of `curve`; once they are known."""
        found = self.ask({"config": _what_counts(config), "device": device, "micro_batches": list(micro_batches)})
        return {**found, "account": Account.from_dict(found["account"])} if "account" in found else found

    def fit(self, config: RunConfig, effective: int, budget_bytes: int, device: str | None = None) -> Answer:
        """What `engine.memory.fit.fit` finds, once it is known."""
        question = {"config": _what_counts(config), "device": device}
        return self.ask({**question, "effective": effective, "budget_bytes": budget_bytes})

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
            answer = self._reckoned(key)
            with self._lock:
                if key in self._waiting:
                    self._waiting.remove(key)
                self._known[key] = answer
                while len(self._known) > MOST_KEPT:
                    self._known.popitem(last=False)
                self._lock.notify_all()
        self._end_child()

    def _reckoned(self, key: str) -> Answer:
        try:
            child = self._running_child()
            assert child.stdin and child.stdout
            # one that hangs would keep everybody waiting
            over = threading.Timer(MOST_SECONDS, child.kill)
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
            message, remedy = WORDING[NO_ANSWER]
            return {"state": "failed", "code": NO_ANSWER, "message": message, "remedy": remedy, "values": {}}

    def _running_child(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._closing:
                raise OSError
            if self._child is None:
                keep_to_itself()
                self._child = subprocess.Popen(
                    [sys.executable, "-m", "engine.memory.answering", str(self._cache)],
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
                pipe.close()


def _what_counts(config: RunConfig) -> dict[str, Any]:
    values = config.to_dict()
    values.pop("samples", None)
    training = {key: value for key, value in values.get("training", {}).items() if key not in NO_MATTER}
    return {**values, "training": training}

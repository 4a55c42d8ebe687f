"""Tells a run under way what its window is predicted to take, whenever that is known."""

from __future__ import annotations

import threading
from contextlib import suppress

from engine.config import RunConfig
from engine.errors import StoreError
from engine.events import FactsGrew
from engine.memory.service import Predictions
from engine.store import Store

AGAIN = 0.5
"""Seconds between two questions."""


class Foretold:
    """While entered, waits beside the run for its prediction, and writes it to the run's facts."""

    def __init__(self, run: int, config: RunConfig, store: Store, predictions: Predictions, device: str) -> None:
        self._run, self._config, self._store = run, config, store
        self._predictions, self._device = predictions, device
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask, name="birikim-foretold", daemon=True)

    def __enter__(self) -> Foretold:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._over.is_set():
            found = self._predictions.predict(self._config, device=self._device)
            if found["state"] == "done":
                account = found["account"]
                facts = {"predicted_bytes": account.peak_bytes, "predicted_parts": account.parts}
                # a home that can't be written ends the run in the training thread
                with suppress(StoreError):
                    self._store.write(FactsGrew(run=self._run, facts=facts))
            if found["state"] != "working":
                return
            self._over.wait(AGAIN)
